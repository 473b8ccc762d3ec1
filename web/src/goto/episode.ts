// Episode: one blocked way, from when the robot first waits until it drives on for good. While it tries another way, or waits
// again, it is still the same one, so that a person is asked once. Pure; times in s.
import type { Goal } from '../wire.ts';

export interface Episode {
  n: number; // the goal
  tries: number; // how often it set out and was blocked again
  driving: number | null; // since when it drives again
  waits: boolean; // a person said to wait
}

export const OVER = 6; // s of driving after which the way counts as free

export function episodeOf(old: Episode | null, goal: Goal | null, t: number): Episode | null {
  if (goal === null || goal.phase === 'paused' || goal.phase === 'ended') return null;
  const same = old !== null && old.n === goal.n ? old : null;
  if (goal.phase === 'blocked') {
    if (same === null) return { n: goal.n, tries: 0, driving: null, waits: false };
    return same.driving === null ? same : { ...same, tries: same.tries + 1, driving: null };
  }
  if (same === null || same.driving === null) return same && { ...same, driving: t };
  return t - same.driving > OVER ? null : same;
}
