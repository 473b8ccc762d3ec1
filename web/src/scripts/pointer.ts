// The value of the name under the pointer, and of the one at the caret, which touch and screen readers have too.
import type { Word } from './api.ts';
import type { ValueSource } from './liveview.ts';
import { make } from './make.ts';
import { valueAt, valueText } from './watch.ts';
import type { Watching } from './watching.ts';
import { scriptLive as words } from '../../strings.json';
import { hide, setText } from '../dom.ts';
import type { Voice } from '../live.ts';
import { say } from '../words.ts';

const REST_MS = 800; // after which the value at the caret is announced

export class PointerValues implements ValueSource {
  readonly root: HTMLElement;
  readonly #watching: Watching;
  readonly #voice: Voice;
  readonly #unit: () => string;
  readonly #says = make('span', {});
  readonly #watch = make('button', { class: 'btn sm ghost', type: 'button', icon: 'plus' }, words.watchIt);
  readonly #listeners = new Set<() => void>();
  #words: readonly Word[] = [];
  #caret: string | null = null;
  #timer = 0;
  #announce = false;

  // unit is the id of the script that is open.
  constructor(watching: Watching, known: () => Promise<readonly Word[]>, voice: Voice, unit: () => string) {
    this.#watching = watching;
    this.#voice = voice;
    this.#unit = unit;
    this.root = make('div', { class: 'row caret', role: 'group', 'aria-label': words.caretLabel }, this.#says);
    this.root.append(make('span', { class: 'grow' }), this.#watch);
    this.#watch.onclick = () => {
      if (this.#caret !== null) this.add(this.#caret);
    };
    void known().then((all) => (this.#words = all));
    this.paint();
  }

  find(line: string, column: number): { from: number; to: number; of: string } | null {
    return valueAt(line, column, this.#unit(), this.#words);
  }

  point(of: string | null): void {
    this.#watching.look('pointer', of);
  }

  caret(line: string, column: number): void {
    const of = this.find(line, column)?.of ?? null;
    if (of === this.#caret) return;
    this.leave();
    this.#caret = of;
    this.#watching.look('caret', of);
    if (of !== null) this.#timer = window.setTimeout(() => this.#rest(), REST_MS);
    this.paint();
  }

  // leave forgets the caret: the person is elsewhere.
  leave(): void {
    clearTimeout(this.#timer);
    this.#announce = false;
    this.#caret = null;
    this.#watching.look('caret', null);
    this.paint();
  }

  #rest(): void {
    this.#announce = true;
    this.paint();
  }

  text(of: string): string {
    const v = this.#watching.value(of);
    if (v === undefined) return of;
    return v.fault ?? say(words.caretNow, { of, value: valueText(v) });
  }

  add(of: string): void {
    void this.#watching.add(of);
  }

  changed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // paint shows the newest values.
  paint(): void {
    const of = this.#caret;
    setText(this.#says, of === null ? words.caretNone : this.text(of));
    hide(this.#watch, of === null || this.#watching.list().includes(of));
    if (this.#announce && of !== null && this.#watching.value(of) !== undefined) {
      this.#announce = false;
      this.#voice.say(this.text(of));
    }
    for (const listener of this.#listeners) listener();
  }
}
