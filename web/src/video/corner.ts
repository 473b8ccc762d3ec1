// Corner: the place of the small picture on a phone's map, away from the robot and its path. Pure.
import type { Point } from '../wire.ts';

const CORNERS = { br: [1, 1], bl: [0, 1], tr: [1, 0], tl: [0, 0] } as const; // in a map of unit size
const MARGIN = 60; // px by which another corner must be better

export type Corner = keyof typeof CORNERS;

// cornerOf returns the corner of a map of this size that is farthest from all points, in px; the current
// one if it is nearly as good.
export function cornerOf(current: Corner | undefined, points: readonly Point[], width: number, height: number): Corner {
  const far = (name: Corner) =>
    Math.min(...points.map(([x, y]) => Math.hypot(x - CORNERS[name][0] * width, y - CORNERS[name][1] * height)));
  const best = (Object.keys(CORNERS) as Corner[]).reduce((a, b) => (far(b) > far(a) ? b : a));
  return current !== undefined && far(best) <= far(current) + MARGIN ? current : best;
}
