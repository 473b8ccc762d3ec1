// What the robot does with a script by itself: it starts it, and it continues it after a visitor.
import type { Entry } from './api.ts';
import { make } from './make.ts';
import { mayChange } from './view.ts';
import { scripts as words } from '../../strings.json';
import { setText } from '../dom.ts';
import type { Model } from '../store.ts';
import type { ScriptUnit } from '../wire.ts';
import { say } from '../words.ts';

export type Mark = 'starts' | 'stands_by';

// robotTime returns the time of the robot's clock at the page time t, in s; null: not known yet.
function robotTime({ offset, state, lastStateAt }: Readonly<Model>, t: number): number | null {
  if (offset !== null) return t + offset;
  return state === null || lastStateAt === null ? null : state.t + (t - lastStateAt);
}

// standbyText says that a script stands by; empty: it does not. t is the page time.
export function standbyText(
  entry: Pick<Entry, 'stands_by'>,
  unit: ScriptUnit | null,
  m: Readonly<Model>,
  t: number,
): string {
  const at = robotTime(m, t);
  if (unit?.continues_at != null && at !== null) {
    const left = Math.max(0, Math.ceil(unit.continues_at - at));
    const time = left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`;
    return say(words.standbyIn, { time });
  }
  if (!entry.stands_by || unit === null) return '';
  if (!unit.held) return words.standbyReady;
  return unit.yields ? words.standbyWaits : words.standbyNot;
}

// marksText lists the marks of a script on its card.
export function marksText(entry: Pick<Entry, 'starts' | 'start_fault'>): string {
  if (!entry.starts) return '';
  return entry.start_fault === '' ? words.startsMark : say(words.startFault, { why: entry.start_fault });
}

// markLines builds the lines about the marks of a script for its card.
export function markLines(entry: Entry, unit: ScriptUnit | null, m: Readonly<Model>, t: number): HTMLElement[] {
  const marks = marksText(entry);
  const standby = standbyText(entry, unit, m, t);
  return [
    ...(marks === '' ? [] : [make('p', { class: entry.start_fault === '' ? 'dim' : 'bad' }, marks)]),
    ...(standby === '' ? [] : [make('p', { class: 'dim standby', 'data-id': entry.id }, standby)]),
  ];
}

// countDown updates the running seconds on the cards.
export function countDown(within: ParentNode, list: readonly Entry[], m: Readonly<Model>, t: number): void {
  for (const line of within.querySelectorAll<HTMLElement>('.standby')) {
    const entry = list.find((e) => e.id === line.dataset['id']);
    const unit = m.scripts?.units.find((u) => u.name === line.dataset['id']) ?? null;
    if (entry) setText(line, standbyText(entry, unit, m, t));
  }
}

// markSwitches builds the switches of a saved script. Only an admin sets whether it stands by.
export function markSwitches(entry: Entry, m: Readonly<Model>, set: (mark: Mark, on: boolean) => void): HTMLElement {
  const row = (mark: Mark, name: string, what: string, may: boolean) => {
    const button = make('button', {
      class: 'sw',
      type: 'button',
      role: 'switch',
      'aria-checked': String(entry[mark]),
      'aria-label': name,
      'aria-describedby': `scripts-${mark}`,
      'data-key': mark,
    });
    button.disabled = !may;
    button.onclick = () => set(mark, !entry[mark]);
    return make(
      'div',
      { class: 'choice' },
      make('div', { class: 'row' }, make('b', {}, name), make('span', { class: 'grow' }), button),
      make('p', { class: 'dim', id: `scripts-${mark}` }, what),
    );
  };
  return make(
    'section',
    { class: 'box by-itself', 'aria-label': words.marks },
    row('starts', words.starts, words.startsWhat, mayChange(m)),
    row(
      'stands_by',
      words.standsBy,
      m.role === 'admin' ? words.standsByWhat : `${words.standsByWhat} ${words.standsByAdmin}`,
      mayChange(m) && m.role === 'admin',
    ),
  );
}
