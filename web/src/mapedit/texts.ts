// Texts: the editor's texts about a sketch and its items. Pure.
import type { Misfit } from './clearance.ts';
import { type Item, pointOf, sameItem, type Sketch } from './sketch.ts';
import { mapedit as words } from '../../strings.json';
import { say } from '../words.ts';

export type Tool = 'move' | 'via' | 'edge' | 'place';

const HOW: Readonly<Record<Tool, string>> = {
  move: words.howMove,
  via: words.howVia,
  edge: words.howEdge,
  place: words.howPlace,
};
const INSIDE = 0.02; // m; with less clearance an item counts as inside an obstacle

// nameOfVia returns its name, or else its number.
export function nameOfVia(s: Sketch, id: number): string {
  return s.via.find((v) => v.id === id)?.name || String(id);
}

export function titleOf(s: Sketch, item: Item): string {
  switch (item.kind) {
    case 'via':
      return say(words.viaNamed, { name: nameOfVia(s, item.id) });
    case 'edge':
      return say(words.edgeNamed, { from: nameOfVia(s, item.ends[0]), to: nameOfVia(s, item.ends[1]) });
    case 'place': {
      const name = s.places[item.n]?.name ?? '';
      return name.startsWith('Place ') ? name : say(words.placeNamed, { name });
    }
  }
}

export function misfitText(s: Sketch, { item, clearance, needs }: Misfit): string {
  return say(clearance < INSIDE ? words.inside : words.tight, {
    name: titleOf(s, item),
    m: Math.max(0, clearance).toFixed(2),
    needs: needs.toFixed(2),
  });
}

// spokenOf returns the announcement of an item that is chosen by keys.
export function spokenOf(s: Sketch, item: Item, misfits: readonly Misfit[]): string {
  const [x, y] = pointOf(s, item) ?? [0, 0];
  const misfit = misfits.find((f) => sameItem(f.item, item));
  const text = say(words.spoken, { name: titleOf(s, item), x: x.toFixed(2), y: y.toFixed(2) });
  return misfit ? `${text} ${misfitText(s, misfit)}` : text;
}

// statusOf returns the one line that matters most now. edging: an edge was begun.
export function statusOf(
  s: Sketch,
  chosen: Item | null,
  misfits: readonly Misfit[],
  tool: Tool,
  edging: boolean,
): { text: string; bad: boolean } {
  const own = misfits.find((f) => sameItem(f.item, chosen)) ?? misfits[0];
  if (own !== undefined) return { text: misfitText(s, own), bad: true };
  return { text: tool === 'edge' && edging ? words.edgeNext : HOW[tool], bad: false };
}
