// List: the parts of a robot, whether it has each, and the consequences of missing ones. Pure.
import { isBlind, lacks } from './lacks.ts';
import { parts as words } from '../../strings.json';
import type { Model } from '../store.ts';
import type { Part } from '../wire.ts';

export interface Row {
  name: string;
  state: 'here' | 'lacking' | 'gone'; // gone: it is out of reach for now
  note: string;
}

// rowsOf lists a missing kind of range sensor only if the other kind is missing too, because one is enough.
export function rowsOf({ robot, state }: Readonly<Model>): Row[] {
  const rows = (Object.keys(words.names) as Part[])
    .filter((part) => isBlind(robot) || !(part === 'sonars' || part === 'lidars') || !lacks(robot, part))
    .map((part): Row => {
      const name = words.names[part];
      if (!lacks(robot, part)) return { name, state: 'here', note: '' };
      return { name, state: 'lacking', note: words.without[part] };
    });
  const gone = state?.base?.gone ?? [];
  return [...gone.map((name): Row => ({ name, state: 'gone', note: words.gone })), ...rows];
}
