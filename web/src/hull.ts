// Hull: the outline of the robot in base_link, from its description: convex, corners counter-clockwise.
// Pure.
import { distance } from './map/unknown.ts';
import type { Point, Robot } from './wire.ts';

export type Hull = Robot['hull'];

// Box is the extent of a hull along and across the robot, in m.
export interface Box {
  back: number;
  front: number;
  right: number;
  left: number;
}

export function boxOf(hull: Hull): Box {
  const xs = hull.map(([x]) => x);
  const ys = hull.map(([, y]) => y);
  return { back: Math.min(...xs), front: Math.max(...xs), right: Math.min(...ys), left: Math.max(...ys) };
}

// widthOf returns the width of the strip that the robot needs to drive straight ahead, in m.
export function widthOf(hull: Hull): number {
  const { right, left } = boxOf(hull);
  return left - right;
}

// reachOf returns the distance of the farthest corner from base_link, in m.
export function reachOf(hull: Hull): number {
  return Math.max(...hull.map((p) => Math.hypot(...p)));
}

// clearanceOf returns the distance from obstacles that base_link needs at a goal, in m:
// robot.Body.Clearance.
export function clearanceOf(hull: Hull): number {
  return Math.ceil(100 * (reachOf(hull) + 0.015) - 1e-9) / 100;
}

// offHull returns the distance of a point from the hull, in m; 0 inside it.
export function offHull(hull: Hull, p: Point): number {
  if (edgesOf(hull).every((e) => leftOf(e, p) >= 0)) return 0;
  return Math.min(...edgesOf(hull).map((e) => distance(p, e)));
}

// gapTo returns the distance of the line from a to b from the hull, in m; 0 if they meet.
export function gapTo(hull: Hull, a: Point, b: Point): number {
  if (meets(hull, a, b)) return 0;
  return Math.min(offHull(hull, a), offHull(hull, b), ...hull.map((corner) => distance(corner, [...a, ...b])));
}

type Edge = [x0: number, y0: number, x1: number, y1: number];

function edgesOf(hull: Hull): Edge[] {
  return hull.map((p, i) => [...p, ...(hull[(i + 1) % hull.length] ?? p)]);
}

// leftOf is positive to the left of an edge, on the inner side.
function leftOf([x0, y0, x1, y1]: Edge, [x, y]: Point): number {
  return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0);
}

// meets reports whether the line from a to b meets the hull: whether clipping by every edge leaves a part
// of it.
function meets(hull: Hull, a: Point, b: Point): boolean {
  let from = 0;
  let to = 1;
  for (const e of edgesOf(hull)) {
    const [at, end] = [leftOf(e, a), leftOf(e, b)];
    if (at < 0 && end < 0) return false;
    if (at < 0) from = Math.max(from, at / (at - end));
    else if (end < 0) to = Math.min(to, at / (at - end));
  }
  return from <= to;
}
