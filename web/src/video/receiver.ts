// Receiver: keeps the picture coming. It asks for it, notices when it stands still, and asks anew when it is gone.
import { eye as words } from '../../strings.json';
import { pick, setText } from '../dom.ts';
import { now } from '../store.ts';
import { say } from '../words.ts';
import type { Context } from '../context.ts';
import { negotiate, Refused, type Session } from './whep.ts';

export type Sight = 'loading' | 'live' | 'frozen' | 'off';

const FROZEN = 1; // s without a picture
const GONE = 4; // s of that, after which it is asked for anew
const DOUBT = 0.5; // s without a picture after the robot came back, after which it is asked for anew
const HIDDEN_MS = 5000; // after which a page that nobody sees lets it go
const FIRST_MS = 500; // before it is asked for again,
const MOST_MS = 8000; // at most

export interface Receiver {
  state(): Sight;
  onState(f: (state: Sight, fault: string) => void): void;
  retry(): void;
  listen(on: boolean): void; // shows how loud it is
}

// mountReceiver shows the picture in video; seen is told the RTP timestamp of every one that is shown.
export function mountReceiver(context: Context, video: HTMLVideoElement, seen: (rtp: number) => void): Receiver {
  const { store } = context;
  const live = pick('#eye-live');
  const frozen = pick('#eye-frozen');
  const sound = pick('#eye [data-eye=sound]');
  let state: Sight = 'loading';
  let fault = '';
  let tell: (state: Sight, fault: string) => void = () => undefined;
  let session: Session | null = null;
  let trying = 0; // counts attempts, so that an old one that ends late changes nothing
  let wait = FIRST_MS;
  let timer = 0;
  let frames = 0;
  let lastFrame = -Infinity;
  let startedAt = now();
  let doubt = Infinity; // when the robot came back, perhaps anew, while the picture seemed fine
  let heard: { at: number; frames: number; bytes: number } | null = null;
  let audio: AudioContext | null = null;
  let meter: AnalyserNode | null = null;
  let lastTime = 0;

  function set(next: Sight, why = ''): void {
    if (next === state && why === fault) return;
    state = next;
    fault = why;
    tell(state, fault);
  }

  async function start(): Promise<void> {
    stop();
    const mine = ++trying;
    set('loading');
    startedAt = now();
    const m = store.get();
    const pc = new RTCPeerConnection({ iceServers: m.relays });
    const stream = new MediaStream();
    if (m.sees) pc.addTransceiver('video', { direction: 'recvonly' });
    if (m.hears) pc.addTransceiver('audio', { direction: 'recvonly' });
    pc.ontrack = (e) => {
      if (mine !== trying) return;
      e.receiver.jitterBufferTarget = e.track.kind === 'video' ? 0 : 40;
      stream.addTrack(e.track);
      video.srcObject = stream;
      void video.play().catch(() => undefined); // it plays as soon as the browser lets it
      if (!video.muted) listen(true);
    };
    pc.onconnectionstatechange = () => {
      if (mine === trying && (pc.connectionState === 'failed' || pc.connectionState === 'closed')) later();
    };
    try {
      const answered = await negotiate(pc, '/whep');
      if (mine !== trying) answered.close();
      else {
        session = answered;
        wait = FIRST_MS;
      }
    } catch (why) {
      if (mine !== trying) return;
      if (why instanceof Refused && (why.status === 403 || why.status === 404)) set('off', why.message);
      else later(why instanceof Refused ? why.message : '');
    }
  }

  // later tries again after a while, and longer each time.
  function later(why = ''): void {
    stop();
    set('off', why || (store.get().socket ? say(words.again, { s: Math.round(wait / 1000) || 1 }) : words.apart));
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (store.get().socket) void start();
    }, wait);
    wait = Math.min(MOST_MS, wait * 2);
  }

  function stop(): void {
    trying++;
    doubt = Infinity;
    clearTimeout(timer);
    session?.close();
    session = null;
    heard = null;
    lastFrame = -Infinity;
  }

  const every = (_: number, meta: VideoFrameCallbackMetadata) => {
    video.requestVideoFrameCallback(every);
    if (session === null) return; // a track that ends shows a black frame
    frames++;
    lastFrame = now();
    if (meta.rtpTimestamp !== undefined) seen(meta.rtpTimestamp);
    if (state !== 'live') set('live');
  };
  if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(every);

  setInterval(() => {
    const still = now() - lastFrame;
    if (session === null || !store.get().sees) return;
    if (!('requestVideoFrameCallback' in video) && (video as HTMLVideoElement).currentTime !== lastTime) {
      lastTime = (video as HTMLVideoElement).currentTime;
      lastFrame = now();
      set('live');
    }
    if (state === 'live' && still > FROZEN) set('frozen');
    if (state === 'frozen') setText(frozen, say(words.frozen, { s: still.toFixed(1) }));
    if ((state === 'frozen' && still > GONE) || (state === 'loading' && now() - startedAt > 2 * GONE)) later();
    if (lastFrame > doubt) doubt = Infinity;
    else if (now() - doubt > DOUBT) void start();
    frozen.hidden = state !== 'frozen';
    live.hidden = state !== 'live';
    loudness();
  }, 100);

  setInterval(() => void count(), 1000);
  async function count(): Promise<void> {
    if (session === null) return;
    let bytes = 0;
    for (const s of (await session.pc.getStats()).values()) if (s.type === 'inbound-rtp') bytes += s.bytesReceived;
    const t = now();
    if (heard !== null && t > heard.at) {
      const kbit = ((bytes - heard.bytes) * 8) / 1000 / (t - heard.at);
      const rate =
        kbit < 995
          ? say(words.kbit, { n: Math.round(kbit / 10) * 10 })
          : say(words.mbit, { n: (kbit / 1000).toFixed(1) });
      setText(pick('span', live), say(words.live, { fps: Math.round((frames - heard.frames) / (t - heard.at)), rate }));
    }
    heard = { at: t, frames, bytes };
  }

  function listen(on: boolean): void {
    if (!on || !(video.srcObject instanceof MediaStream) || video.srcObject.getAudioTracks().length === 0) {
      meter = null;
      return;
    }
    audio ??= new AudioContext();
    void audio.resume();
    meter = audio.createAnalyser();
    meter.fftSize = 512;
    audio.createMediaStreamSource(video.srcObject).connect(meter);
  }

  function loudness(): void {
    let most = 0;
    if (meter !== null) {
      const wave = new Float32Array(meter.fftSize);
      meter.getFloatTimeDomainData(wave);
      for (const v of wave) most = Math.max(most, Math.abs(v));
    }
    sound.style.setProperty('--loud', most.toFixed(2));
  }

  let rests = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(rests);
    if (document.hidden) rests = window.setTimeout(stop, HIDDEN_MS);
    else if (session === null && store.get().socket) void start();
  });
  addEventListener('pagehide', stop);
  store.subscribe((m, before) => {
    const may = m.sees && (m.camera || m.role !== 'observer') && !m.elsewhere;
    if (!may) {
      if (session !== null) stop();
      return;
    }
    const back = m.socket && !before.socket; // the robot is there again, perhaps anew
    const gone =
      session === null || session.pc.connectionState !== 'connected' || m.state === null || now() - lastFrame > FROZEN;
    if (back && !gone) doubt = now();
    if (m.socket && ((back && gone) || m.camera !== before.camera || m.role !== before.role)) void start();
  });
  if (store.get().socket) void start();

  return {
    state: () => state,
    onState(f) {
      tell = f;
      f(state, fault);
    },
    retry: () => void start(),
    listen,
  };
}
