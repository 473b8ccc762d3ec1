// StopDelivery sends STOP to the robot over every open channel, repeatedly until the robot has confirmed
// it, also by a page that is reloaded meanwhile.
import type { Channel } from './channel.ts';
import { nameOf, now, type Store } from '../store.ts';
import { readTabItem, saveTabItem } from '../tab-storage.ts';

const CONFIRM_WITHIN = 1; // s plus a round trip, within which a STOP should be confirmed
const AGAIN = 1; // s before it is sent again
const PATIENCE_MS = 3000; // of a request that carries it
const KEY = 'mybot.stop'; // when STOP was pressed that is not confirmed, ms on the wall clock
const KEPT_MS = 600_000; // a tab that is restored the next day stops no one

export class StopDelivery {
  readonly #store: Store;
  readonly #url: string;
  readonly #channel: Channel;
  readonly #nextId: () => number;
  #sentAt = -Infinity; // page time

  constructor(store: Store, url: string, channel: Channel, nextId: () => number) {
    this.#store = store;
    this.#url = url;
    this.#channel = channel;
    this.#nextId = nextId;
    const age = Date.now() - Number(readTabItem(KEY));
    if (age < KEPT_MS) store.set({ stopping: { at: now() - age / 1000, sent: false } });
    store.subscribe(({ stopping }, before) => {
      if (!stopping !== !before.stopping) saveTabItem(KEY, stopping && Date.now());
    });
  }

  // send sends STOP by the data channel and by a request, which does not depend on an existing connection.
  send(): void {
    this.#sentAt = now();
    this.#channel.stop(this.#nextId());
    fetch(this.#url, { method: 'POST', keepalive: true, signal: AbortSignal.timeout(PATIENCE_MS) })
      .then((answer) => {
        if (answer.ok) this.confirm();
      })
      .catch(() => undefined); // it will be sent again
  }

  // confirm: the robot has this page's STOP, even if older states are still on their way.
  confirm(): void {
    const m = this.#store.get();
    if (m.stopping === null) return;
    const age = m.lastStateAt === null ? 0 : now() - m.lastStateAt;
    const at = m.state === null ? new Date() : new Date(Date.parse(m.state.at) + age * 1000);
    const stop = { by: nameOf(m, m.you), id: m.you ?? 0, at: at.toISOString() };
    this.#store.set({ stop, stopping: null, stopSaidAt: at.getTime() });
  }

  // pursue repeats STOP until it is confirmed, and notes when a confirmation is overdue.
  pursue(t: number): void {
    const { stopping, rtt, conn } = this.#store.get();
    if (stopping === null) return;
    const overdue = conn === 'lost' || t - stopping.at > CONFIRM_WITHIN + (rtt ?? 0);
    if (stopping.sent && overdue) this.#store.set({ stopping: { ...stopping, sent: false } });
    if (t - this.#sentAt >= AGAIN) this.send();
  }
}
