// Draft: a finished map in review, and its edits. It is pure: the robot stores the draft, and answers every
// edit with the whole draft.
import { mapedit as editor, mapping as words } from '../../strings.json';
import { sameItem as same } from '../mapedit/sketch.ts';
import { contains } from '../map/floor.ts';
import { nearestOn } from '../mapedit/clearance.ts';
import { say } from '../words.ts';
import type { Point, Pose } from '../wire.ts';

export interface DraftView {
  rev: number; // of the picture
  cell: number; // m, size of a pixel
  origin: Point; // of the picture's lower left corner
  width: number;
  height: number;
  turn?: number; // rad, from map, the frame of the robot's pose, to the draft's frame
  walls: { line: [Point, Point]; glass: boolean }[];
  via: { id: number; at: Point; name: string }[];
  edges: [number, number][]; // each pair once, for both directions
  rooms: { id: number; name: string; outline: Point[] }[];
  places: { name: string; pose: Pose }[];
  dock: Pose | null;
  keepouts: Point[][];
  can_undo: boolean;
  can_redo: boolean;
  faults: string[]; // why it cannot be saved, in sentences
}

export type Edit =
  | { op: 'straighten' | 'undo' | 'redo' }
  | { op: 'erase' | 'keepout'; outline: Point[] }
  | { op: 'keepout'; drop: number }
  | { op: 'wall' | 'glass'; line: [Point, Point] }
  | { op: 'crop'; low: Point; high: Point }
  | { op: 'via'; move: number; at: Point }
  | { op: 'via'; add: Point }
  | { op: 'via'; drop: number }
  | { op: 'edge'; add: [number, number] }
  | { op: 'edge'; drop: [number, number] }
  | { op: 'room'; id: number; name: string }
  | { op: 'room'; drop: number }
  | { op: 'place'; name: string; pose: Pose }
  | { op: 'place'; drop: string }
  | { op: 'dock'; pose: Pose }
  | { op: 'dock'; drop: true };

// Item identifies a part of the draft that can be chosen.
export type Item =
  | { kind: 'via'; id: number }
  | { kind: 'edge'; ends: [number, number] }
  | { kind: 'place'; name: string }
  | { kind: 'dock' }
  | { kind: 'room'; id: number }
  | { kind: 'keepout'; id: number }; // from 1, in the order of the draft

export function sameItem(a: Item | null, b: Item | null): boolean {
  return same(a as never, b as never);
}

// itemsOf lists all items in the order of Tab.
export function itemsOf(d: DraftView): Item[] {
  return [
    ...d.rooms.map(({ id }): Item => ({ kind: 'room', id })),
    ...d.keepouts.map((_, i): Item => ({ kind: 'keepout', id: i + 1 })),
    ...d.places.map(({ name }): Item => ({ kind: 'place', name })),
    ...(d.dock ? [{ kind: 'dock' } as const] : []),
    ...d.via.map(({ id }): Item => ({ kind: 'via', id })),
    ...d.edges.map((ends): Item => ({ kind: 'edge', ends })),
  ];
}

export function has(d: DraftView, item: Item | null): boolean {
  return item !== null && itemsOf(d).some((i) => sameItem(i, item));
}

// poseOf returns the position of an item, with the heading of a place or of the dock, otherwise 0. Null: it
// does not exist.
export function poseOf(d: DraftView, item: Item): Pose | null {
  switch (item.kind) {
    case 'via':
      return still(d.via.find((v) => v.id === item.id)?.at);
    case 'edge': {
      const [a, b] = item.ends.map((id) => d.via.find((v) => v.id === id)?.at);
      return a && b ? [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 0] : null;
    }
    case 'place':
      return d.places.find((p) => p.name === item.name)?.pose ?? null;
    case 'dock':
      return d.dock;
    case 'room':
      return still(labelOf(d.rooms.find((r) => r.id === item.id)?.outline ?? []));
    case 'keepout':
      return still(labelOf(d.keepouts[item.id - 1] ?? []));
  }
}

function still(at: Point | null | undefined): Pose | null {
  return at ? [at[0], at[1], 0] : null;
}

// labelOf returns the place of a room's name: the middle of its corners, or the nearest corner if the room
// bends around that.
export function labelOf(outline: readonly Point[]): Point | null {
  if (outline.length === 0) return null;
  const sum = outline.reduce<Point>(([x, y], [u, v]) => [x + u, y + v], [0, 0]);
  const middle: Point = [sum[0] / outline.length, sum[1] / outline.length];
  if (contains(outline, middle)) return middle;
  const off = (p: Point) => Math.hypot(p[0] - middle[0], p[1] - middle[1]);
  return outline.reduce((a, b) => (off(b) < off(a) ? b : a));
}

