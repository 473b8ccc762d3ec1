// The progress of a held button. Pure: times in seconds.

export const RELEASE_AFTER = 1.5;

export interface Held {
  since: number | null; // when it was pressed; null: it is not held
  done: boolean; // this hold has triggered; release it first
}

export const loose: Held = { since: null, done: false };

export function grip(h: Held, t: number): Held {
  return h.since === null ? { since: t, done: false } : h;
}

// progress returns a value from 0 to 1; it stays full until the release.
export function progress(h: Held, t: number): number {
  if (h.since === null) return 0;
  return h.done ? 1 : Math.min(1, (t - h.since) / RELEASE_AFTER);
}

// due: the hold is long enough and has not yet triggered.
export function due(h: Held, t: number): boolean {
  return h.since !== null && !h.done && t - h.since >= RELEASE_AFTER;
}

// A press that cannot be held (a screen reader's click) counts as held from the first click to the second,
// if the second comes between 1.5 s and 6 s later.
export function secondClick(first: number | null, t: number): boolean {
  return first !== null && t - first >= RELEASE_AFTER && t - first <= 6;
}
