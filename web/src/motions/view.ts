// View: the texts of the motions' card, and the pose of a motion at a time.
import { motions as words } from '../../strings.json';
import { firstLetters, shortTime } from '../format.ts';
import { say } from '../words.ts';
import type { Kept, Pose } from '../wire.ts';

// The distance from its start within which the robot can play a motion.
const WITHIN = 0.3; // m
const TURNED = Math.PI / 6;

const LONGEST = 60; // letters of a goal's name

// nameOfStart names the goal at the start of a motion.
export function nameOfStart(name: string): string {
  return firstLetters(say(words.startOf, { name }), LONGEST);
}

// playingOf says what the robot replays; null: the motion was deleted meanwhile, while the robot continues.
export function playingOf(kept: Kept | null, left: number): string {
  return say(words.playing, { name: kept?.name ?? words.gone, m: left.toFixed(1) });
}

// Waypoint is one point of a motion's file.
export interface Waypoint {
  t: number; // s since it began
  pose: { x: number; y: number; theta: number };
}

// metaOf returns when a motion was driven, how far, and for how long.
export function metaOf({ at, length, time }: Kept): string {
  const s = Math.round(time);
  return say(words.meta, {
    at: shortTime(at),
    m: length.toFixed(1),
    time: `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`,
  });
}

// dayOf returns the name of the day on which the motion was driven.
export function dayOf({ at }: Kept, now: Date): string {
  const date = new Date(at);
  const midnight = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
  const ago = Math.round((midnight(now) - midnight(date)) / 86_400_000); // in days; those with a change of summer time are shorter or longer
  if (ago === 0) return words.today;
  if (ago === 1) return words.yesterday;
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return date.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', ...year }).replace(',', '');
}

// awayOf returns why the motion cannot be played from a pose; empty if it can.
export function awayOf({ start }: Kept, pose: Pose): string {
  const far = Math.hypot(start[0] - pose[0], start[1] - pose[1]);
  const turned = Math.abs(wrap(start[2] - pose[2]));
  if (far > WITHIN) return say(words.far, { m: far.toFixed(1) });
  return turned > TURNED ? say(words.turned, { deg: Math.round((turned * 180) / Math.PI) }) : '';
}

// poseAt returns the pose of the motion t seconds after its start, at most its end.
export function poseAt(points: readonly Waypoint[], t: number): Pose | null {
  const after = points.findIndex((p) => p.t >= t);
  const b = points[after < 0 ? points.length - 1 : after];
  if (b === undefined) return null;
  const a = points[after - 1];
  if (a === undefined || after < 0) return [b.pose.x, b.pose.y, b.pose.theta];
  const f = (t - a.t) / (b.t - a.t);
  const mix = (from: number, to: number) => from + f * (to - from);
  return [mix(a.pose.x, b.pose.x), mix(a.pose.y, b.pose.y), wrap(a.pose.theta + f * wrap(b.pose.theta - a.pose.theta))];
}

function wrap(a: number): number {
  return Math.atan2(Math.sin(a), Math.cos(a));
}
