// Talk: the person in control, or the borrower of the voice, is heard at the robot while a button is held.
import { eye as words } from '../../strings.json';
import { borrowed, hasControl, mayUse, type Model } from '../store.ts';
import { say } from '../words.ts';
import type { Context } from '../context.ts';
import { negotiate, openConnection, Refused, type Session } from './whep.ts';

const IDLE_MS = 20_000; // after the last hold, then the connection is closed too
const UNHEARD: readonly RTCPeerConnectionState[] = ['disconnected', 'failed', 'closed'];
const LAST_WORDS_MS = 5000; // after a stop, time for a voice to end its sentence

export interface Talk {
  show(m: Readonly<Model>): void;
}

export function mountTalk({ store, voice }: Context, button: HTMLButtonElement): Talk {
  let session: Session | null = null;
  let sender: RTCRtpSender | null = null;
  let microphone: MediaStreamTrack | null = null; // open only while the button is held
  let turn = 0; // counts holds and their ends
  let held = false;
  let before: Promise<void> = Promise.resolve(); // the end of the previous hold
  let idle = 0;

  function begin(): void {
    if (held || !mayUse(store.get(), 'voice')) return;
    held = true;
    clearTimeout(idle);
    button.setAttribute('aria-pressed', 'true');
    const mine = ++turn;
    before = before.then(() => speak(mine));
  }

  async function speak(mine: number): Promise<void> {
    if (turn !== mine) return;
    try {
      if (!window.isSecureContext || navigator.mediaDevices === undefined) throw new Refused(0, words.notSecure);
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: true, noiseSuppression: true },
      });
      microphone = stream.getAudioTracks()[0] ?? null;
      if (microphone === null) throw new Refused(0, words.noMicrophone);
      microphone.onended = () => breakOff(words.silent); // unplugged, or no longer allowed; not after mute
      const hears = turn === mine && (await connect(microphone, stream));
      if (turn !== mine) {
        mute();
        if (!held) rest();
      } else if (hears) voice.say(words.talking);
    } catch (why) {
      store.toast(say(words.notTalking, { why: sentenceOf(why) }), 'NA');
      close();
    }
  }

  // connect reports whether the robot hears the track already. Otherwise the page says so once it does.
  async function connect(track: MediaStreamTrack, stream: MediaStream): Promise<boolean> {
    if (session !== null && sender !== null && session.pc.connectionState === 'connected') {
      await sender.replaceTrack(track);
      return true;
    }
    session?.close();
    const pc = openConnection(store.get().relays);
    pc.onconnectionstatechange = () => {
      if (session?.pc !== pc) return;
      if (held && pc.connectionState === 'connected') voice.say(words.talking);
      if (UNHEARD.includes(pc.connectionState)) breakOff(words.brokeOff);
    };
    sender = pc.addTransceiver(track, { direction: 'sendonly', streams: [stream] }).sender;
    session = await negotiate(pc, '/whip');
    return pc.connectionState === 'connected';
  }

  // breakOff is called when the robot no longer hears this page.
  function breakOff(why: string): void {
    if (held) store.toast(say(words.notTalking, { why }), 'NA');
    close();
  }

  // mute closes the microphone; the browser shows that.
  function mute(): void {
    microphone?.stop();
    microphone = null;
    sender?.replaceTrack(null).catch(() => undefined); // a connection that is closed sends nothing
  }

  function end(): void {
    if (!held) return;
    held = false;
    turn++;
    button.setAttribute('aria-pressed', 'false');
    mute();
    rest();
  }

  // rest closes the connection after a while without a hold. A connection that is made only after the end of
  // its hold rests too.
  function rest(): void {
    clearTimeout(idle);
    idle = window.setTimeout(close, IDLE_MS);
  }

  function close(): void {
    end();
    clearTimeout(idle);
    mute();
    session?.close();
    session = sender = null;
  }

  button.onpointerdown = (e) => {
    if (e.button !== 0) return; // another one opens the browser's menu, which takes the release
    button.setPointerCapture(e.pointerId);
    begin();
  };
  button.onpointerup = button.onpointercancel = button.onlostpointercapture = end;
  button.onkeydown = (e) => {
    if (e.key === 'Enter' && !e.repeat) begin();
  };
  button.onkeyup = (e) => {
    if (e.key === 'Enter') end();
  };
  button.oncontextmenu = (e) => e.preventDefault(); // of a long touch
  button.onblur = end;
  addEventListener('pagehide', close);
  addEventListener('blur', end);
  document.addEventListener('visibilitychange', end); // without a blur, where the system itself hides the page
  store.subscribe((m, before) => {
    // Nothing shows now who hears and who has control. After the contact is back, press again, as for driving.
    if (held && isReached(before) && !isReached(m)) breakOff(words.apartTalk);
    if (speaks(m) || !speaks(before)) return;
    if (m.stop === null || !held) close();
    else
      setTimeout(() => {
        if (!speaks(store.get())) close();
      }, LAST_WORDS_MS);
  });

  return {
    show(m) {
      button.hidden = !m.hears;
      button.disabled = !mayUse(m, 'voice');
    },
  };
}

function speaks(m: Readonly<Model>): boolean {
  return hasControl(m) || borrowed(m, 'voice') !== null;
}

function isReached(m: Readonly<Model>): boolean {
  return m.socket && m.conn !== 'lost';
}

// FAULTS are the sentences for the names of the browser's exceptions.
const FAULTS: Readonly<Record<string, string>> = {
  NotFoundError: words.noMicrophone,
  NotAllowedError: words.notAllowed,
  NotReadableError: words.busyMicrophone,
  AbortError: words.busyMicrophone,
  TimeoutError: words.noAnswer, // of the request,
  TypeError: words.noAnswer, // which fetch throws when nothing answers
  NoWebRTC: words.noWebRTC,
};

function sentenceOf(why: unknown): string {
  if (why instanceof Refused) return why.message;
  return (why instanceof Error && FAULTS[why.name]) || String(why);
}
