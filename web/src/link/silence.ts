// The page's states of contact: pure, times in seconds.
import type { Conn } from '../store.ts';

export const STALE_AFTER = 0.5;
export const LOST_AFTER = 1.5;
export const FIRST_WITHIN = 10; // the longest time until the first state

// contact returns the state of contact by the page times of the newest state (null: none yet) and of the
// page's start. every is the period of states.
export function contact(
  now: number,
  lastState: number | null,
  start: number,
  every = 0,
): { conn: Conn; silence: number } {
  if (lastState === null) {
    const silence = now - start;
    return silence < FIRST_WITHIN ? { conn: 'connecting', silence: 0 } : { conn: 'lost', silence: tenths(silence) };
  }
  const silence = now - lastState;
  if (silence < STALE_AFTER + every) return { conn: 'live', silence: 0 };
  return { conn: silence < LOST_AFTER ? 'stale' : 'lost', silence: tenths(silence) };
}

function tenths(s: number): number {
  return Math.floor(s * 10) / 10;
}
