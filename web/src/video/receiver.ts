// Receiver: keeps the video running. It requests it, notices when it freezes, and requests it again when it
// is gone.
import { eye as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { hide, pick, setText } from '../dom.ts';
import { type Model, now, type Store } from '../store.ts';
import { say } from '../words.ts';
import { LevelMeter } from './level-meter.ts';
import { negotiate, NoWebRTC, openConnection, Refused, type Session } from './whep.ts';

export type PictureState = 'loading' | 'live' | 'frozen' | 'off';

const FROZEN_AFTER = 1; // s without a picture
const GONE_AFTER = 4; // s of that, after which it is requested again
const DOUBT_FOR = 0.5; // s without a picture after the robot came back, after which it is requested again
const HIDDEN_MS = 5000; // after which a hidden page closes it
const MIN_WAIT_MS = 500; // before it is requested again,
const MAX_WAIT_MS = 8000; // at most
const WATCH_MS = 100;
const RATE_MS = 1000;
const AUDIO_BUFFER_MS = 40; // of the browser's jitter buffer

// Receiver shows the video in an element. A session exists from the robot's answer until stop; its counts
// (#counted, #lastFrame) are dropped with it.
export class Receiver {
  readonly #store: Store;
  readonly #video: HTMLVideoElement;
  readonly #onFrame: (rtp: number) => void;
  readonly #meter = new LevelMeter(pick('#eye [data-eye=sound]'));
  readonly #liveTag = pick('#eye-live');
  readonly #frozenTag = pick('#eye-frozen');
  #onState: (state: PictureState, fault: string) => void = () => undefined;
  #state: PictureState = 'loading';
  #fault = '';
  #session: Session | null = null;
  #closed = false; // a script has switched the camera off
  #attempt = 0; // counts attempts, so that the late end of an old one has no effect
  #wait = MIN_WAIT_MS; // before the next attempt
  #retryTimer = 0;
  #hiddenTimer = 0;
  #startedAt = now();
  #frames = 0;
  #lastFrame = -Infinity; // page time
  #videoTime = 0; // position of the video, if the browser does not report frames
  #doubtSince = Infinity; // page time when the robot came back, perhaps restarted, while the video seemed fine
  #counted: { at: number; frames: number; bytes: number } | null = null; // a second ago

  // onFrame is called with the RTP timestamp of every displayed picture.
  constructor({ store }: Context, video: HTMLVideoElement, onFrame: (rtp: number) => void) {
    this.#store = store;
    this.#video = video;
    this.#onFrame = onFrame;
    if (this.#reportsFrames()) video.requestVideoFrameCallback(this.#countFrame);
    setInterval(() => this.#watch(), WATCH_MS);
    setInterval(() => void this.#showRate(), RATE_MS);
    document.addEventListener('visibilitychange', () => this.#followVisibility());
    addEventListener('pagehide', () => this.#rest());
    store.subscribe((m, before) => this.#follow(m, before));
    if (store.get().elsewhere) this.#rest();
    else if (store.get().socket) void this.#start();
  }

  state(): PictureState {
    return this.#state;
  }

  onState(f: (state: PictureState, fault: string) => void): void {
    this.#onState = f;
    f(this.#state, this.#fault);
  }

  retry(): void {
    void this.#start();
  }

  // listen starts or stops the level meter.
  listen(on: boolean): void {
    const { srcObject } = this.#video;
    this.#meter.listen(on && srcObject instanceof MediaStream ? srcObject : null);
  }

  #setState(state: PictureState, fault = ''): void {
    if (state === this.#state && fault === this.#fault) return;
    this.#state = state;
    this.#fault = fault;
    hide(this.#frozenTag, state !== 'frozen');
    hide(this.#liveTag, state !== 'live');
    this.#onState(state, fault);
  }

  async #start(): Promise<void> {
    this.#stop();
    const attempt = ++this.#attempt;
    this.#setState('loading');
    this.#startedAt = now();
    try {
      const answered = await negotiate(this.#connection(attempt), '/whep');
      if (attempt !== this.#attempt) return answered.close();
      this.#session = answered;
      this.#wait = MIN_WAIT_MS;
    } catch (why) {
      if (attempt !== this.#attempt) return;
      if (why instanceof Refused && (why.status === 403 || why.status === 404)) this.#setState('off', why.message);
      else if (why instanceof NoWebRTC) this.#setState('off', words.noWebRTC);
      else this.#retryLater(why instanceof Refused ? why.message : '');
    }
  }

  #connection(attempt: number): RTCPeerConnection {
    const m = this.#store.get();
    const pc = openConnection(m.relays);
    const stream = new MediaStream();
    if (m.sees) pc.addTransceiver('video', { direction: 'recvonly' });
    if (m.hears) pc.addTransceiver('audio', { direction: 'recvonly' });
    pc.ontrack = (e) => {
      if (attempt !== this.#attempt) return;
      e.receiver.jitterBufferTarget = e.track.kind === 'video' ? 0 : AUDIO_BUFFER_MS;
      stream.addTrack(e.track);
      this.#video.srcObject = stream;
      void this.#video.play().catch(() => undefined); // it plays as soon as the browser allows it
      if (!this.#video.muted) this.listen(true);
    };
    pc.onconnectionstatechange = () => {
      const over = pc.connectionState === 'failed' || pc.connectionState === 'closed';
      if (attempt === this.#attempt && over) this.#retryLater();
    };
    return pc;
  }

  // retryLater tries again after a while, with increasing delays.
  #retryLater(why = ''): void {
    const { socket } = this.#store.get();
    this.#stop();
    const again = say(words.again, { s: Math.round(this.#wait / 1000) || 1 });
    this.#setState('off', why || (socket ? again : words.apart));
    this.#retryTimer = window.setTimeout(() => {
      if (this.#store.get().socket) void this.#start();
    }, this.#wait);
    this.#wait = Math.min(MAX_WAIT_MS, this.#wait * 2);
  }

  #stop(): void {
    this.#attempt++;
    this.#doubtSince = Infinity;
    clearTimeout(this.#retryTimer);
    this.#session?.close();
    this.#session = null;
    this.#counted = null;
    this.#lastFrame = -Infinity;
  }

  // rest closes the video until the page is in sight again, or the person in this tab.
  #rest(): void {
    this.#stop();
    this.#setState('off', this.#store.get().elsewhere ? words.elsewhere : words.apart);
  }

  #reportsFrames(): boolean {
    return 'requestVideoFrameCallback' in this.#video;
  }

  readonly #countFrame = (_: number, meta: VideoFrameCallbackMetadata): void => {
    this.#video.requestVideoFrameCallback(this.#countFrame);
    if (this.#session === null) return; // a track that ends shows a black frame
    this.#frames++;
    this.#lastFrame = now();
    if (meta.rtpTimestamp !== undefined) this.#onFrame(meta.rtpTimestamp);
    if (this.#state !== 'live' && !this.#closed) this.#setState('live');
  };

  // watch notices a frozen picture, and requests one that stays away.
  #watch(): void {
    const still = now() - this.#lastFrame;
    const { sees, scripts } = this.#store.get();
    if (this.#session === null || !sees) return;
    if (this.#isClosed(scripts?.camera_off ?? '')) return;
    if (!this.#reportsFrames() && this.#video.currentTime !== this.#videoTime) {
      this.#videoTime = this.#video.currentTime;
      this.#lastFrame = now();
      this.#setState('live');
    }
    if (this.#state === 'live' && still > FROZEN_AFTER) this.#setState('frozen');
    if (this.#state === 'frozen') setText(this.#frozenTag, say(words.frozen, { s: still.toFixed(1) }));
    const gone = this.#state === 'frozen' && still > GONE_AFTER;
    if (gone || (this.#state === 'loading' && now() - this.#startedAt > 2 * GONE_AFTER)) this.#retryLater();
    if (this.#lastFrame > this.#doubtSince) this.#doubtSince = Infinity;
    else if (now() - this.#doubtSince > DOUBT_FOR) void this.#start();
    this.#meter.show();
  }

  // isClosed follows a camera that a script has switched off, and reports whether it still is.
  #isClosed(why: string): boolean {
    const was = this.#closed;
    this.#closed = why !== '';
    if (this.#closed) this.#setState('off', why);
    else if (was) {
      this.#startedAt = now();
      this.#setState('loading');
    }
    return this.#closed;
  }

  async #showRate(): Promise<void> {
    if (this.#session === null) return;
    let bytes = 0;
    for (const s of (await this.#session.pc.getStats()).values())
      if (s.type === 'inbound-rtp') bytes += s.bytesReceived;
    const t = now();
    const before = this.#counted;
    if (before !== null && t > before.at) {
      const fps = Math.round((this.#frames - before.frames) / (t - before.at));
      setText(
        pick('span', this.#liveTag),
        say(words.live, { fps, rate: rateText(((bytes - before.bytes) * 8) / (t - before.at)) }),
      );
    }
    this.#counted = { at: t, frames: this.#frames, bytes };
  }

  #followVisibility(): void {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) this.#hiddenTimer = window.setTimeout(() => this.#rest(), HIDDEN_MS);
    else if (this.#session === null && this.#store.get().socket && !this.#store.get().elsewhere) void this.#start();
  }

  #follow(m: Readonly<Model>, before: Readonly<Model>): void {
    if (!m.sees || (!m.camera && m.role === 'observer') || m.elsewhere) {
      if (this.#session !== null || (m.elsewhere && !before.elsewhere)) this.#rest();
      return;
    }
    const back = m.socket && (!before.socket || before.elsewhere); // the robot is back, perhaps restarted, or the person is
    const gone =
      this.#session === null ||
      this.#session.pc.connectionState !== 'connected' ||
      m.state === null ||
      now() - this.#lastFrame > FROZEN_AFTER;
    if (back && !gone) this.#doubtSince = now();
    if (document.hidden && this.#session === null) return; // until it is in sight again
    if (m.socket && ((back && gone) || m.camera !== before.camera || m.role !== before.role)) void this.#start();
  }
}

// rateText formats a rate in bit/s.
export function rateText(bits: number): string {
  const kbit = bits / 1000;
  return kbit < 995
    ? say(words.kbit, { n: Math.round(kbit / 10) * 10 })
    : say(words.mbit, { n: (kbit / 1000).toFixed(1) });
}
