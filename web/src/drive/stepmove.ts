// Step moves, for people who cannot hold: one press moves the robot a short distance, after which it stops.
// The move ends when the robot has gone far enough, or when its time is over.
import { wrap } from '../virtualrobot/step.ts';
import type { Pose } from '../wire.ts';
import type { Sample } from './hold.ts';

export type Way = 'ahead' | 'back' | 'left' | 'right';

export const LENGTH = 0.1; // m
export const ANGLE = (15 * Math.PI) / 180; // rad
const SPEED = 0.15; // m/s, if the speed limit allows it
const TURN = 0.4; // rad/s

export interface StepMove {
  way: Way;
  from: Pose; // the robot's pose at the start
  wish: Sample;
  until: number; // s, the end of its time
}

// begin starts a step from the robot's pose, no faster than limit (m/s, rad/s).
export function begin(way: Way, from: Pose, limit: Sample, t: number): StepMove {
  const v = Math.min(SPEED, limit.v);
  const w = Math.min(TURN, limit.w);
  switch (way) {
    case 'ahead':
      return { way, from, wish: { v, w: 0 }, until: t + LENGTH / v };
    case 'back':
      return { way, from, wish: { v: -v, w: 0 }, until: t + LENGTH / v };
    case 'left':
      return { way, from, wish: { v: 0, w }, until: t + ANGLE / w };
    case 'right':
      return { way, from, wish: { v: 0, w: -w }, until: t + ANGLE / w };
  }
}

// isDone reports whether a step has ended with the robot at pose.
export function isDone(s: StepMove, pose: Pose, t: number): boolean {
  return t >= s.until || gone(s, pose) >= 1;
}

// gone returns the completed share of the step, 1 = all.
export function gone(s: StepMove, [x, y, theta]: Pose): number {
  const [x0, y0, theta0] = s.from;
  switch (s.way) {
    case 'left':
      return wrap(theta - theta0) / ANGLE;
    case 'right':
      return wrap(theta0 - theta) / ANGLE;
    default: {
      const along = (x - x0) * Math.cos(theta0) + (y - y0) * Math.sin(theta0);
      return (s.way === 'ahead' ? along : -along) / LENGTH;
    }
  }
}
