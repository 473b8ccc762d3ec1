// Episode: one blocked path, from when the robot first waits until it has driven on for a while. Attempts
// on other paths and further waits belong to the same episode, so that a person is asked once. Pure; times
// in s.
import type { Goal } from '../wire.ts';

export interface Episode {
  n: number; // the goal
  tries: number; // number of times that it started and was blocked again
  driving: number | null; // since when it has been driving again
  waits: boolean; // a person chose to wait
}

export const OVER = 6; // s of driving after which the path counts as free

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