export function titleOf(d: DraftView, item: Item): string {
  const via = (id: number) => d.via.find((v) => v.id === id)?.name || String(id);
  switch (item.kind) {
    case 'via':
      return say(words.itemVia, { name: via(item.id) });
    case 'edge':
      return say(words.itemEdge, { from: via(item.ends[0]), to: via(item.ends[1]) });
    case 'place':
      return say(words.itemPlace, { name: item.name });
    case 'dock':
      return words.dock;
    case 'room': {
      const name = d.rooms.find((r) => r.id === item.id)?.name ?? '';
      return say(words.itemRoom, { name: name || String(item.id) });
    }
    case 'keepout':
      return say(words.itemKeepout, { name: String(item.id) });
  }
}

// nameOf returns the name that a person may change; null: the item has none.
export function nameOf(d: DraftView, item: Item): string | null {
  if (item.kind === 'place') return item.name;
  return item.kind === 'room' ? (d.rooms.find((r) => r.id === item.id)?.name ?? '') : null;
}

export function isMovable(item: Item): boolean {
  return item.kind !== 'edge' && !isArea(item);
}

// isArea: a press on it moves the map, and a click chooses it.
export function isArea({ kind }: Item): boolean {
  return kind === 'room' || kind === 'keepout';
}

export function isTurnable(item: Item): boolean {
  return item.kind === 'place' || item.kind === 'dock';
}

// ---- edits ------------------------------------------------------------------

export function moveEdit(item: Item, pose: Pose): Edit | null {
  switch (item.kind) {
    case 'via':
      return { op: 'via', move: item.id, at: [pose[0], pose[1]] };
    case 'place':
      return { op: 'place', name: item.name, pose };
    case 'dock':
      return { op: 'dock', pose };
    default:
      return null;
  }
}

export function dropEdit(item: Item): Edit {
  switch (item.kind) {
    case 'via':
      return { op: 'via', drop: item.id };
    case 'edge':
      return { op: 'edge', drop: item.ends };
    case 'place':
      return { op: 'place', drop: item.name };
    case 'dock':
      return { op: 'dock', drop: true };
    case 'room':
    case 'keepout':
      return { op: item.kind, drop: item.id };
  }
}

// isTaken: another place has the name, which an edit under that name would move here.
export function isTaken(d: DraftView, item: Item, name: string): boolean {
  return item.kind === 'place' && name !== item.name && d.places.some((p) => p.name === name);
}

// renameEdits renames an item. A place is added under the new name before it is removed under the old one.
export function renameEdits(d: DraftView, item: Item, name: string): Edit[] {
  if (name === '' || name === nameOf(d, item)) return [];
  if (item.kind === 'room') return [{ op: 'room', id: item.id, name }];
  const pose = poseOf(d, item);
  if (item.kind !== 'place' || pose === null) return [];
  return [
    { op: 'place', name, pose },
    { op: 'place', drop: item.name },
  ];
}

// freshName returns the first unused name of "Place 1", "Place 2" and so on.
export function freshName(d: DraftView): string {
  for (let n = d.places.length + 1; ; n++) {
    const name = say(words.placeNew, { n });
    if (!d.places.some((p) => p.name === name)) return name;
  }
}

// titleOfEdit names an edit by its tool and its first corner, or by its item.
export function titleOfEdit(d: DraftView, edit: Edit): string {
  const title = itemTitle(d, edit);
  return 'drop' in edit ? say(words.removal, { name: title }) : title;
}

function itemTitle(d: DraftView, edit: Edit): string {
  const from = (name: string, at: Point) => say(words.editAt, { name, at: placeOf(at) });
  if ('line' in edit) return from(words[edit.op], edit.line[0]);
  if ('outline' in edit) return from(words[edit.op], edit.outline[0]!);
  switch (edit.op) {
    case 'undo':
    case 'redo':
      return editor[edit.op];
    case 'straighten':
    case 'dock':
      return words[edit.op];
    case 'crop':
      return from(words.crop, edit.low);
    case 'edge':
      return titleOf(d, { kind: 'edge', ends: 'add' in edit ? edit.add : edit.drop });
    case 'place':
      return titleOf(d, { kind: 'place', name: 'drop' in edit ? edit.drop : edit.name });
    default: // a via point, a room or an area to keep out of
      if ('add' in edit) return from(words.via, edit.add);
      return titleOf(d, { kind: edit.op, id: 'move' in edit ? edit.move : 'drop' in edit ? edit.drop : edit.id });
  }
}

// placeOf formats a point in metres.
export function placeOf(at: Point): string {
  return at.map((v) => v.toFixed(1)).join(', ');
}

