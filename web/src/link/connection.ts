// The one connection to the robot: hello, clock exchange, acknowledgements, drive samples, and coming back.
import { nameOf, now, type Store } from '../store.ts';
import { words } from '../words.ts';
import { VALID } from '../virtualrobot/virtual.ts';
import { PROTOCOL, type Down, type Result, type Up } from '../wire.ts';
import { mountChannel } from './channel.ts';
import { Clock } from './clock.ts';
import { incoming } from './incoming.ts';
import type { Link } from './index.ts';
import { probe, type Probe } from './probe.ts';
import { contact, LOST_AFTER } from './silence.ts';

export interface Address {
  socket: string;
  health: string;
  stop: string;
  tab: string; // random word of this tab
}

const STANDS = 0.01; // m/s and rad/s; slower is standing
const WELCOME_WITHIN_MS = 3000;
const WATCH_MS = 100;
const CLOCK_MS = 1000;
const BURST = 8;
const BURST_MS = 50;
const CONFIRM_WITHIN = 1; // s and a round trip, which a STOP has to be confirmed
const STOP_AGAIN = 1; // s until it is sent again
const STOP_PATIENCE_MS = 3000; // of one request that carries it
const CLOGGED = 8192; // bytes waiting in the browser: the way is shut, do not queue old samples

