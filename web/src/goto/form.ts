// Form: a person types a goal or a position as numbers.
import { type Choice, headingOf } from './choice.ts';
import { poseOf } from './numbers.ts';
import { poseText } from './view.ts';
import { pick } from '../dom.ts';
import type { Voice } from '../live.ts';
import type { Stage } from '../map/stage.ts';
import type { Store } from '../store.ts';

export class Form {
  readonly element = pick<HTMLFormElement>('#draft');
  readonly #fields = ['#draft-x', '#draft-y', '#draft-deg'].map((s) => pick<HTMLInputElement>(s));
  readonly #store: Store;
  readonly #stage: Stage;
  readonly #voice: Voice;
  readonly #choice: Choice;
  readonly #changed: () => void;
  #fault = ''; // what is wrong with the typed numbers

  // changed is called when another fault is to be shown.
  constructor(store: Store, stage: Stage, voice: Voice, choice: Choice, changed: () => void) {
    this.#store = store;
    this.#stage = stage;
    this.#voice = voice;
    this.#choice = choice;
    this.#changed = changed;
    this.element.onsubmit = (e) => {
      e.preventDefault();
      if (!this.#read()) choice.accept();
    };
    for (const field of this.#fields) {
      field.onchange = () => this.#read();
      field.oninput = () => this.#blame('');
    }
  }

  fault(): string {
    return this.#fault;
  }

  forgive(): void {
    this.#fault = '';
  }

  focus(): void {
    this.#fields[0]?.focus();
  }

  // read chooses the pose in the fields if it differs from the chosen one. It reports whether it did, or
  // could not.
  #read(): boolean {
    const m = this.#store.get();
    const [x, y, deg] = this.#fields.map((f) => f.value) as [string, string, string];
    if (m.draft === null && (x.trim() === '' || y.trim() === '')) return true; // the numbers are incomplete
    const pose = poseOf(x, y, deg, headingOf(m));
    this.#blame(typeof pose === 'string' ? pose : '');
    if (typeof pose === 'string') return true;
    if (m.draft !== null && poseText(m.draft.pose) === poseText(pose)) return false;
    this.#choice.decide(pose);
    this.#stage.reveal([pose[0], pose[1]]);
    return true;
  }

  #blame(text: string): void {
    if (this.#fault === text) return;
    this.#fault = text;
    if (text !== '') this.#voice.say(text);
    this.#changed();
  }
}
