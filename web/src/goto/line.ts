// Line: distances along a route's line, which is straight between its points. All in metres.
import type { Point } from '../wire.ts';

// after is what of a line is left behind a distance along it; empty when nothing is.
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

// marks are places on a line, one every so many metres, with the way it leads there in radians. The first lies half a step in.
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

// nearest is how far along a line the point of it lies that is nearest to p, and how far that is off.
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
