// Glide: states come ten times a second; the robot on the map moves smoothly between them. It arrives
// within GLIDE and never gets ahead of the states.
import { wrap } from '../virtualrobot/step.ts';
import type { Pose } from '../wire.ts';

export const GLIDE = 0.1; // s
const JUMP = 0.5; // m; a longer distance was not driven
const STILL = 0.002; // m; a shorter distance is invisible
const STILL_TURN = 0.005; // rad

export interface Glide {
  from: Pose;
  to: Pose;
  start: number; // s
  span: number; // s
}

// still is at rest at a pose.
export function still(pose: Pose): Glide {
  return { from: pose, to: pose, start: 0, span: 0 };
}

// toward moves from the present pose of g to pose.
export function toward(g: Glide, pose: Pose, t: number): Glide {
  const from = at(g, t);
  const far = Math.hypot(pose[0] - from[0], pose[1] - from[1]);
  const turned = Math.abs(wrap(pose[2] - from[2]));
  if (far > JUMP || (far < STILL && turned < STILL_TURN)) return still(pose);
  return { from, to: pose, start: t, span: GLIDE };
}

// at returns the pose at time t.
export function at(g: Glide, t: number): Pose {
  const f = isOver(g, t) ? 1 : Math.max(0, (t - g.start) / g.span);
  if (f === 1) return g.to;
  const [x, y, theta] = g.from;
  return [x + (g.to[0] - x) * f, y + (g.to[1] - y) * f, wrap(theta + wrap(g.to[2] - theta) * f)];
}

export function isOver(g: Glide, t: number): boolean {
  return t >= g.start + g.span;
}
