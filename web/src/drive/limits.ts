// Limits: the speeds at full deflection. Pure.
import type { Model } from '../store.ts';
import type { Sample } from './hold.ts';

// speedLimitOf returns the person's speed limit, or the suggested one at this delay, m/s.
export function speedLimitOf({ faster, prefs, suggested }: Readonly<Model>): number {
  return faster ? prefs.speedLimit : Math.min(prefs.speedLimit, suggested);
}

// limitsOf returns the speeds at full deflection: m/s by the person's own limit, rad/s by the robot's.
export function limitsOf(m: Readonly<Model>): { v: number; w: number } {
  const [v, w] = m.robot?.drive ?? [0, 0];
  return { v: Math.min(speedLimitOf(m), v), w };
}

// limitHand reduces a request to what the robot now allows a driver, on the same arc.
export function limitHand({ state }: Readonly<Model>, { v, w }: Sample): Sample {
  const most = state?.hand_limit?.speed ?? Infinity;
  const part = Math.abs(v) > most ? most / Math.abs(v) : 1;
  return { v: v * part, w: w * part };
}
