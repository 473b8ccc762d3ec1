// Edits of the draft that the robot has not answered yet. It gets one at a time, in their order.
import { type Edit, replaces } from './draft.ts';
import { mapping as words } from '../../strings.json';
import { say } from '../words.ts';

export class Edits {
  readonly #send: (edit: Edit) => Promise<string>; // returns why the robot refuses; empty: it does not
  readonly #refused: (why: string) => void;
  #waiting: { edit: Edit; title: string }[] = [];
  #all: Promise<string> | null = null; // settles with the last answer

  constructor(send: (edit: Edit) => Promise<string>, refused: (why: string) => void) {
    this.#send = send;
    this.#refused = refused;
  }

  get underway(): boolean {
    return this.#all !== null;
  }

  // waiting: others follow the edit that is underway.
  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  // add sends an edit. Of several that wait and move the same item, the last one counts.
  add(edit: Edit, title: string): void {
    this.#waiting = [...this.#waiting.filter((w) => !replaces(edit, w.edit)), { edit, title }];
    this.#all ??= this.#sendAll();
  }

  // settled waits until the robot has answered all edits. It returns why one was refused, and what was not
  // done; empty: the robot has all of them.
  async settled(): Promise<string> {
    return (await this.#all) ?? '';
  }

  // drop drops the edits that wait, and returns a sentence that names them; empty: there are none.
  drop(...refused: string[]): string {
    const edits = [...refused, ...this.#waiting.map(({ title }) => title)].join('; ');
    this.#waiting = [];
    return edits && say(words.notDone, { edits });
  }

  // sendAll drops all edits after a refused one, because they may build on it.
  async #sendAll(): Promise<string> {
    let why = '';
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const refused = await this.#send(next.edit);
      if (refused !== '') why = `${refused} ${this.drop(next.title)}`;
    }
    this.#all = null;
    if (why !== '') this.#refused(why);
    return why;
  }
}
