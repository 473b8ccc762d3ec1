// The stick on the screen: up is forward, both axes at once, within a circle.
import type { Deflection } from './keys.ts';

export const DEAD = 0.08; // of the radius, where a thumb may rest

// deflect returns the deflection for a thumb dx pixels right and dy pixels below the centre.
export function deflect(dx: number, dy: number, radius: number): Deflection {
  const [x, y] = circle(dx / radius, dy / radius);
  const r = Math.hypot(x, y);
  if (r <= DEAD) return { forward: 0, left: 0 };
  const f = (r - DEAD) / (1 - DEAD) / r;
  return { forward: flat(-y * f), left: flat(-x * f) };
}

// circle limits a point to the unit circle.
export function circle(x: number, y: number): [x: number, y: number] {
  const r = Math.hypot(x, y);
  return r > 1 ? [x / r, y / r] : [x, y];
}

// flat turns minus zero into zero.
function flat(n: number): number {
  return n === 0 ? 0 : n;
}
