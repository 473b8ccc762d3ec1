// CardDrag: dragging a card to another place in the list by its grip, with the mouse or a finger.
import { toggle, under } from '../dom.ts';

const EDGE = 44; // px from the list's end at which it scrolls
const SPEED = 7; // px a frame

interface Drag {
  card: HTMLElement;
  y: number; // px, where the pointer went down in the scrolled content
  from: number;
  to: number;
  at: number; // px, position of the pointer in the window
}

export interface Moves {
  cards(): HTMLElement[]; // in order
  first(): number; // number of fixed cards at the beginning
  move(card: HTMLElement, to: number): void;
}

export class CardDrag {
  readonly #list: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #moves: Moves;
  #drag: Drag | null = null;

  constructor(list: HTMLElement, scroller: HTMLElement, moves: Moves) {
    this.#list = list;
    this.#scroller = scroller;
    this.#moves = moves;
    list.addEventListener('pointerdown', (e) => this.#take(e));
    list.addEventListener('pointermove', (e) => {
      if (this.#drag === null) return;
      this.#drag.at = e.clientY;
      this.#follow(this.#drag);
    });
    list.addEventListener('pointerup', () => this.#drop(true));
    list.addEventListener('pointercancel', () => this.#drop(false));
    list.addEventListener('lostpointercapture', () => this.#drop(false));
    document.addEventListener('keydown', (e) => e.key === 'Escape' && this.#drop(false), { capture: true });
  }

  isOn(): boolean {
    return this.#drag !== null;
  }

  #take(e: PointerEvent): void {
    const grip = under(e, '.grip') as HTMLButtonElement | null;
    const card = under(e, '.step');
    if (grip === null || card === null || grip.disabled || e.button !== 0) return;
    e.preventDefault();
    grip.focus();
    grip.setPointerCapture(e.pointerId);
    const from = this.#moves.cards().indexOf(card);
    this.#drag = { card, y: e.clientY + this.#scroller.scrollTop, from, to: from, at: e.clientY };
    this.#list.dataset['drag'] = '';
    this.#follow(this.#drag);
    this.#scroll();
  }

  // follow moves the card with the pointer, and the line to its new place.
  #follow(drag: Drag): void {
    const { card, at } = drag;
    if (!card.isConnected) return;
    toggle(card, 'dragged', true);
    card.style.setProperty('--dy', `${at + this.#scroller.scrollTop - drag.y}px`);
    const others = this.#moves
      .cards()
      .filter((c) => c !== card)
      .map((c) => c.getBoundingClientRect());
    const box = this.#list.getBoundingClientRect();
    const below = others.findIndex((r) => at < r.top + r.height / 2);
    drag.to = Math.max(this.#moves.first(), below < 0 ? others.length : below);
    const next = others[drag.to];
    const last = others[drag.to - 1];
    const y = next && last ? (next.top + last.bottom) / 2 : next ? next.top - 3 : last ? last.bottom + 3 : box.top;
    this.#list.style.setProperty('--drop', `${y - box.top}px`);
  }

  #scroll(): void {
    const drag = this.#drag;
    if (drag === null) return;
    const r = this.#scroller.getBoundingClientRect();
    const by = drag.at < r.top + EDGE ? -SPEED : drag.at > r.bottom - EDGE ? SPEED : 0;
    if (by !== 0) {
      this.#scroller.scrollTop += by;
      this.#follow(drag);
    }
    requestAnimationFrame(() => this.#scroll());
  }

  #drop(put: boolean): void {
    const drag = this.#drag;
    if (drag === null) return;
    this.#drag = null;
    delete this.#list.dataset['drag'];
    toggle(drag.card, 'dragged', false);
    if (put && drag.to !== drag.from) this.#moves.move(drag.card, drag.to);
  }
}
