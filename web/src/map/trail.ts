// Trail: the robot's path in the last minute, as seen by the page.
import type { State } from '../wire.ts';

export const FADE = 60; // s
const SPACING = 0.03; // m between two points
const JUMP = 0.5; // m; a longer distance was not driven

export interface Crumb {
  x: number; // m, in map
  y: number;
  t: number; // s, robot's clock
  jump: boolean; // no line leads to it
}

// longer returns the trail with the robot's newest position, without faded crumbs.
export function longer(trail: readonly Crumb[], state: State): readonly Crumb[] {
  const [x, y] = state.pose;
  const last = trail[trail.length - 1];
  if (last !== undefined && state.t < last.t) return [{ x, y, t: state.t, jump: true }];
  const d = last === undefined ? Infinity : Math.hypot(x - last.x, y - last.y);
  const kept = trail.filter((c) => state.t - c.t < FADE);
  if (d < SPACING) return kept.length === trail.length ? trail : kept;
  return [...kept, { x, y, t: state.t, jump: d > JUMP }];
}

// strokes cuts the trail into lines of similar age, oldest first; fresh is from 0 to 1.
export function strokes(trail: readonly Crumb[], t: number, cuts: number): { fresh: number; points: Crumb[] }[] {
  const out: { fresh: number; points: Crumb[] }[] = [];
  let before: Crumb | undefined;
  for (const c of trail) {
    const fresh = Math.ceil(Math.max(0, 1 - (t - c.t) / FADE) * cuts) / cuts;
    const now = out[out.length - 1];
    if (before === undefined || c.jump || now === undefined) out.push({ fresh, points: [c] });
    else if (now.fresh === fresh) now.points.push(c);
    else out.push({ fresh, points: [before, c] });
    before = c;
  }
  return out;
}
