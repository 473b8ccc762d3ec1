// Clearance: the distance of places from walls and obstacles, and where the robot fits. The page uses lines
// where the robot uses cells, which is accurate enough for drawing; the robot itself checks what is saved.
import { pairsOf, type Item, type Sketch } from './sketch.ts';
import { contains } from '../map/floor.ts';
import type { Floorplan, Point } from '../wire.ts';

const SPARE = 0.06; // m of additional distance when an item is pushed off a wall
const STRIDE = 0.1; // m between tested points of an edge
const PUSHES = 8;

type Line = readonly [ax: number, ay: number, bx: number, by: number];

export class ClearanceMap {
  readonly #lines: Line[];
  readonly #solids: (readonly Point[])[] = []; // the robot cannot stand inside these
  readonly #discs: { at: Point; radius: number }[] = [];
  readonly #bounds: Floorplan['bounds'];
  readonly fit: number; // m that the robot's centre keeps from walls

  constructor(plan: Floorplan, fit: number) {
    this.fit = fit;
    this.#lines = [...plan.walls];
    this.#bounds = plan.bounds;
    for (const { outline, radius } of plan.furniture) {
      const [first] = outline;
      if (radius > 0 && first) this.#discs.push({ at: first, radius });
      else {
        this.#solids.push(outline);
        outline.forEach((a, i) => this.#lines.push([...a, ...(outline[(i + 1) % outline.length] ?? a)]));
      }
    }
  }

  // clearance returns the distance of a place from the nearest wall or obstacle, m; negative inside an
  // obstacle or off the map.
  clearance(p: Point): number {
    return this.#nearest(p).far;
  }

  // narrowest returns the least clearance of the straight line from a to b. Of the walls, of which a large
  // map has tens of thousands, those farther from it than the clearance of a do not count.
  narrowest(a: Point, b: Point): number {
    const n = Math.max(1, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / STRIDE));
    let least = this.clearance(a);
    const reach = least < 0 ? Infinity : least;
    const lines = this.#lines.filter(
      ([x0, y0, x1, y1]) => apart(x0, x1, a[0], b[0]) <= reach && apart(y0, y1, a[1], b[1]) <= reach,
    );
    for (let i = 1; i <= n; i++)
      least = Math.min(
        least,
        this.#nearest([a[0] + ((b[0] - a[0]) * i) / n, a[1] + ((b[1] - a[1]) * i) / n], lines).far,
      );
    return least;
  }

  // offWalls returns the place nearest to p at which the robot fits; p itself if there is none nearby, or
  // inside an obstacle.
  offWalls(p: Point): Point {
    if (this.#within(p)) return p;
    let q = p;
    const off = this.fit + SPARE;
    for (let i = 0; i < PUSHES; i++) {
      const { far, from } = this.#nearest(q);
      if (far >= off) return q;
      const [dx, dy] = [q[0] - from[0], q[1] - from[1]];
      const long = Math.hypot(dx, dy);
      if (long === 0) break;
      const push = (off - far + 1e-6) / long;
      q = [q[0] + dx * push, q[1] + dy * push];
    }
    return this.clearance(q) >= this.fit ? q : p;
  }

  #nearest([x, y]: Point, lines = this.#lines): { far: number; from: Point } {
    const [x0, y0, x1, y1] = this.#bounds;
    let best: { far: number; from: Point } = { far: Math.min(x - x0, x1 - x, y - y0, y1 - y), from: [x, y] };
    if (best.far < 0) return best;
    best.far = Infinity;
    for (const [ax, ay, bx, by] of lines) {
      const from = nearestOn([x, y], [ax, ay], [bx, by]);
      const far = Math.hypot(x - from[0], y - from[1]);
      if (far < best.far) best = { far, from };
    }
    for (const { at, radius } of this.#discs) {
      const far = Math.hypot(x - at[0], y - at[1]) - radius;
      if (far < best.far) best = { far, from: at };
    }
    if (this.#within([x, y])) best.far = -best.far;
    return best;
  }

  #within(p: Point): boolean {
    return this.#solids.some((outline) => contains(outline, p));
  }
}

// apart returns the gap between two intervals; negative if they overlap.
function apart(a: number, b: number, c: number, d: number): number {
  return Math.max(Math.min(a, b) - Math.max(c, d), Math.min(c, d) - Math.max(a, b));
}

// nearestOn returns the point of the line from a to b that is nearest to p.
export function nearestOn([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): Point {
  const [lx, ly] = [bx - ax, by - ay];
  const square = lx * lx + ly * ly;
  const f = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * lx + (y - ay) * ly) / square));
  return [ax + f * lx, ay + f * ly];
}

export interface Misfit {
  item: Item;
  clearance: number; // m
  needs: number; // m
}

// misfitsOf lists the items at which the robot does not fit, in the order of itemsOf. For an edge that ends
// at such a via point, it lists only the via point.
export function misfitsOf(s: Sketch, clearance: ClearanceMap): Misfit[] {
  const out: Misfit[] = [];
  const at = new Map(s.via.map((v) => [v.id, v.at]));
  const tight = new Set<number>();
  const needs = clearance.fit;
  const look = (item: Item, clearance: number): boolean => {
    if (clearance < needs) out.push({ item, clearance, needs });
    return clearance < needs;
  };
  for (const v of s.via) if (look({ kind: 'via', id: v.id }, clearance.clearance(v.at))) tight.add(v.id);
  for (const ends of pairsOf(s)) {
    const [a, b] = [at.get(ends[0]), at.get(ends[1])];
    if (a && b && !tight.has(ends[0]) && !tight.has(ends[1])) look({ kind: 'edge', ends }, clearance.narrowest(a, b));
  }
  s.places.forEach(({ pose }, n) => look({ kind: 'place', n }, clearance.clearance([pose[0], pose[1]])));
  return out;
}
