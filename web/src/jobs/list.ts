// List: the cards of the steps, which can be moved by their grip, with the mouse, a finger or the arrow
// keys.
import { CardDrag } from './card-drag.ts';
import { jobs as words } from '../../strings.json';
import { type Look, titleOf } from './view.ts';
import { clone, pick, setIcon, setText, toggle, under } from '../dom.ts';
import { say } from '../words.ts';
import type { Step } from '../wire.ts';

export interface Row {
  key: number;
  step: Step;
  line: string;
  time: string;
  fault: string; // why it is impossible; empty: it is possible
  look: Look | null; // null: it is not part of the run
  fixed: boolean; // it is done or underway, so it cannot be changed
  part: number; // completed share of the current step, 0 to 1
  ok: boolean; // OK would end it
  ghost: boolean; // the virtual robot is doing it
}

export interface Acts {
  open(key: number): void; // opens or closes its editor
  move(key: number, to: number): void;
  menu(key: number, anchor: HTMLElement): void;
  light(key: number | null): void; // highlights its pin
  deed(name: 'retry' | 'skip' | 'ok'): void;
  first(): number; // number of fixed steps at the beginning
}

export const ICONS: Readonly<Record<Step['type'], string>> = {
  MOVE: 'flag',
  VOICE: 'volume-2',
  MESSAGE: 'message-square',
  WAIT: 'hourglass',
};
const LOOKS: Readonly<Record<Look, string>> = {
  todo: '',
  current: 'loader-circle',
  paused: 'pause',
  done: 'check',
  skipped: 'chevrons-right',
  failed: 'x',
  stuck: 'triangle-alert',
};
export class StepList {
  readonly #list = pick('#job-steps');
  readonly #cards = new Map<number, HTMLElement>(); // by the step's key, in the order of the rows
  readonly #acts: Acts;
  readonly #drag: CardDrag;

  constructor(acts: Acts) {
    this.#acts = acts;
    this.#drag = new CardDrag(this.#list, pick('#body'), {
      cards: () => [...this.#cards.values()],
      first: acts.first,
      move: (card, to) => acts.move(keyOf(card), to),
    });
    this.#listen();
  }

  paint(rows: readonly Row[], open: number | null, lit: number | null, may: boolean): void {
    const list = this.#list;
    const focus = list.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const gone = new Set(this.#cards.keys());
    rows.forEach((row, i) => {
      gone.delete(row.key);
      const card = this.#cards.get(row.key) ?? clone<HTMLElement>('t-step');
      this.#cards.delete(row.key);
      this.#cards.set(row.key, card);
      card.dataset['key'] = String(row.key);
      if (list.children[i] !== card) list.insertBefore(card, list.children[i] ?? null);
      toggle(card, 'open', open === row.key);
      toggle(card, 'lit', lit === row.key);
      pick('h3 button', card).setAttribute('aria-expanded', String(open === row.key));
      paintCard(card, row, i, rows.length, may);
    });
    for (const key of gone) {
      this.#cards.get(key)?.remove();
      this.#cards.delete(key);
    }
    if (focus !== null && focus !== document.activeElement && list.contains(focus)) focus.focus(); // a moved card loses the focus
  }

  cardOf(key: number | null): HTMLElement | null {
    return key === null ? null : (this.#cards.get(key) ?? null);
  }

  focus(key: number | null): void {
    const card = this.cardOf(key);
    if (card) pick('h3 button', card).focus();
    else pick('#tab-jobs').focus();
  }

  isDragging(): boolean {
    return this.#drag.isOn();
  }

  #listen(): void {
    const list = this.#list;
    const light = (e: Event) => this.#acts.light(keyUnder(e));
    list.onclick = (e) => this.#press(e);
    list.onpointerover = light;
    list.onpointerleave = () => this.#acts.light(null);
    list.addEventListener('focusin', light);
    list.addEventListener('focusout', () => this.#acts.light(null));
    list.addEventListener('keydown', (e) => {
      const key = keyUnder(e);
      const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
      const within = under(e, '.grip') !== null && !e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey;
      if (step === undefined || key === null || !within) return;
      e.preventDefault();
      this.#acts.move(key, [...this.#cards.keys()].indexOf(key) + step);
    });
  }

  #press(e: Event): void {
    const key = keyUnder(e);
    if (key === null) return;
    const more = under(e, '.more');
    const deed = under(e, '.deeds [data-do]')?.dataset['do'] as 'retry' | 'skip' | 'ok' | undefined;
    if (more) this.#acts.menu(key, more);
    else if (deed) this.#acts.deed(deed);
    else if (!under(e, '.edit') && !under(e, '.grip')) this.#acts.open(key);
  }
}

function keyOf(card: HTMLElement): number {
  return Number(card.dataset['key']);
}

function keyUnder(e: Event): number | null {
  const card = under(e, '.step');
  return card && keyOf(card);
}

// paintCard fills the card of step i of a number of steps.
function paintCard(card: HTMLElement, row: Row, i: number, of: number, may: boolean): void {
  const { step, look, fault } = row;
  card.dataset['type'] = step.type;
  card.dataset['look'] = look ?? '';
  toggle(card, 'bad', fault !== '' && look === null);
  toggle(card, 'ghost', row.ghost);
  if (look === 'current' || look === 'paused' || look === 'stuck') card.setAttribute('aria-current', 'step');
  else card.removeAttribute('aria-current');
  card.style.setProperty('--p', row.part.toFixed(3));
  setIcon(pick('.ic', card), ICONS[step.type]);
  setText(pick('.n', card), String(i + 1));
  setText(pick('.no', card), say(words.stepOf, { n: i + 1, of }));
  setText(pick('em', card), step.type);
  setText(pick('.main', card), titleOf(step));
  setText(pick('.look', card), look === null ? '' : words[look]);
  setText(pick('p', card), fault || row.line);
  paintState(card, row);
  paintButtons(card, row, i, may);
}

function paintState(card: HTMLElement, { look, fault, time }: Row): void {
  const icon = look !== null ? LOOKS[look] : fault !== '' ? 'triangle-alert' : '';
  pick('.st>svg', card).toggleAttribute('hidden', icon === '');
  if (icon !== '') setIcon(pick('.st', card), icon);
  setText(pick('.st>span', card), time);
}

function paintButtons(card: HTMLElement, row: Row, i: number, may: boolean): void {
  const mine = may && !row.fixed;
  const grip = pick<HTMLButtonElement>('.grip', card);
  grip.disabled = !mine;
  grip.setAttribute('aria-label', say(words.grip, { n: i + 1 }));
  const more = pick<HTMLButtonElement>('.more', card);
  more.hidden = !mine;
  more.setAttribute('aria-label', say(words.stepMore, { n: i + 1 }));
  const deeds = pick('.deeds', card);
  deeds.hidden = !may || !(row.look === 'stuck' || row.ok);
  for (const b of deeds.querySelectorAll<HTMLElement>('button')) b.hidden = (b.dataset['do'] === 'ok') !== row.ok;
}