// connect dials at once and keeps the store informed for as long as the page lives.
export function connect(store: Store, address: Address): Link {
  const start = now();
  let socket: WebSocket | null = null;
  let welcomedAt: number | null = null;
  let seeking: Probe | null = null;
  let pause = 0;
  let clock = new Clock();
  let clockTimer = 0;
  let acked = 0;
  let seq = 0;
  let id = 0;
  let stopTried = -Infinity; // when STOP was last sent
  const waiting = new Map<number, (answer: Result) => void>(); // orders without an answer, by id

  const post = (message: Up): boolean => {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  };

  let offered = 0; // id of the newest offer
  const channel = mountChannel(
    (offer) => {
      if (!post({ type: 'rtc', id: ++id, offer })) return Promise.resolve(unheard());
      offered = id;
      return new Promise((answer) => waiting.set(offered, answer));
    },
    (rtt) => store.set({ channel: rtt }),
    () => confirmed(),
  );

  // sendStop sends STOP by every way that may be open. A request needs no connection that was there before.
  const sendStop = (): void => {
    stopTried = now();
    channel.stop(++id);
    fetch(address.stop, { method: 'POST', keepalive: true, signal: AbortSignal.timeout(STOP_PATIENCE_MS) })
      .then((answer) => {
        if (answer.ok) confirmed();
      })
      .catch(() => undefined); // it is sent again
  };

  // confirmed: the robot has the STOP of this page, whatever states are still on their way from before.
  const confirmed = (): void => {
    const m = store.get();
    if (m.stopping === null) return;
    const age = m.lastStateAt === null ? 0 : now() - m.lastStateAt;
    const at = m.state === null ? new Date() : new Date(Date.parse(m.state.at) + age * 1000);
    store.set({
      stop: { by: nameOf(m, m.you), id: m.you ?? 0, at: at.toISOString() },
      stopping: null,
      stopSaidAt: at.getTime(),
    });
  };

  // pursueStop sends STOP again until it is confirmed, and says when a confirmation is overdue.
  const pursueStop = (t: number): void => {
    const { stopping, rtt, conn } = store.get();
    if (stopping === null) return;
    if (stopping.sent && (conn === 'lost' || t - stopping.at > CONFIRM_WITHIN + (rtt ?? 0)))
      store.set({ stopping: { ...stopping, sent: false } });
    if (t - stopTried >= STOP_AGAIN) sendStop();
  };

  const dial = () => {
    clearTimeout(pause);
    seeking?.cancel();
    seeking = null;
    const mine = new WebSocket(address.socket, PROTOCOL);
    socket = mine;
    seq = 0;
    acked = 0;
    const patience = window.setTimeout(() => drop(mine), WELCOME_WITHIN_MS);
    mine.onopen = () => {
      if (socket !== mine) return;
      post({ type: 'hello', protocol: PROTOCOL, tab: address.tab, build: store.get().build });
      if (store.get().stopping !== null) post({ type: 'stop', id: ++id });
    };
    mine.onmessage = (e: MessageEvent) => {
      if (socket !== mine || typeof e.data !== 'string') return;
      const message = parse(e.data);
      if (!message) return;
      if (message.type === 'welcome') {
        clearTimeout(patience);
        welcomedAt = now();
        startClock();
        if (message.role === 'observer' || message.elsewhere !== undefined) channel.close();
        else channel.open(message.relays ?? []);
      }
      receive(message);
    };
    mine.onclose = () => {
      clearTimeout(patience);
      drop(mine);
    };
  };

  // drop forgets a connection. A browser may take long to close it; nobody waits for that.
  const drop = (which: WebSocket) => {
    if (socket !== which) return;
    const wasWelcome = welcomedAt !== null;
    socket = null;
    welcomedAt = null;
    clearInterval(clockTimer);
    which.onopen = which.onmessage = which.onclose = null;
    which.close();
    const { stopping, bye } = store.get();
    if (bye) channel.close(); // else it may still carry STOP, until the next welcome opens another
    for (const answer of waiting.values()) answer(unheard());
    waiting.clear();
    store.set({
      socket: false,
      rtt: null,
      jitter: null,
      offset: null,
      offsetBound: null,
      stopping: stopping && { ...stopping, sent: false },
    });
    if (bye) return;
    if (wasWelcome) seek();
    else pause = window.setTimeout(seek, 600);
  };

  const seek = () => {
    if (socket || seeking) return;
    seeking = probe(address.health, () => store.set({ tries: store.get().tries + 1 }), dial);
  };

  const receive = (message: Down) => {
    const t = now();
    if (message.type === 'clock') {
      clock.add(message.t1, message.t2, message.t3, t);
      const { rtt, jitter, offset, bound } = clock.round(
        t,
        !(store.get().state?.twist.some((v) => Math.abs(v) > STANDS) ?? false),
      );
      store.set({ rtt, jitter, offset, offsetBound: bound, rounds: clock.history() });
      return;
    }
    if (message.type === 'result' && message.id !== undefined) {
      const answer = waiting.get(message.id);
      waiting.delete(message.id);
      if (answer) {
        if (message.word !== 'SUCCESS' && message.id !== offered) store.note('warn', message.reason);
        answer(message);
        return;
      }
    }
    const news = incoming(store.get(), message, t);
    store.set(news.patch);
    if (news.note)
      store.note(
        news.note.icon,
        news.note.text,
        message.type === 'event' && message.kind === 'log' ? message.at : undefined,
      );
    if (news.toast) store.toast(news.toast.text, news.toast.word);
    if (message.type === 'state') ackSoon(message.n);
  };

  // A state is acknowledged when it was drawn; a hidden page draws nothing and has read it all the same. Every third one
  // is enough, for an acknowledgement counts for those before it too.
  const ackSoon = (n: number) => {
    const ack = () => {
      const newest = store.get().state?.n ?? 0;
      if (newest !== n || n - acked < 3) return;
      acked = n;
      post({ type: 'ack', n });
      channel.ack(n);
    };
    if (document.hidden) ack();
    else requestAnimationFrame(ack);
  };

  const startClock = () => {
    clock = new Clock();
    clearInterval(clockTimer);
    const exchange = () => {
      const { rtt } = store.get();
      post({ type: 'clock', t1: now(), rtt_ms: rtt === null ? null : Math.round(rtt * 1000) });
    };
    for (let i = 0; i < BURST; i++) setTimeout(exchange, i * BURST_MS);
    clockTimer = window.setInterval(exchange, CLOCK_MS);
  };

  const watch = () => {
    const t = now();
    const m = store.get();
    const { conn, silence } = contact(t, m.lastStateAt, start);
    if (conn !== m.conn || silence !== m.silence) store.set({ conn, silence });
    pursueStop(t);
    if (conn === 'lost' && socket && welcomedAt !== null && t - welcomedAt > LOST_AFTER) drop(socket);
  };

  dial();
  setInterval(watch, WATCH_MS);

  return {
    sendDrive(v, w, virtual) {
      if (welcomedAt === null || socket?.readyState !== WebSocket.OPEN) return null;
      const clogged = socket.bufferedAmount > CLOGGED && (v !== 0 || w !== 0);
      const m = store.get();
      if (clogged && m.channel === null) return null;
      const sample = {
        type: 'drive' as const,
        lease: m.epoch,
        hold: m.hold,
        seq: ++seq,
        t: now(),
        v,
        w,
        valid: VALID,
        ...virtual,
      };
      if (!clogged) post(sample);
      channel.drive(sample);
      return seq;
    },
    stop() {
      const sent = post({ type: 'stop', id: ++id }); // before anything else
      sendStop();
      const { stopping, conn } = store.get();
      store.set({ stopping: stopping ?? { at: now(), sent: sent && conn !== 'lost' } });
    },
    unstop() {
      post({ type: 'unstop', id: ++id, lease: store.get().epoch });
    },
    control(action, more = {}) {
      post({ type: 'control', id: ++id, action, ...more });
    },
    rename(name) {
      post({ type: 'rename', id: ++id, name });
    },
    ask(order) {
      const lease = order.type === 'plan' ? {} : { lease: store.get().epoch };
      if (welcomedAt === null || !post({ ...order, ...lease, id: ++id } as Up)) return Promise.resolve(unheard());
      return new Promise((answer) => waiting.set(id, answer));
    },
    retry() {
      if (socket) return;
      store.set({ bye: '' });
      dial();
    },
  };
}

// unheard is what an order comes to without a connection.
function unheard(): Result {
  return { type: 'result', word: 'INTERRUPTED', reason: words.live.unheard };
}

function parse(text: string): Down | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null && 'type' in message ? (message as Down) : null;
  } catch {
    return null; // not ours; the silence watch sees it when nothing better comes
  }
}
