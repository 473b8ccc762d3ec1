// MotionList: the saved drives, newest first, grouped by day.
import { dayOf, metaOf } from './view.ts';
import { clone, pick, setText, under } from '../dom.ts';
import type { Kept } from '../wire.ts';

export class MotionList {
  readonly #list = pick('#motions-list');

  // press is called with the number of the pressed drive.
  constructor(press: (motion: number) => void) {
    this.#list.onclick = (e) => {
      const row = under(e, 'li');
      if (row) press(Number(row.dataset['motion']));
    };
  }

  paint(motions: readonly Kept[], chosen: number | null): void {
    const rows = new Map(
      [...this.#list.querySelectorAll<HTMLElement>('li')].map((row) => [row.dataset['motion'], row]),
    );
    const days = [...byDay(motions)].map(([name, kept]) => {
      const day = this.#dayNamed(name);
      const list = pick('ul', day);
      fill(
        list,
        kept.map((k) => rows.get(String(k.n)) ?? clone<HTMLElement>('t-motion')),
      );
      kept.forEach((k, i) => fillRow(list.children[i] as HTMLElement, k, k.n === chosen));
      return day;
    });
    fill(this.#list, days);
  }

  #dayNamed(name: string): Element {
    const day =
      [...this.#list.children].find((d) => pick('h3', d).textContent === name) ?? clone<HTMLElement>('t-motions-day');
    setText(pick('h3', day), name);
    return day;
  }
}

function byDay(motions: readonly Kept[]): Map<string, Kept[]> {
  const days = new Map<string, Kept[]>();
  for (const k of [...motions].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))) {
    const name = dayOf(k, new Date());
    days.set(name, [...(days.get(name) ?? []), k]);
  }
  return days;
}

function fillRow(row: HTMLElement, kept: Kept, chosen: boolean): void {
  row.dataset['motion'] = String(kept.n);
  setText(pick('button', row), kept.name);
  setText(pick('small', row), metaOf(kept));
  pick('button', row).setAttribute('aria-pressed', String(chosen));
}

// fill sets the children of host. Those that remain in place keep the focus.
function fill(host: Element, children: readonly Element[]): void {
  children.forEach((child, i) => {
    if (host.children[i] !== child) host.insertBefore(child, host.children[i] ?? null);
  });
  while (host.children.length > children.length) host.lastElementChild?.remove();
}
