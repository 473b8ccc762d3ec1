// List: the parts of a robot, each with whether it is there, and what is different without it. Pure.
import { isBlind, lacks } from './lacks.ts';
import { parts as words } from '../../strings.json';
import type { Model } from '../store.ts';
import type { Part } from '../wire.ts';

export interface Row {
  name: string;
  state: 'here' | 'lacking' | 'gone'; // gone: it is out of reach for now
  note: string;
}

// rowsOf lists a range finder of one kind only while the other is missing too: one of them is enough.
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
