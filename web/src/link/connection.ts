// The connection to the robot: hello, clock exchange, acknowledgements, drive samples, and reconnecting.
import { isBaseLost, now, type Store } from '../store.ts';
import { words } from '../words.ts';
import { VALID } from '../virtualrobot/virtual.ts';
import { type ControlAction, PROTOCOL, type Down, type Result, type Up, type Virtual, type Welcome } from '../wire.ts';
import { type Channel, mountChannel } from './channel.ts';
import { Clock } from './clock.ts';
import { incoming } from './incoming.ts';
import type { Link, Order } from './index.ts';
import { probe, type Probe } from './probe.ts';
import { contact, LOST_AFTER } from './silence.ts';
import { StopDelivery } from './stop-delivery.ts';

export interface Address {
  socket: string;
  health: string;
  stop: string;
  robot: string; // all users may read it
  tab: string; // random id of this tab
}

const SLOW = 0.5; // s between states while nothing comes from the base
const STANDS = 0.01; // m/s and rad/s; slower counts as standing
const WELCOME_WITHIN_MS = 3000;
const WATCH_MS = 100;
const ASLEEP = 0.5; // s by which the page's clock falls behind that of the computer
const CLOCK_MS = 1000;
const BURST = 8;
const BURST_MS = 50;
const SEEK_MS = 600; // before a robot is probed that did not welcome this page
const ACK_EACH = 3; // states: one acknowledgement also covers those before it
const TRY_AGAIN = 1013; // close code: the robot takes no more connections now
const CLOGGED = 8192; // bytes queued in the browser: the network is blocked, so do not queue samples

// Connection connects at once and updates the store for as long as the page lives. A socket exists from
// dial to drop; welcomedAt, seq and acked belong to it.
export class Connection implements Link {
  readonly #store: Store;
  readonly #address: Address;
  readonly #channel: Channel;
  readonly #stops: StopDelivery;
  readonly #start = now();
  readonly #waiting = new Map<number, (answer: Result) => void>(); // orders without an answer, by id
  #socket: WebSocket | null = null;
  #welcomedAt: number | null = null; // page time
  #seq = 0; // of the last drive sample
  #acked = 0; // number of the newest acknowledged state
  #probe: Probe | null = null; // while the robot is being probed
  #pause = 0; // timer of the next probe
  #ahead = clockAhead(); // the most so far
  #clock = new Clock();
  #clockTimer = 0;
  #id = 0; // of the last order
  #offered = 0; // id of the newest offer of the channel
  #refused = { reason: '', until: 0 }; // the last logged refusal, and the newest order that was underway then

  constructor(store: Store, address: Address) {
    this.#store = store;
    this.#address = address;
    this.#channel = mountChannel(
      (offer) => this.#offer(offer),
      (rtt) => store.set({ channel: rtt }),
      () => this.#stops.confirm(),
    );
    this.#stops = new StopDelivery(store, address.stop, this.#channel, () => ++this.#id);
    this.#dial();
    setInterval(() => this.#watch(), WATCH_MS);
  }

