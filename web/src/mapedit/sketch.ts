// Sketch: via points, edges and places during editing, with their history. It is pure: a change returns
// another sketch, whose unchanged parts are the same values.
import type { Floorplan, Point, Pose } from '../wire.ts';

export type Sketch = Pick<Floorplan, 'via' | 'edges' | 'places'>;

// Item identifies a part of a sketch: a via point by its id, an edge by its two ids, the smaller one first,
// a place by its index.
export type Item =
  | { kind: 'via'; id: number }
  | { kind: 'edge'; ends: [number, number] }
  | { kind: 'place'; n: number };

// Way is the direction of an edge between two via points: from the smaller id to the larger, back, or both.
export type Way = 'both' | 'forth' | 'back';

export function sketchOf(plan: Floorplan): Sketch {
  return { via: plan.via, edges: plan.edges, places: plan.places };
}

export function sameSketch(a: Sketch, b: Sketch): boolean {
  return a === b || JSON.stringify([a.via, a.edges, a.places]) === JSON.stringify([b.via, b.edges, b.places]);
}

export function sameItem(a: Item | null, b: Item | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

// itemsOf lists all items in the order of Tab.
export function itemsOf(s: Sketch): Item[] {
  return [
    ...s.via.map(({ id }): Item => ({ kind: 'via', id })),
    ...pairsOf(s).map((ends): Item => ({ kind: 'edge', ends })),
    ...s.places.map((_, n): Item => ({ kind: 'place', n })),
  ];
}

// pairsOf lists the connected pairs of via points, each once.
export function pairsOf(s: Sketch): [number, number][] {
  const seen = new Map<string, [number, number]>();
  for (const [a, b] of s.edges) seen.set(`${Math.min(a, b)} ${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)]);
  return [...seen.values()];
}

export function wayOf(s: Sketch, [a, b]: [number, number]): Way | null {
  const forth = s.edges.some(([from, to]) => from === a && to === b);
  const back = s.edges.some(([from, to]) => from === b && to === a);
  return forth && back ? 'both' : forth ? 'forth' : back ? 'back' : null;
}

export function has(s: Sketch, item: Item | null): boolean {
  switch (item?.kind) {
    case 'via':
      return s.via.some((v) => v.id === item.id);
    case 'edge':
      return wayOf(s, item.ends) !== null;
    case 'place':
      return item.n < s.places.length;
    default:
      return false;
  }
}

// pointOf returns the position of an item; for an edge, its middle.
export function pointOf(s: Sketch, item: Item): Point | null {
  switch (item.kind) {
    case 'via':
      return s.via.find((v) => v.id === item.id)?.at ?? null;
    case 'edge': {
      const [a, b] = item.ends.map((id) => s.via.find((v) => v.id === id)?.at);
      return a && b ? [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] : null;
    }
    case 'place': {
      const pose = s.places[item.n]?.pose;
      return pose ? [pose[0], pose[1]] : null;
    }
  }
}

// ---- changes ----------------------------------------------------------------

// addVia adds a via point with the next number as its id and, in Roman numerals like the others, as its
// name.
export function addVia(s: Sketch, at: Point): { sketch: Sketch; item: Item } {
  const id = Math.max(0, ...s.via.map((v) => v.id)) + 1;
  let n = s.via.length + 1;
  while (s.via.some((v) => v.name === roman(n))) n++;
  return { sketch: { ...s, via: [...s.via, { id, name: roman(n), at: neatPoint(at) }] }, item: { kind: 'via', id } };
}

// split inserts a via point into an edge; the two new edges have its direction.
export function split(s: Sketch, ends: [number, number], at: Point): { sketch: Sketch; item: Item } {
  const { sketch, item } = addVia(s, at);
  const { id } = sketch.via[sketch.via.length - 1] as { id: number };
  const halves = s.edges.flatMap(([from, to]): [number, number][] => {
    const is = Math.min(from, to) === ends[0] && Math.max(from, to) === ends[1];
    return is
      ? [
          [from, id],
          [id, to],
        ]
      : [[from, to]];
  });
  return { sketch: { ...sketch, edges: halves }, item };
}

export function addPlace(s: Sketch, pose: Pose, word: string): { sketch: Sketch; item: Item } {
  let n = s.places.length + 1;
  while (s.places.some((p) => p.name === `${word} ${n}`)) n++;
  return {
    sketch: { ...s, places: [...s.places, { name: `${word} ${n}`, pose: neatPose(pose) }] },
    item: { kind: 'place', n: s.places.length },
  };
}

// connect connects two via points in both directions. They may be connected already.
export function connect(s: Sketch, a: number, b: number): { sketch: Sketch; item: Item } | null {
  if (a === b || !s.via.some((v) => v.id === a) || !s.via.some((v) => v.id === b)) return null;
  const ends: [number, number] = [Math.min(a, b), Math.max(a, b)];
  return { sketch: wayOf(s, ends) === null ? setWay(s, ends, 'both') : s, item: { kind: 'edge', ends } };
}

export function setWay(s: Sketch, [a, b]: [number, number], way: Way): Sketch {
  const rest = s.edges.filter(([from, to]) => !((from === a && to === b) || (from === b && to === a)));
  const edges: [number, number][] = [...rest];
  if (way !== 'back') edges.push([a, b]);
  if (way !== 'forth') edges.push([b, a]);
  return { ...s, edges };
}

// moveTo moves a via point or a place; a place keeps its heading.
export function moveTo(s: Sketch, item: Item, at: Point): Sketch {
  const to = neatPoint(at);
  switch (item.kind) {
    case 'via':
      return { ...s, via: s.via.map((v) => (v.id === item.id ? { ...v, at: to } : v)) };
    case 'place':
      return { ...s, places: s.places.map((p, n) => (n === item.n ? { ...p, pose: [to[0], to[1], p.pose[2]] } : p)) };
    default:
      return s;
  }
}

export function turnTo(s: Sketch, item: Item, theta: number): Sketch {
  if (item.kind !== 'place') return s;
  return {
    ...s,
    places: s.places.map((p, n) => (n === item.n ? { ...p, pose: neatPose([p.pose[0], p.pose[1], theta]) } : p)),
  };
}

export function rename(s: Sketch, item: Item, name: string): Sketch {
  switch (item.kind) {
    case 'via':
      return { ...s, via: s.via.map((v) => (v.id === item.id ? { ...v, name } : v)) };
    case 'place':
      return { ...s, places: s.places.map((p, n) => (n === item.n ? { ...p, name } : p)) };
    default:
      return s;
  }
}

// remove removes an item; with a via point, also its edges.
export function remove(s: Sketch, item: Item): Sketch {
  switch (item.kind) {
    case 'via':
      return {
        ...s,
        via: s.via.filter((v) => v.id !== item.id),
        edges: s.edges.filter(([a, b]) => a !== item.id && b !== item.id),
      };
    case 'edge':
      return {
        ...s,
        edges: s.edges.filter(([a, b]) => Math.min(a, b) !== item.ends[0] || Math.max(a, b) !== item.ends[1]),
      };
    case 'place':
      return { ...s, places: s.places.filter((_, n) => n !== item.n) };
  }
}

function neatPoint([x, y]: Point): Point {
  return [centi(x), centi(y)];
}

// neatPose rounds a pose to whole centimetres and degrees, to the four decimals that are sent to the robot.
function neatPose([x, y, theta]: Pose): Pose {
  const degrees = Math.round((theta * 180) / Math.PI);
  const turn = degrees > 180 ? degrees - 360 : degrees <= -180 ? degrees + 360 : degrees;
  return [centi(x), centi(y), Math.round(((turn * Math.PI) / 180) * 1e4) / 1e4];
}

function centi(metres: number): number {
  return Math.round(metres * 100) / 100 + 0; // no minus zero
}

const ROMAN: readonly [number, string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

export function roman(n: number): string {
  let out = '';
  for (const [value, letters] of ROMAN) {
    for (; n >= value; n -= value) out += letters;
  }
  return out;
}

// ---- history ------------------------------------------------------------------

export const DEEP = 50;

// History is a sketch with the earlier ones and the undone ones, the newest last.
export interface History {
  base: Sketch; // the robot's map that the person edits
  past: readonly Sketch[];
  now: Sketch;
  future: readonly Sketch[];
}

export function begin(s: Sketch): History {
  return { base: s, past: [], now: s, future: [] };
}

// done adds a change. It ignores a change without effect.
export function done(h: History, next: Sketch): History {
  if (sameSketch(h.now, next)) return h;
  return { ...h, past: [...h.past, h.now].slice(-DEEP), now: next, future: [] };
}

export function undo(h: History): History {
  const last = h.past.at(-1);
  return last === undefined ? h : { ...h, past: h.past.slice(0, -1), now: last, future: [...h.future, h.now] };
}

export function redo(h: History): History {
  const next = h.future.at(-1);
  return next === undefined ? h : { ...h, past: [...h.past, h.now], now: next, future: h.future.slice(0, -1) };
}

// readHistory parses a stored history; null if it is invalid.
export function readHistory(kept: unknown): History | null {
  const h = kept as Partial<History> | null;
  if (typeof h !== 'object' || h === null || !isSketch(h.now) || !Array.isArray(h.past) || !Array.isArray(h.future))
    return null;
  const base: unknown = h.base ?? h.past[0] ?? h.now; // an earlier page stored no base
  return [base, ...h.past, ...h.future].every(isSketch)
    ? { base: base as Sketch, past: h.past as Sketch[], now: h.now, future: h.future as Sketch[] }
    : null;
}

function isSketch(kept: unknown): kept is Sketch {
  const s = kept as Partial<Sketch> | null;
  if (
    typeof s !== 'object' ||
    s === null ||
    !Array.isArray(s.via) ||
    !Array.isArray(s.edges) ||
    !Array.isArray(s.places)
  )
    return false;
  return (
    s.via.every((v) => typeof v?.id === 'number' && typeof v.name === 'string' && numbers(v.at, 2)) &&
    s.edges.every((e) => numbers(e, 2)) &&
    s.places.every((p) => typeof p?.name === 'string' && numbers(p.pose, 3))
  );
}

function numbers(list: unknown, n: number): boolean {
  return Array.isArray(list) && list.length === n && list.every((x) => Number.isFinite(x));
}
