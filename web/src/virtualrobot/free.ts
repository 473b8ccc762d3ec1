// Free: where the virtual robot may go. It slows down and stops before the lines of the map and before what
// the sonar has seen, like the robot's own guard (robot/onboard, guard.go), but a little earlier, so that
// the robot seldom has to hold. The guard remains responsible for safety.
import { type Limit, type Motion, step, TICK, type Twist } from './step.ts';
import { centreOf } from './virtual.ts';
import { distance, type Line, linesOf, RADIUS, type Thing } from '../map/unknown.ts';
import { gapTo, offHull, reachOf } from '../hull.ts';
import type { Floorplan, Point, Pose, Robot, World } from '../wire.ts';

const LOOK = 1.2; // m ahead
const EVERY = 0.05; // m between tested points
const STOP = 0.4; // m of free path at which it stops; the guard's is 0.35 m
const BRAKE = 0.2; // m/s2 of the deceleration before that; the guard's is 0.208 m/s2
const LATENCY = 0.1; // s, like the guard's
const TOUCH = 0.03; // m from the hull, within which an obstacle is in the way
const CLEAR = 0.08; // m between the hull and a line; the guard's are 0.06 m
const SOON = 0.06; // s until the next sample
const DEEP = 9; // m, more than any hull
const PARTS = [1, 0.6, 0.3, 0];

export interface Obstacles {
  lines: readonly Line[];
  things: readonly Pick<Thing, 'x' | 'y'>[]; // discs of RADIUS
}

// standing returns the lines of the map that are present now. Only the simulator reports the state of
// doors.
export function standing(plan: Floorplan, world: World | null): Line[] {
  const lines = linesOf({ ...plan, doors: [] });
  plan.doors.forEach((d, i) => {
    const door = world?.doors[i];
    if (door === undefined) return;
    const a = door.closed ? d.closed : d.open;
    lines.push([...d.hinge, d.hinge[0] + d.length * Math.cos(a), d.hinge[1] + d.length * Math.sin(a)]);
  });
  return lines;
}

// Bounded is a bounded request, and the free path in m that bounds it; Infinity: unbounded.
export interface Bounded extends Twist {
  way: number;
}

// bound limits a request. The approach slows the motion ahead but not the turning, so that turning away
// stays possible; before a touch both are limited.
export function bound(m: Motion, want: Twist, limit: Limit, r: Robot, all: Obstacles): Bounded {
  const free: Bounded = { ...want, way: Infinity };
  if (want.v === 0 && want.w === 0) return free;
  const far = LOOK + reachOf(r.hull) + Math.abs(r.axle);
  const { x, y } = m.axle;
  const near: Obstacles = {
    lines: all.lines.filter((l) => distance([x, y], l) < far),
    things: all.things.filter((th) => Math.hypot(th.x - x, th.y - y) < far + RADIUS),
  };
  if (near.lines.length + near.things.length === 0) return free;
  const gapOf = (a: Motion['axle']) => gap(centreOf(a, r.axle), r, near);
  const now = gapOf(m.axle);
  const closes = (g: number, least: number) => g < least && g < now - 1e-4;

  let { v, way: least } = free;
  if (v !== 0) {
    const unit = { v: Math.sign(v), w: want.w / Math.abs(v) };
    const any: Limit = { v: 2, w: Infinity, av: Infinity, aw: Infinity, r: limit.r };
    let a = m;
    let way = 0;
    while (way < LOOK && !closes(gapOf(a.axle), TOUCH)) {
      a = step(a, unit, any, EVERY);
      way += EVERY;
    }
    const most = way < LOOK ? slowest(way - STOP) : Infinity;
    if (most < Math.abs(v)) [v, least] = [Math.sign(v) * most, way];
  }
  for (const f of PARTS) {
    const part = { v: v * f, w: want.w * f, way: f < 1 ? Math.min(least, Math.max(0, now)) : least };
    if (f === 0 || !touches(m, part, limit, (a) => closes(gapOf(a), CLEAR))) return part;
  }
  return free;
}

// slowest returns the speed from which it can stop within way metres.
function slowest(way: number): number {
  return way <= 0 ? 0 : BRAKE * (Math.sqrt(LATENCY * LATENCY + (2 * way) / BRAKE) - LATENCY);
}

// touches reports whether the motion, held until the next sample and then released, ends in a touch.
function touches(m: Motion, want: Twist, limit: Limit, touch: (axle: Motion['axle']) => boolean): boolean {
  let a = m;
  for (let k = 0; k * TICK < SOON || a.twist.v !== 0 || a.twist.w !== 0; k++) {
    a = step(a, k * TICK < SOON ? want : { v: 0, w: 0 }, limit, TICK);
    if (k % 5 === 4 && touch(a.axle)) return true;
  }
  return touch(a.axle);
}

// gap returns the least distance between the hull, with base_link at a pose, and what stands there, in m; 0
// on a line. Inside a disc it is negative, and grows on the way out.
export function gap([x, y, theta]: Pose, { hull }: Pick<Robot, 'hull'>, { lines, things }: Obstacles): number {
  const c = Math.cos(theta);
  const s = Math.sin(theta);
  const own = (px: number, py: number): Point => [c * (px - x) + s * (py - y), c * (py - y) - s * (px - x)];
  let least = Infinity;
  for (const th of things) {
    const p = own(th.x, th.y);
    const d = offHull(hull, p) - RADIUS;
    least = Math.min(least, d > 0 ? d : Math.hypot(...p) - DEEP);
  }
  for (const [x0, y0, x1, y1] of lines) least = Math.min(least, gapTo(hull, own(x0, y0), own(x1, y1)));
  return least;
}
