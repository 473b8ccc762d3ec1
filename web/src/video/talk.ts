// Talk: who has control is heard at the robot while a button is held.
import { eye as words } from '../../strings.json';
import { hasControl, mayAct, type Model } from '../store.ts';
import { say } from '../words.ts';
import type { Bench } from '../workshop/bench.ts';
import { negotiate, Refused, type Session } from './whep.ts';

export interface Talk {
  show(m: Readonly<Model>): void;
}

export function mountTalk({ store, voice }: Bench, button: HTMLButtonElement): Talk {
  let session: Session | null = null;
  let track: MediaStreamTrack | null = null;
  let held = false;

  async function begin(): Promise<void> {
    if (held || !mayAct(store.get())) return;
    held = true;
    button.setAttribute('aria-pressed', 'true');
    try {
      if (!window.isSecureContext || navigator.mediaDevices === undefined) throw new Refused(0, words.notSecure);
      if (session === null || session.pc.connectionState === 'failed' || session.pc.connectionState === 'closed') await open();
      if (track !== null) track.enabled = held;
      if (held) voice.say(words.talking);
    } catch (why) {
      const name = why instanceof DOMException ? why.name : '';
      const sentence = why instanceof Refused ? why.message : name === 'NotFoundError' ? words.noMicrophone : name === 'NotAllowedError' ? words.notAllowed : String(why);
      store.toast(say(words.notTalking, { why: sentence }), 'NA');
      close();
    }
  }

  async function open(): Promise<void> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } });
    track = stream.getAudioTracks()[0] ?? null;
    if (track === null) throw new Refused(0, words.noMicrophone);
    track.enabled = false;
    const pc = new RTCPeerConnection({ iceServers: store.get().relays });
    pc.addTransceiver(track, { direction: 'sendonly', streams: [stream] });
    session = await negotiate(pc, '/whip');
  }

  function end(): void {
    held = false;
    button.setAttribute('aria-pressed', 'false');
    if (track !== null) track.enabled = false;
  }

  function close(): void {
    end();
    track?.stop();
    track = null;
    session?.close();
    session = null;
  }

  button.onpointerdown = (e) => {
    button.setPointerCapture(e.pointerId);
    void begin();
  };
  button.onpointerup = button.onpointercancel = button.onlostpointercapture = end;
  button.onkeydown = (e) => {
    if (e.key === 'Enter' && !e.repeat) void begin();
  };
  button.onkeyup = (e) => {
    if (e.key === 'Enter') end();
  };
  button.onblur = end;
  addEventListener('pagehide', close);
  addEventListener('blur', end);
  store.subscribe((m, before) => {
    if (hasControl(before) && !hasControl(m)) close();
  });

  return {
    show(m) {
      button.hidden = !m.hears;
      button.disabled = !mayAct(m);
    },
  };
}
