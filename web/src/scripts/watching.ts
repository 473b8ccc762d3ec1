// Watching: what this page asks the robot to evaluate, and what came of it. The robot does so only while the tab is shown.
import { Curves, loadWatched, MAX_WATCHED, saveWatched } from './watch.ts';
import type { Context } from '../context.ts';
import { isTaken } from '../result.ts';
import type { Model } from '../store.ts';
import type { Result, WatchedValue } from '../wire.ts';

const EACH_MS = 250; // between two lists

// Slot is what a person looks at for a moment.
export type Slot = 'pointer' | 'caret';

export class Watching {
  readonly curves = new Curves();
  readonly #context: Context;
  readonly #tell: (text: string) => void;
  readonly #changed: () => void;
  readonly #slots = new Map<Slot, string>();
  readonly #values = new Map<string, WatchedValue>();
  #watched: string[] = loadWatched();
  #time = 0; // of the newest values, robot's clock
  #sent = '[]'; // the list that the robot has
  #timer = 0;

  // tell gets why the robot refuses the list; changed is called when there are new values.
  constructor(context: Context, tell: (text: string) => void, changed: () => void) {
    this.#context = context;
    this.#tell = tell;
    this.#changed = changed;
    context.store.subscribe((m, before) => {
      if (!reaches(m) && reaches(before)) this.#sent = '[]'; // it has forgotten the list
      if (m.socket !== before.socket || m.elsewhere !== before.elsewhere || m.tab !== before.tab) this.#later();
      if (m.values !== before.values && m.values !== null) this.#take(m.values);
    });
    document.addEventListener('visibilitychange', () => this.#later());
    this.#later();
  }

  list(): readonly string[] {
    return this.#watched;
  }

  time(): number {
    return this.#time;
  }

  value(of: string): WatchedValue | undefined {
    return this.#values.get(of);
  }

  // add returns why a value is not watched; empty: it is.
  async add(of: string): Promise<string> {
    const text = of.trim();
    if (text === '' || this.#watched.includes(text) || this.#watched.length >= MAX_WATCHED) return '';
    const { word, reason } = await this.#send([...this.#watched, text]);
    if (!isTaken({ word })) return reason;
    this.#set([...this.#watched, text]);
    return '';
  }

  remove(of: string): void {
    this.#set(this.#watched.filter((x) => x !== of));
  }

  // look watches a value for a moment; null: none.
  look(slot: Slot, of: string | null): void {
    if (of === (this.#slots.get(slot) ?? null)) return;
    if (of === null) this.#slots.delete(slot);
    else this.#slots.set(slot, of);
    this.#later();
  }

  #set(watched: string[]): void {
    this.#watched = watched;
    saveWatched(watched);
    this.curves.keep(watched);
    this.#later();
    this.#changed();
  }

  #take({ t, values }: { t: number; values: WatchedValue[] }): void {
    this.#time = t;
    this.#values.clear();
    for (const v of values) this.#values.set(v.of, v);
    this.curves.add(
      t,
      values.filter((v) => this.#watched.includes(v.of)),
    );
    this.#changed();
  }

  #later(): void {
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      void this.#update();
    }, EACH_MS);
  }

  async #update(): Promise<void> {
    if (!reaches(this.#context.store.get())) return;
    const { word, reason } = await this.#send(this.#watched);
    if (word === 'BUSY') this.#later();
    else if (word !== 'INTERRUPTED' && !isTaken({ word })) this.#tell(reason);
  }

  // send tells the robot the list, and what the person looks at.
  async #send(watched: readonly string[]): Promise<Pick<Result, 'word' | 'reason'>> {
    const shown = this.#context.store.get().tab === 'scripts' && !document.hidden;
    const values = shown ? [...new Set([...watched, ...this.#slots.values()])] : [];
    const text = JSON.stringify(values);
    if (text === this.#sent) return { word: 'SUCCESS', reason: '' };
    const answer = await this.#context.link.ask({ type: 'watch', values });
    if (isTaken(answer)) this.#sent = text;
    return answer;
  }
}

const reaches = (m: Readonly<Model>): boolean => m.socket && !m.elsewhere;
