// Marks: drawing and hit-testing of via points, edges and places during editing.
import { nearestOn } from './clearance.ts';
import { type Item, pairsOf, sameItem, type Sketch, wayOf } from './sketch.ts';
import { type Brush, path, TAU, write } from '../map/brush.ts';
import { toScreen } from '../map/view.ts';
import type { Point, Pose } from '../wire.ts';

export const TIP = 34; // px from the centre of a place to the tip that turns it
const GEM = 8; // px, half the size of a via point
const REACH = 14; // px around an item that count as a hit
const NEAR = 7; // px beside an edge
const FINE = REACH / 0.02; // px a metre at which REACH is 2 cm
const CLUMSY = 10; // px more for a finger

export interface Hit {
  item: Item;
  tip: boolean; // of a place's heading
}

// hit returns the item under a point of the canvas: the heading of the chosen place, via points, places,
// edges, in this order.
export function hit(
  s: Sketch,
  chosen: Item | null,
  at: Point,
  finger: boolean,
  screen: (p: Point) => Point,
): Hit | null {
  const more = finger ? CLUMSY : 0;
  const off = (p: Point) => Math.hypot(p[0] - at[0], p[1] - at[1]);
  if (chosen?.kind === 'place') {
    const pose = s.places[chosen.n]?.pose;
    if (pose && off(tipOf(pose, screen)) <= REACH + more) return { item: chosen, tip: true };
  }
  let best: { item: Item; off: number } | null = null;
  const look = (item: Item, far: number) => {
    if (far <= REACH + more && (best === null || far < best.off)) best = { item, off: far };
  };
  for (const v of s.via) look({ kind: 'via', id: v.id }, off(screen(v.at)));
  s.places.forEach(({ pose }, n) => look({ kind: 'place', n }, off(screen([pose[0], pose[1]]))));
  const found = best as { item: Item; off: number } | null;
  if (found !== null) return { item: found.item, tip: false };
  const spot = new Map(s.via.map((v) => [v.id, screen(v.at)]));
  for (const ends of pairsOf(s)) {
    const [a, b] = [spot.get(ends[0]), spot.get(ends[1])];
    if (a && b && off(nearestOn(at, a, b)) <= NEAR + more) return { item: { kind: 'edge', ends }, tip: false };
  }
  return null;
}

// itemAt returns the item at a point of the map, or else the edge through it: within 2 cm, more than the
// robot's rounding.
export function itemAt(s: Sketch, at: Point): Item | null {
  return hit(s, null, [at[0] * FINE, at[1] * FINE], false, ([x, y]) => [x * FINE, y * FINE])?.item ?? null;
}

function tipOf(pose: Pose, screen: (p: Point) => Point): Point {
  const [x, y] = screen([pose[0], pose[1]]);
  return [x + TIP * Math.cos(pose[2]), y - TIP * Math.sin(pose[2])];
}

// drawSketch draws the sketch. bad are the items at which the robot does not fit, rubber is an edge that is
// being drawn.
export function drawSketch(
  b: Brush,
  s: Sketch,
  chosen: Item | null,
  bad: readonly Item[],
  rubber: [Point, Point] | null,
): void {
  const is = (item: Item) => ({ bad: bad.some((i) => sameItem(i, item)), chosen: sameItem(chosen, item) });
  const at = new Map(s.via.map((v) => [v.id, v.at]));
  for (const ends of pairsOf(s)) {
    const [from, to] = [at.get(ends[0]), at.get(ends[1])];
    if (from && to) drawEdge(b, from, to, wayOf(s, ends), is({ kind: 'edge', ends }));
  }
  if (rubber !== null) drawEdge(b, ...rubber, 'both', { bad: false, chosen: true });
  for (const v of s.via) drawGem(b, v.at, v.name, is({ kind: 'via', id: v.id }));
  s.places.forEach(({ name, pose }, n) => drawPlace(b, pose, name, is({ kind: 'place', n })));
}

interface Look {
  bad: boolean;
  chosen: boolean;
}

function drawEdge(b: Brush, from: Point, to: Point, way: string | null, look: Look): void {
  const { c, v, p } = b;
  c.strokeStyle = c.fillStyle = p[look.bad ? 'danger' : look.chosen ? 'accent' : 'text-2'];
  c.lineWidth = look.chosen ? 3.5 : 1.8;
  c.setLineDash(look.bad ? [7, 4] : []);
  path(b, [from, to]);
  c.stroke();
  c.setLineDash([]);
  if (way === 'both' || way === null) return;
  const [x0, y0] = toScreen(v, ...from);
  const [x1, y1] = toScreen(v, ...to);
  c.save();
  c.translate((x0 + x1) / 2, (y0 + y1) / 2);
  c.rotate(Math.atan2(y1 - y0, x1 - x0) + (way === 'back' ? Math.PI : 0));
  c.beginPath();
  c.moveTo(9, 0);
  c.lineTo(-6, -6.5);
  c.lineTo(-6, 6.5);
  c.closePath();
  c.fill();
  c.restore();
}

function drawGem(b: Brush, at: Point, name: string, look: Look): void {
  const { c, v, p } = b;
  const [x, y] = toScreen(v, ...at);
  const r = look.chosen ? GEM + 2 : GEM;
  const colour = p[look.bad ? 'danger' : look.chosen ? 'accent' : 'text-2'];
  c.beginPath();
  c.moveTo(x, y - r);
  c.lineTo(x + r, y);
  c.lineTo(x, y + r);
  c.lineTo(x - r, y);
  c.closePath();
  c.fillStyle = look.chosen ? colour : p['surface-1'];
  c.fill();
  c.strokeStyle = colour;
  c.lineWidth = 2;
  c.stroke();
  if (look.bad) cross(b, x, y, r + 6);
  if (name !== '') write(b, name, x, y + r + 11, '600 11.5px', look.bad ? p.danger : p.text);
}

function drawPlace(b: Brush, pose: Pose, name: string, look: Look): void {
  const { c, v, p } = b;
  const [x, y] = toScreen(v, pose[0], pose[1]);
  const colour = p[look.bad ? 'danger' : look.chosen ? 'accent' : 'text-2'];
  c.save();
  c.translate(x, y);
  c.rotate(-pose[2]);
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = 2;
  if (look.chosen) {
    c.beginPath();
    c.moveTo(9, 0);
    c.lineTo(TIP, 0);
    c.stroke();
    c.beginPath();
    c.arc(TIP, 0, 6, 0, TAU);
    c.fill();
  }
  c.beginPath();
  c.moveTo(17, 0);
  c.lineTo(9, -5.5);
  c.lineTo(9, 5.5);
  c.closePath();
  c.fill();
  c.beginPath();
  c.arc(0, 0, 8, 0, TAU);
  c.fillStyle = look.chosen ? colour : p['surface-1'];
  c.fill();
  c.stroke();
  c.restore();
  if (look.bad) cross(b, x, y, 14);
  if (name !== '') write(b, name, x, y - 18, '600 11.5px', look.bad ? p.danger : p.text);
}

// cross marks a misfit without colour.
function cross({ c }: Brush, x: number, y: number, r: number): void {
  c.lineWidth = 2;
  c.beginPath();
  c.moveTo(x - r, y - r);
  c.lineTo(x + r, y + r);
  c.moveTo(x - r, y + r);
  c.lineTo(x + r, y - r);
  c.stroke();
}
