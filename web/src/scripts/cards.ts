// The cards of the scripts, with the tags that run in each.
import { type Card, isConnection } from './view.ts';
import { leftData } from './left.ts';
import { make } from './make.ts';
import { scripts as words } from '../../strings.json';
import type { ScriptUnit } from '../wire.ts';
import { say } from '../words.ts';

export interface CardActs {
  open(id: string): void;
  run(id: string, on: boolean): void;
  tag(tag: string, verb: 'stop' | 'freeze' | 'unfreeze'): void;
}

// cardOf builds the card of a script. The panel finds the card again by its id in data-id, to focus it.
export function cardOf(card: Card, may: boolean, acts: CardActs, marks: readonly HTMLElement[] = []): HTMLLIElement {
  const name = make('button', { class: 'name', type: 'button', 'data-key': `open ${card.id}` }, card.name);
  name.onclick = () => acts.open(card.id);
  const head = make(
    'div',
    { class: 'row' },
    make('h3', {}, card.saved ? name : card.name),
    make('span', { class: 'grow' }),
    isConnection(card.id) ? make('span', { class: 'dim' }, words.connection) : switchOf(card, may, acts),
  );
  const li = make('li', { class: 'box', 'data-id': card.id, ...(card.unit?.held ? { 'data-held': '' } : {}) }, head);
  li.append(make('p', { class: 'dim says' }, card.says), ...marks);
  if (card.last !== '') li.append(make('p', { class: 'dim last' }, card.last));
  if (card.unit !== null) li.append(...tagsOf(card.name, card.unit, may, acts));
  return li;
}

export function switchOf(card: Card, may: boolean, acts: CardActs): HTMLButtonElement {
  const on = card.unit !== null;
  const s = make('button', {
    class: 'sw',
    type: 'button',
    role: 'switch',
    'aria-checked': String(on),
    'aria-label': say(words.start, { name: card.name }),
    'data-key': `run ${card.id}`,
  });
  s.disabled = !may;
  s.onclick = () => acts.run(card.id, !on);
  return s;
}

// tagsOf builds the list of the tags that run in a unit; empty: no running command has a tag.
export function tagsOf(name: string, unit: ScriptUnit, may: boolean, acts: CardActs): HTMLElement[] {
  if (unit.tags.length === 0) return [];
  const rows = unit.tags.map((t) => {
    const state = t.frozen ? words.frozen : t.blocked ? words.blocked : '';
    const freeze = small(t.frozen ? words.unfreeze : words.freeze, t.name, t.frozen ? 'play' : 'pause', () =>
      acts.tag(t.name, t.frozen ? 'unfreeze' : 'freeze'),
    );
    const stop = small(words.stopTag, t.name, 'square', () => acts.tag(t.name, 'stop'));
    freeze.disabled = stop.disabled = !may;
    freeze.dataset['key'] = `freeze ${unit.name} ${t.name}`;
    stop.dataset['key'] = `stop ${unit.name} ${t.name}`;
    return make(
      'li',
      {},
      make('code', {}, t.name),
      make('span', { class: 'dim' }, state),
      make('span', { class: 'dim left', ...leftData(t) }),
      make('span', { class: 'grow' }),
      freeze,
      stop,
    );
  });
  return [make('ul', { class: 'tags', 'aria-label': say(words.tags, { name }) }, ...rows)];
}

function small(label: string, tag: string, icon: string, press: () => void): HTMLButtonElement {
  const b = make('button', {
    class: 'ib',
    type: 'button',
    icon,
    'aria-label': say(label, { tag }),
    title: say(label, { tag }),
  });
  b.onclick = press;
  return b;
}
