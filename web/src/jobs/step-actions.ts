// StepActions: a person's edits of the steps: add, move, delete, copy, and undo.
import type { Deleted } from './deleted.ts';
import { blank, type History, insert, move, placeOf, redo, remove, undo } from './draft.ts';
import type { EditorState } from './editor-state.ts';
import { ICONS, type StepList } from './list.ts';
import type { Menu } from './menu.ts';
import { jobs as words } from '../../strings.json';
import type { Voice } from '../live.ts';
import { say } from '../words.ts';
import type { Step } from '../wire.ts';

export interface Parts {
  editorState: EditorState;
  list: StepList;
  menu: Menu;
  deleted: Deleted;
  voice: Voice;
  show(key: number): void; // opens the card of a step
}

export class StepActions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  stepOf(key: number | null): Step | undefined {
    const now = this.#parts.editorState.now();
    return now.cards[placeOf(now, key)]?.step;
  }

  readonly undo = (): void => this.#travel(undo, words.undone);
  readonly redo = (): void => this.#travel(redo, words.redone);

  #travel(way: (h: History) => History, told: string): void {
    if (!this.#parts.editorState.travel(way)) return;
    this.#parts.deleted.hide();
    this.#parts.voice.say(told);
  }

  add(step: Step, at = this.#parts.editorState.now().cards.length, spoken = true): void {
    const { editorState, show, voice } = this.#parts;
    const place = Math.max(at, editorState.fixed());
    const { doc, key } = insert(editorState.now(), place, step);
    editorState.change(doc);
    if (placeOf(editorState.now(), key) < 0) return;
    show(key);
    if (spoken) voice.say(say(words.added, { n: place + 1, type: step.type }));
  }

  // copy adds an equal step after it; false: this person may not.
  copy(key: number): boolean {
    const { editorState } = this.#parts;
    const step = this.stepOf(key);
    if (step === undefined || !editorState.may()) return false;
    this.add(step, placeOf(editorState.now(), key) + 1, false);
    return true;
  }

  moveTo(key: number, to: number): void {
    const { editorState, list, voice } = this.#parts;
    const i = placeOf(editorState.now(), key);
    const n = editorState.now().cards.length;
    const at = Math.max(editorState.fixed(), Math.min(n - 1, to));
    if (!editorState.may() || i < editorState.fixed() || at === i) return;
    editorState.change(move(editorState.now(), key, at));
    voice.say(say(words.moved, { n: at + 1, of: n }));
    list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
  }

  // moveBy moves a step by a number of places.
  moveBy(key: number, by: number): void {
    this.moveTo(key, placeOf(this.#parts.editorState.now(), key) + by);
  }

  delete(key: number): void {
    const { editorState, list, deleted } = this.#parts;
    const { cards } = editorState.now();
    const i = placeOf(editorState.now(), key);
    if (!editorState.may() || i < editorState.fixed()) return;
    const next = cards[i + 1] ?? cards[i - 1];
    const within = list.cardOf(key)?.contains(document.activeElement);
    editorState.change(remove(editorState.now(), key));
    deleted.offer(say(words.deleted, { n: i + 1 }), true, this.undo);
    if (within) list.focus(next?.key ?? null);
  }

  clear(): void {
    const { editorState, deleted } = this.#parts;
    editorState.change({ ...editorState.now(), cards: [] });
    deleted.offer(words.cleared, true, this.undo);
  }

  openMenu(key: number, anchor: HTMLElement): void {
    const { editorState, list, menu, show } = this.#parts;
    const i = placeOf(editorState.now(), key);
    const last = editorState.now().cards.length - 1;
    if (i < 0 || !editorState.may()) return;
    const insertHere = () =>
      this.openAddMenu(list.cardOf(key)?.querySelector('.more') ?? anchor, say(words.insertTitle, { n: i + 1 }), i);
    const up = { icon: 'chevron-up', text: words.stepUp, keys: 'Alt ↑', off: i <= editorState.fixed() };
    const down = { icon: 'chevron-down', text: words.stepDown, keys: 'Alt ↓', off: i >= last };
    menu(anchor, say(words.stepMore, { n: i + 1 }), [
      { icon: 'pencil', text: words.stepEdit, act: () => show(key) },
      { icon: 'copy', text: words.stepDuplicate, keys: 'Ctrl D', act: () => this.copy(key) },
      { icon: 'plus', text: words.stepInsert, act: insertHere },
      { ...up, act: () => this.moveTo(key, i - 1) },
      { ...down, act: () => this.moveTo(key, i + 1) },
      { icon: 'trash-2', text: words.stepDelete, keys: 'Del', act: () => this.delete(key) },
    ]);
  }

  // openAddMenu asks which step to add, at a place or at the end.
  openAddMenu(anchor: HTMLElement, title: string, at?: number): void {
    const types = Object.keys(ICONS) as Step['type'][];
    this.#parts.menu(
      anchor,
      title,
      types.map((type) => ({ icon: ICONS[type], text: type, act: () => this.add(blank(type), at) })),
    );
  }
}