// after returns the expected draft after an edit that moves something, so that a dragged item does not
// jump.
export function after(d: DraftView, edit: Edit): DraftView {
  if (edit.op === 'via' && 'move' in edit)
    return { ...d, via: d.via.map((v) => (v.id === edit.move ? { ...v, at: edit.at } : v)) };
  if (edit.op === 'place' && 'pose' in edit)
    return { ...d, places: d.places.map((p) => (p.name === edit.name ? { ...p, pose: edit.pose } : p)) };
  if (edit.op === 'dock' && 'pose' in edit) return { ...d, dock: edit.pose };
  return d;
}

// replaces reports whether an edit makes a waiting one superfluous.
export function replaces(edit: Edit, waiting: Edit): boolean {
  return (
    (edit.op === 'via' && waiting.op === 'via' && 'move' in edit && 'move' in waiting && edit.move === waiting.move) ||
    (edit.op === 'place' &&
      waiting.op === 'place' &&
      'pose' in edit &&
      'pose' in waiting &&
      edit.name === waiting.name) ||
    (edit.op === 'dock' && waiting.op === 'dock' && 'pose' in edit && 'pose' in waiting)
  );
}

// ---- drawing by hand -----------------------------------------------------------

export type Tool = 'select' | 'erase' | 'wall' | 'glass' | 'keepout' | 'crop' | 'via' | 'edge' | 'place' | 'dock';

// shapeOf returns what a tool draws: a line between two corners, a rectangle between two, an outline of
// three or more, or nothing.
export function shapeOf(tool: Tool): 'line' | 'box' | 'outline' | null {
  if (tool === 'wall' || tool === 'glass') return 'line';
  if (tool === 'crop') return 'box';
  return tool === 'erase' || tool === 'keepout' ? 'outline' : null;
}

// boxBetween returns the rectangle between two corners.
export function boxBetween([x0, y0]: Point, [x1, y1]: Point): Point[] {
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];
}

// drawnEdit returns the edit of a tool from corners; null: there are too few.
export function drawnEdit(tool: Tool, drawn: readonly Point[]): Edit | null {
  const corners = drawn.map(([x, y]): Point => [centi(x), centi(y)]);
  const [a, b] = corners;
  if (a === undefined || b === undefined) return null;
  switch (tool) {
    case 'wall':
    case 'glass':
      return { op: tool, line: [a, b] };
    case 'crop':
      return {
        op: tool,
        low: [Math.min(a[0], b[0]), Math.min(a[1], b[1])],
        high: [Math.max(a[0], b[0]), Math.max(a[1], b[1])],
      };
    case 'erase':
    case 'keepout':
      return corners.length < 3 ? null : { op: tool, outline: corners };
    default:
      return null;
  }
}

function centi(metres: number): number {
  return Math.round(metres * 100) / 100;
}

// ---- hit-testing -----------------------------------------------------------------

export const TIP = 34; // px from the centre of a place to the tip that turns it, as in the map editor
const REACH = 14; // px
const NEAR = 7; // px beside an edge
const CLUMSY = 10; // px more for a finger

export interface Hit {
  item: Item;
  tip: boolean; // of a heading
}

// hit returns the item under a point of the canvas: the heading of the chosen item, then points, then
// edges, then areas.
export function hit(
  d: DraftView,
  chosen: Item | null,
  px: Point,
  at: Point,
  finger: boolean,
  screen: (p: Point) => Point,
): Hit | null {
  const more = finger ? CLUMSY : 0;
  const off = (p: Point) => Math.hypot(p[0] - px[0], p[1] - px[1]);
  if (chosen !== null && isTurnable(chosen)) {
    const pose = poseOf(d, chosen);
    if (pose) {
      const [x, y] = screen([pose[0], pose[1]]);
      if (off([x + TIP * Math.cos(pose[2]), y - TIP * Math.sin(pose[2])]) <= REACH + more)
        return { item: chosen, tip: true };
    }
  }
  let best: Item | null = null;
  let least = REACH + more;
  for (const item of itemsOf(d)) {
    const pose = isMovable(item) ? poseOf(d, item) : null;
    const far = pose ? off(screen([pose[0], pose[1]])) : Infinity;
    if (far <= least) [best, least] = [item, far];
  }
  if (best !== null) return { item: best, tip: false };
  for (const ends of d.edges) {
    const [a, b] = ends.map((id) => d.via.find((v) => v.id === id)?.at);
    if (a && b && off(nearestOn(px, screen(a), screen(b))) <= NEAR + more)
      return { item: { kind: 'edge', ends }, tip: false };
  }
  const area = d.keepouts.findIndex((outline) => contains(outline, at));
  if (area >= 0) return { item: { kind: 'keepout', id: area + 1 }, tip: false };
  const room = d.rooms.find((r) => contains(r.outline, at));
  return room ? { item: { kind: 'room', id: room.id }, tip: false } : null;
}
