// Suggest: a sensible speed limit for a delay. Up to SLOW there is none; above it the speed falls with the
// square root of the round trip, so that the distance driven before a person sees it grows more slowly than
// the delay.
//
// v = 0.45 m/s sqrt(0.4 s / rtt), in steps of 0.05 m/s, 0.15 m/s at least
import { SLOW } from '../link/band.ts';
import type { Store } from '../store.ts';

const MOST = 0.45; // m/s
const LEAST = 0.15;
const STEP = 0.05;
const STAY = 0.035; // m/s by which the curve must leave a step before the suggestion changes
const BACK = 0.85; // of SLOW, below which the delay counts as short again

// suggest returns the suggested speed; Infinity = none. rtt is in s, null if unknown; before is the
// previous suggestion.
export function suggest(rtt: number | null, before: number): number {
  if (rtt === null) return before;
  if (rtt <= SLOW * (before === Infinity ? 1 : BACK)) return Infinity;
  const v = Math.min(MOST, Math.max(LEAST, MOST * Math.sqrt(SLOW / rtt)));
  return Math.abs(v - before) <= STAY ? before : Math.round(v / STEP) * STEP;
}

// mountSuggestion updates the suggested speed with the delay.
export function mountSuggestion(store: Store): void {
  store.subscribe((m, before) => {
    if (m.rtt === before.rtt) return;
    const suggested = suggest(m.rtt, m.suggested);
    if (suggested !== m.suggested) store.set({ suggested, faster: m.faster && suggested !== Infinity });
  });
}