  sendDrive(v: number, w: number, virtual?: { t: number; vr: Virtual }): number | null {
    if (this.#welcomedAt === null || this.#socket?.readyState !== WebSocket.OPEN) return null;
    const clogged = this.#socket.bufferedAmount > CLOGGED && (v !== 0 || w !== 0);
    const m = this.#store.get();
    if (clogged && m.channel === null) return null;
    const seq = ++this.#seq;
    const sample = {
      type: 'drive' as const,
      lease: m.epoch,
      hold: m.hold,
      seq,
      t: now(),
      v,
      w,
      valid: VALID,
      ...virtual,
    };
    if (!clogged) this.#post(sample);
    this.#channel.drive(sample);
    return seq;
  }

  stop(): void {
    const sent = this.#post({ type: 'stop', id: ++this.#id }); // before anything else
    this.#stops.send();
    const { stopping, conn } = this.#store.get();
    this.#store.set({ stopping: stopping ?? { at: now(), sent: sent && conn !== 'lost' } });
  }

  unstop(): void {
    this.#post({ type: 'unstop', id: ++this.#id, lease: this.#store.get().epoch });
  }

  control(action: ControlAction, more: { reason?: string; to?: number } = {}): void {
    this.#post({ type: 'control', id: ++this.#id, action, ...more });
  }

  rename(name: string): void {
    this.#post({ type: 'rename', id: ++this.#id, name });
  }

  ask(order: Order): Promise<Result> {
    const lease = order.type === 'plan' || order.type === 'watch' ? {} : { lease: this.#store.get().epoch };
    const id = ++this.#id;
    if (this.#welcomedAt === null || !this.#post({ ...order, ...lease, id } as Up)) return Promise.resolve(unheard());
    return new Promise((answer) => this.#waiting.set(id, answer));
  }

  retry(): void {
    if (this.#socket) return;
    this.#store.set({ bye: '', refused: false });
    this.#dial();
  }

  #post(message: Up): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #offer(offer: string): Promise<Result> {
    const id = ++this.#id;
    if (!this.#post({ type: 'rtc', id, offer })) return Promise.resolve(unheard());
    this.#offered = id;
    return new Promise((answer) => this.#waiting.set(id, answer));
  }

  #dial(): void {
    clearTimeout(this.#pause);
    this.#probe?.cancel();
    this.#probe = null;
    const socket = (this.#socket = new WebSocket(this.#address.socket, PROTOCOL));
    this.#seq = 0;
    this.#acked = 0;
    const patience = window.setTimeout(() => this.#drop(socket), WELCOME_WITHIN_MS);
    socket.onopen = () => {
      const { build, stopping } = this.#store.get();
      if (this.#socket !== socket) return;
      this.#post({ type: 'hello', protocol: PROTOCOL, tab: this.#address.tab, build });
      if (stopping !== null) this.#post({ type: 'stop', id: ++this.#id });
    };
    socket.onmessage = (e: MessageEvent) => {
      if (this.#socket !== socket || typeof e.data !== 'string') return;
      const message = parse(e.data);
      if (!message) return;
      if (message.type === 'welcome') {
        clearTimeout(patience);
        this.#welcome(message);
      }
      this.#receive(message);
    };
    socket.onclose = (e) => {
      clearTimeout(patience);
      this.#drop(socket, e.code === TRY_AGAIN ? e.reason : '');
    };
  }

  #welcome({ role, elsewhere, relays }: Welcome): void {
    this.#welcomedAt = now();
    this.#startClock();
    if (role === 'observer' || elsewhere !== undefined) this.#channel.close();
    else this.#channel.open(relays ?? []);
  }

  // drop forgets a connection without waiting for the browser to close it, which may take long.
  #drop(socket: WebSocket, full = ''): void {
    if (this.#socket !== socket) return;
    const welcomed = this.#welcomedAt !== null;
    this.#socket = null;
    this.#welcomedAt = null;
    clearInterval(this.#clockTimer);
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    const { stopping, bye } = this.#store.get();
    if (bye) this.#channel.close(); // otherwise it may still carry STOP, until the next welcome opens another
    for (const answer of this.#waiting.values()) answer(unheard());
    this.#waiting.clear();
    this.#store.set({
      socket: false,
      full,
      rtt: null,
      jitter: null,
      offset: null,
      offsetBound: null,
      stopping: stopping && { ...stopping, sent: false },
    });
    if (bye) return;
    if (welcomed) this.#seek();
    else {
      this.#pause = window.setTimeout(() => this.#seek(), SEEK_MS);
      void this.#askWhy();
    }
  }

  // askWhy ends the search for a robot that answers but does not let this browser in, such as one whose
  // pairing has expired, or one that refuses cookies: a browser does not tell a page why a WebSocket was
  // refused.
  async #askWhy(): Promise<void> {
    const ask = { cache: 'no-store', signal: AbortSignal.timeout(WELCOME_WITHIN_MS) } as const;
    const answer = await fetch(this.#address.robot, ask).catch(() => null);
    if (answer === null) return;
    const barred = answer.status === 401 || answer.status === 403;
    const reason = !takesCookies() ? words.banner.cookies : barred ? await answer.text().catch(() => '') : '';
    if (this.#socket !== null || reason === '') return;
    clearTimeout(this.#pause);
    this.#probe?.cancel();
    this.#probe = null;
    this.#channel.close();
    this.#store.set({ bye: reason.trim(), refused: true });
  }

  #seek(): void {
    if (this.#socket || this.#probe) return;
    const tried = () => this.#store.set({ tries: this.#store.get().tries + 1 });
    this.#probe = probe(this.#address.health, tried, () => this.#dial());
  }

  #receive(message: Down): void {
    const t = now();
    if (message.type === 'clock') {
      this.#clock.add(message.t1, message.t2, message.t3, t);
      const moves = this.#store.get().state?.twist.some((v) => Math.abs(v) > STANDS) ?? false;
      const { rtt, jitter, offset, bound } = this.#clock.round(t, !moves);
      this.#store.set({ rtt, jitter, offset, offsetBound: bound, rounds: this.#clock.history() });
      return;
    }
    if (message.type === 'result' && this.#answer(message)) return;
    const { patch, note, toast } = incoming(this.#store.get(), message, t);
    this.#store.set(patch);
    const at = message.type === 'event' && message.kind === 'log' ? message.at : undefined;
    if (note) this.#store.note(note.icon, note.text, at);
    if (toast) this.#store.toast(toast.text, toast.word);
    if (message.type === 'state') this.#ackSoon(message.n);
  }

  // answer passes a result to the order that waits for it; false: there is none. Orders that were underway
  // together and are refused for the same reason share one log line.
  #answer(result: Result): boolean {
    const id = result.id ?? 0;
    const answer = this.#waiting.get(id);
    if (!answer) return false;
    this.#waiting.delete(id);
    const { word, reason } = result;
    const told = id <= this.#refused.until && reason === this.#refused.reason;
    if (word !== 'SUCCESS' && id !== this.#offered && !told) {
      this.#refused = { reason, until: this.#id };
      this.#store.note('warn', reason);
    }
    answer(result);
    return true;
  }

  // A state is acknowledged once it is drawn; a hidden page draws nothing, and acknowledges on reception.
  #ackSoon(n: number): void {
    const ack = () => {
      const newest = this.#store.get().state?.n ?? 0;
      if (newest !== n || n - this.#acked < ACK_EACH) return;
      this.#acked = n;
      this.#post({ type: 'ack', n });
      this.#channel.ack(n);
    };
    if (document.hidden) ack();
    else requestAnimationFrame(ack);
  }

  #startClock(): void {
    this.#clock = new Clock();
    clearInterval(this.#clockTimer);
    const exchange = () => {
      const { rtt } = this.#store.get();
      this.#post({ type: 'clock', t1: now(), rtt_ms: rtt === null ? null : Math.round(rtt * 1000) });
    };
    for (let i = 0; i < BURST; i++) setTimeout(exchange, i * BURST_MS);
    this.#clockTimer = window.setInterval(exchange, CLOCK_MS);
  }

  #watch(): void {
    const t = now();
    // While the computer sleeps, the page's clock stands. The robot would take its samples for late.
    const ahead = clockAhead();
    const slept = ahead - this.#ahead > ASLEEP;
    this.#ahead = Math.max(this.#ahead, ahead);
    const m = this.#store.get();
    const { conn, silence } = contact(t, m.lastStateAt, this.#start, isBaseLost(m) ? SLOW : 0);
    if (conn !== m.conn || silence !== m.silence) this.#store.set({ conn, silence });
    this.#stops.pursue(t);
    const welcomed = this.#welcomedAt;
    if (this.#socket && welcomed !== null && (slept || (conn === 'lost' && t - welcomed > LOST_AFTER)))
      this.#drop(this.#socket);
  }
}

// clockAhead returns by how much the computer's clock is ahead of the page's, in s, or less when this page had
// to wait for the processor between the two.
function clockAhead(): number {
  return Date.now() / 1000 - now();
}

// takesCookies tries it: navigator.cookieEnabled is also true where Chromium blocks the cookies of a site.
function takesCookies(): boolean {
  const name = 'mybot-try';
  document.cookie = `${name}=1; SameSite=Strict`;
  const takes = document.cookie.includes(name);
  document.cookie = `${name}=; SameSite=Strict; Max-Age=0`;
  return takes;
}

// unheard is the result of an order without a connection.
function unheard(): Result {
  return { type: 'result', word: 'INTERRUPTED', reason: words.live.unheard };
}

function parse(text: string): Down | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null && 'type' in message ? (message as Down) : null;
  } catch {
    return null; // unknown; the silence watch notices if nothing better comes
  }
}
