// Line: distances along a route's line, which is straight between its points. All in metres.
import type { Point } from '../wire.ts';

// after returns the rest of a line after a distance along it; empty if none is left.
export function after(line: readonly Point[], done: number): Point[] {
  let at = 0;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1] as Point, line[i] as Point];
    const long = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (at + long > done) return [between(a, b, Math.max(0, done - at) / long), ...line.slice(i)];
    at += long;
  }
  return [];
}

// marks returns points on a line at regular distances, with the direction of the line in radians. The first
// is half a step from the start.
export function marks(line: readonly Point[], every: number): { at: Point; way: number }[] {
  const out: { at: Point; way: number }[] = [];
  let next = every / 2;
  let done = 0;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1] as Point, line[i] as Point];
    const long = Math.hypot(b[0] - a[0], b[1] - a[1]);
    for (; next < done + long; next += every)
      out.push({ at: between(a, b, (next - done) / long), way: Math.atan2(b[1] - a[1], b[0] - a[0]) });
    done += long;
  }
  return out;
}

// nearest returns the distance along a line of its point nearest to p, and the distance to that point.
export function nearest(line: readonly Point[], p: Point): { off: number; at: number } {
  let best = { off: Infinity, at: 0 };
  let done = 0;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1] as Point, line[i] as Point];
    const long = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (long === 0) continue;
    const f = Math.min(1, Math.max(0, ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / (long * long)));
    const q = between(a, b, f);
    const off = Math.hypot(p[0] - q[0], p[1] - q[1]);
    if (off < best.off) best = { off, at: done + f * long };
    done += long;
  }
  return best;
}

function between(a: Point, b: Point, f: number): Point {
  return [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f];
}
