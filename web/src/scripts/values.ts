// The values that a person watches, each with its last minute.
import { make } from './make.ts';
import { drawn, MAX_WATCHED, valueText } from './watch.ts';
import type { Watching } from './watching.ts';
import type { Word } from './api.ts';
import { scriptLive as words } from '../../strings.json';
import { hide, setText } from '../dom.ts';
import { say } from '../words.ts';

const WIDTH = 120;
const HEIGHT = 26;
const SVG = 'http://www.w3.org/2000/svg';

interface Row {
  of: string;
  li: HTMLLIElement;
  value: HTMLElement;
  fault: HTMLElement;
  svg: SVGSVGElement;
  path: SVGPathElement;
}

export class ValuesPanel {
  readonly root: HTMLElement;
  readonly #watching: Watching;
  readonly #list = make('ul', { class: 'values', 'aria-label': words.valuesTitle });
  readonly #none = make('p', { class: 'dim' }, words.noValues);
  readonly #known = make('datalist', { id: 'scripts-known' });
  readonly #field = make('input', {
    type: 'text',
    list: 'scripts-known',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: '200',
    'aria-label': words.watchWhat,
    placeholder: words.watchExample,
  });
  readonly #add = make('button', { class: 'btn sm', type: 'submit', icon: 'plus' }, words.watchIt);
  readonly #says = make('p', { class: 'says bad', role: 'alert', hidden: '' });
  #rows: Row[] = [];

  // known returns words for completion.
  constructor(watching: Watching, known: () => Promise<readonly Word[]>) {
    this.#watching = watching;
    const form = make('form', { class: 'row' }, this.#field, this.#add);
    form.onsubmit = (e) => {
      e.preventDefault();
      void this.#submit();
    };
    this.#field.onfocus = () => void this.#complete(known);
    this.root = make(
      'section',
      { class: 'watched', 'aria-label': words.valuesTitle },
      make('h3', { class: 'h' }, words.valuesTitle),
      this.#none,
      this.#list,
      form,
      this.#known,
      this.#says,
    );
    this.paint();
  }

  async #complete(known: () => Promise<readonly Word[]>): Promise<void> {
    const devices = (await known()).filter((w) => w.kind === 'device');
    this.#known.replaceChildren(...devices.map((w) => make('option', { value: w.word }, w.detail)));
  }

  // submit leaves the field to what is typed next. What was refused comes back, unless something was typed meanwhile.
  async #submit(): Promise<void> {
    const typed = this.#field.value;
    this.#field.value = '';
    const reason = await this.#watching.add(typed);
    setText(this.#says, reason);
    hide(this.#says, reason === '');
    this.#field.setAttribute('aria-invalid', String(reason !== ''));
    if (reason !== '' && this.#field.value === '') this.#field.value = typed;
  }

  // paint shows the newest values.
  paint(): void {
    const list = this.#watching.list();
    if (list.length !== this.#rows.length || list.some((of, i) => this.#rows[i]?.of !== of)) this.#lay(list);
    hide(this.#none, list.length > 0);
    const full = list.length >= MAX_WATCHED;
    this.#field.disabled = this.#add.disabled = full;
    this.#field.placeholder = full ? say(words.valuesFull, { n: MAX_WATCHED }) : words.watchExample;
    for (const row of this.#rows) this.#paintRow(row);
  }

  #paintRow({ of, value, fault, svg, path }: Row): void {
    const v = this.#watching.value(of);
    setText(value, v === undefined ? '' : valueText(v));
    setText(fault, v?.fault ?? '');
    hide(fault, v?.fault === undefined);
    const curve = drawn(this.#watching.curves.of(of), this.#watching.time(), WIDTH, HEIGHT);
    svg.toggleAttribute('hidden', curve === null);
    if (curve === null) return;
    path.setAttribute('d', curve.path);
    const round = (x: number) => String(Number(x.toPrecision(4)));
    svg.setAttribute('aria-label', say(words.curveLabel, { of, least: round(curve.least), most: round(curve.most) }));
  }

  // lay updates the rows; those that remain keep the focus.
  #lay(list: readonly string[]): void {
    this.#rows = list.map((of) => this.#rows.find((r) => r.of === of) ?? this.#rowOf(of));
    this.#list.replaceChildren(...this.#rows.map((r) => r.li));
  }

  #rowOf(of: string): Row {
    const value = make('b', {});
    const fault = make('span', { class: 'dim fault', hidden: '' });
    const svg = document.createElementNS(SVG, 'svg');
    const path = document.createElementNS(SVG, 'path');
    svg.setAttribute('class', 'curve');
    svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    svg.append(path);
    const label = say(words.unwatch, { of });
    const drop = make('button', { class: 'ib', type: 'button', icon: 'x', 'aria-label': label, title: label });
    drop.onclick = () => {
      const at = this.#rows.findIndex((r) => r.of === of);
      this.#watching.remove(of);
      const next = this.#rows[Math.min(at, this.#rows.length - 1)]?.li.querySelector('button');
      (next ?? this.#field).focus();
    };
    const li = make('li', {}, make('code', {}, of), value, svg, fault, drop);
    return { of, li, value, fault, svg, path };
  }
}
