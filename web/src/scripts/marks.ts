// What the robot does with a script by itself: it starts it, and it continues it after a visitor.
import type { Entry } from './api.ts';
import { continuesText } from './left.ts';
import { make } from './make.ts';
import { mayChange } from './view.ts';
import { scripts as words } from '../../strings.json';
import type { Model } from '../store.ts';
import type { ScriptUnit } from '../wire.ts';
import { say } from '../words.ts';

export type Mark = 'starts' | 'stands_by';

// standbyText says that a script stands by; empty: it does not. t is the page time.
export function standbyText(
  entry: Pick<Entry, 'stands_by'>,
  unit: ScriptUnit | null,
  m: Readonly<Model>,
  t: number,
): string {
  if (unit?.continues_at != null) return continuesText(unit.continues_at, m, t);
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
  const counts =
    unit?.continues_at == null ? { class: 'dim' } : { class: 'dim left', 'data-continues': String(unit.continues_at) };
  return [
    ...(marks === '' ? [] : [make('p', { class: entry.start_fault === '' ? 'dim' : 'bad' }, marks)]),
    ...(standby === '' ? [] : [make('p', counts, standby)]),
  ];
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
