// List: the cards of the steps. They are moved by their grip, with the mouse, a finger or the arrow keys.
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
  fault: string; // why it cannot be done; empty: it can
  look: Look | null; // null: nothing of it is run
  fixed: boolean; // it is done or under way: it stays as it is
  part: number; // done of the current step, 0 to 1
  ok: boolean; // OK would end it
  ghost: boolean; // the virtual robot is doing it
}

export interface Acts {
  open(key: number): void; // opens or closes its editor
  move(key: number, to: number): void;
  menu(key: number, anchor: HTMLElement): void;
  light(key: number | null): void; // its pin lights up
  deed(name: 'retry' | 'skip' | 'ok'): void;
  first(): number; // how many steps at the beginning are fixed
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
const EDGE = 44; // px from the list's end at which it scrolls
const SPEED = 7; // px a frame

export interface List {
  paint(rows: readonly Row[], open: number | null, lit: number | null, may: boolean): void;
  cardOf(key: number | null): HTMLElement | null;
  focus(key: number | null): void;
  dragging(): boolean;
}

export function mountList(acts: Acts): List {
  const list = pick('#job-steps');
  const scroller = pick('#body');
  const cards = new Map<number, HTMLElement>();
  const keyOf = (e: Event) => {
    const card = under(e, '.step');
    return card === null ? null : Number(card.dataset['key']);
  };
  let drag: { key: number; y: number; from: number; to: number; at: number } | null = null;

  // ---- hands ----

  list.onclick = (e) => {
    const key = keyOf(e);
    if (key === null) return;
    const more = under(e, '.more');
    const deed = under(e, '.deeds [data-do]')?.dataset['do'] as 'retry' | 'skip' | 'ok' | undefined;
    if (more) acts.menu(key, more);
    else if (deed) acts.deed(deed);
    else if (!under(e, '.edit') && !under(e, '.grip')) acts.open(key);
  };
  list.onpointerover = (e) => acts.light(keyOf(e));
  list.onpointerleave = () => acts.light(null);
  list.addEventListener('focusin', (e) => acts.light(keyOf(e)));
  list.addEventListener('focusout', () => acts.light(null));
  list.addEventListener('keydown', (e) => {
    const key = keyOf(e);
    const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    const within = under(e, '.grip') !== null && !e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey;
    if (step === undefined || key === null || !within) return;
    e.preventDefault();
    acts.move(key, indexOf(key) + step);
  });

  const indexOf = (key: number) => [...cards.keys()].indexOf(key);

  list.addEventListener('pointerdown', (e) => {
    const grip = under(e, '.grip') as HTMLButtonElement | null;
    const key = keyOf(e);
    if (grip === null || key === null || grip.disabled || e.button !== 0) return;
    e.preventDefault();
    grip.focus();
    grip.setPointerCapture(e.pointerId);
    const from = indexOf(key);
    drag = { key, y: e.clientY + scroller.scrollTop, from, to: from, at: e.clientY };
    list.dataset['drag'] = '';
    follow();
    scroll();
  });
  list.addEventListener('pointermove', (e) => {
    if (drag === null) return;
    drag.at = e.clientY;
    follow();
  });
  list.addEventListener('pointerup', () => drop(true));
  list.addEventListener('pointercancel', () => drop(false));
  list.addEventListener('lostpointercapture', () => drop(false));
  document.addEventListener(
    'keydown',
    (e) => {
      if (drag !== null && e.key === 'Escape') drop(false);
    },
    { capture: true },
  );

  // follow moves the card with the pointer and the line to where it would be put.
  function follow(): void {
    const card = drag === null ? undefined : cards.get(drag.key);
    if (drag === null || card === undefined) return;
    toggle(card, 'dragged', true);
    card.style.setProperty('--dy', `${drag.at + scroller.scrollTop - drag.y}px`);
    const others = [...cards].filter(([key]) => key !== drag?.key).map(([, c]) => c);
    const box = list.getBoundingClientRect();
    const below = others.findIndex((c) => {
      const r = c.getBoundingClientRect();
      return drag !== null && drag.at < r.top + r.height / 2;
    });
    drag.to = Math.max(acts.first(), below < 0 ? others.length : below);
    const next = others[drag.to]?.getBoundingClientRect();
    const last = others[drag.to - 1]?.getBoundingClientRect();
    const y = next && last ? (next.top + last.bottom) / 2 : next ? next.top - 3 : last ? last.bottom + 3 : box.top;
    list.style.setProperty('--drop', `${y - box.top}px`);
  }

  function scroll(): void {
    if (drag === null) return;
    const r = scroller.getBoundingClientRect();
    const by = drag.at < r.top + EDGE ? -SPEED : drag.at > r.bottom - EDGE ? SPEED : 0;
    if (by !== 0) {
      scroller.scrollTop += by;
      follow();
    }
    requestAnimationFrame(scroll);
  }

  function drop(put: boolean): void {
    if (drag === null) return;
    const { key, from, to } = drag;
    drag = null;
    delete list.dataset['drag'];
    const card = cards.get(key);
    if (card) toggle(card, 'dragged', false);
    if (put && to !== from) acts.move(key, to);
  }

  // ---- what is shown ----

  function paintCard(
    card: HTMLElement,
    row: Row,
    i: number,
    of: number,
    open: boolean,
    lit: boolean,
    may: boolean,
  ): void {
    const { step, look, fault } = row;
    const mine = may && !row.fixed;
    card.dataset['type'] = step.type;
    card.dataset['look'] = look ?? '';
    toggle(card, 'open', open);
    toggle(card, 'lit', lit);
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
    pick('h3 button', card).setAttribute('aria-expanded', String(open));
    const grip = pick<HTMLButtonElement>('.grip', card);
    grip.disabled = !mine;
    grip.setAttribute('aria-label', say(words.grip, { n: i + 1 }));
    const more = pick<HTMLButtonElement>('.more', card);
    more.hidden = !mine;
    more.setAttribute('aria-label', say(words.stepMore, { n: i + 1 }));
    const icon = fault !== '' && look === null ? 'triangle-alert' : look === null ? '' : LOOKS[look];
    const svg = pick('.st>svg', card);
    svg.toggleAttribute('hidden', icon === '');
    if (icon !== '') setIcon(pick('.st', card), icon);
    setText(pick('.st>span', card), row.time);
    const deeds = pick('.deeds', card);
    deeds.hidden = !may || !(look === 'stuck' || row.ok);
    for (const b of deeds.querySelectorAll<HTMLElement>('button')) b.hidden = (b.dataset['do'] === 'ok') !== row.ok;
  }

  return {
    paint(rows, open, lit, may) {
      const focus = list.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
      const gone = new Set(cards.keys());
      rows.forEach((row, i) => {
        gone.delete(row.key);
        const old = cards.get(row.key);
        cards.delete(row.key);
        const card = old ?? clone<HTMLElement>('t-step');
        card.dataset['key'] = String(row.key);
        cards.set(row.key, card); // in the order of the rows
        if (list.children[i] !== card) list.insertBefore(card, list.children[i] ?? null);
        paintCard(card, row, i, rows.length, open === row.key, lit === row.key, may);
      });
      for (const key of gone) {
        cards.get(key)?.remove();
        cards.delete(key);
      }
      if (focus !== null && focus !== document.activeElement && list.contains(focus)) focus.focus(); // a card that moves loses it
    },
    cardOf: (key) => (key === null ? null : (cards.get(key) ?? null)),
    focus(key) {
      const card = key === null ? undefined : cards.get(key);
      if (card) pick('h3 button', card).focus();
      else pick('#tab-jobs').focus();
    },
    dragging: () => drag !== null,
  };
}
