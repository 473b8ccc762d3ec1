// ItemForm: the name, the numbers and the directions of the chosen item.
import { type Item, moveTo, pointOf, rename, setWay, type Sketch, turnTo, type Way, wayOf } from './sketch.ts';
import type { SketchState } from './sketch-state.ts';
import { nameOfVia, titleOf } from './texts.ts';
import { mapedit as words } from '../../strings.json';
import { pick, setText } from '../dom.ts';
import { say } from '../words.ts';
import { wrap } from '../virtualrobot/step.ts';

export class ItemForm {
  readonly #state: SketchState;
  readonly #form = pick<HTMLFormElement>('#mapedit-item');
  readonly #name = pick<HTMLInputElement>('#mapedit-name');
  readonly #numbers = ['#mapedit-x', '#mapedit-y', '#mapedit-deg'].map((q) => pick<HTMLInputElement>(q));
  readonly #way = pick<HTMLSelectElement>('#mapedit-way');

  constructor(state: SketchState) {
    this.#state = state;
    this.#form.onsubmit = (e) => e.preventDefault();
    this.#name.onchange = () => {
      const item = state.chosen;
      if (item !== null) state.change(rename(state.now(), item, this.#name.value.trim()));
    };
    for (const field of this.#numbers) field.onchange = () => this.#read();
    this.#way.onchange = () => {
      const item = state.chosen;
      if (item?.kind === 'edge') state.change(setWay(state.now(), item.ends, this.#way.value as Way));
    };
  }

  paint(s: Sketch, item: Item | null): void {
    this.#form.hidden = item === null;
    if (item === null) return;
    const edge = item.kind === 'edge';
    const place = item.kind === 'place' ? s.places[item.n] : undefined;
    setText(pick('#mapedit-kind'), titleOf(s, item));
    const name = item.kind === 'via' ? s.via.find((v) => v.id === item.id)?.name : place?.name;
    fill(this.#name, name ?? '', edge);
    const [x, y] = pointOf(s, item) ?? [0, 0];
    const degrees = ((place?.pose[2] ?? 0) * 180) / Math.PI;
    const values = [x.toFixed(2), y.toFixed(2), place ? String(Math.round(degrees * 100) / 100) : ''];
    this.#numbers.forEach((field, i) => fill(field, values[i] ?? '', edge || (i === 2 && !place)));
    this.#way.closest('label')!.hidden = !edge;
    if (!edge) return;
    const [a, b] = item.ends.map((id) => nameOfVia(s, id)) as [string, string];
    setText(pick('[value=forth]', this.#way), say(words.oneWay, { from: a, to: b }));
    setText(pick('[value=back]', this.#way), say(words.oneWay, { from: b, to: a }));
    this.#way.value = wayOf(s, item.ends) ?? 'both';
  }

  #read(): void {
    const item = this.#state.chosen;
    if (item === null || item.kind === 'edge') return;
    const typed = (f: HTMLInputElement) => Number(f.value.trim().replace(',', '.').replace('−', '-') || NaN);
    const [x, y, degrees] = this.#numbers.map(typed) as [number, number, number];
    if (![x, y, item.kind === 'place' ? degrees : 0].every(Number.isFinite)) this.#state.blame(words.numbers);
    else this.#state.change(turnTo(moveTo(this.#state.now(), item, [x, y]), item, wrap((degrees * Math.PI) / 180)));
  }
}

// fill does not change a field that a person types into.
function fill(field: HTMLInputElement, value: string, hidden: boolean): void {
  field.closest('label')!.hidden = hidden;
  if (document.activeElement !== field) field.value = value;
}
