// Figures: the numbers of the telemetry as people read them. Missing ones are an en dash.
import { ellipse } from '../map/marks.ts';
import { words } from '../words.ts';
import type { Robot, State, Trust } from '../wire.ts';

export const DASH = '–';
const MINUS = '−';

export type Quality = 'good' | 'fair' | 'poor' | 'lost';

// metres with two decimals, or m/s.
export function metres(n: number | null): string {
  return n === null
    ? DASH
    : n
        .toFixed(2)
        .replace(/^-(?=0\.00$)/, '')
        .replace('-', MINUS);
}

// turn of rad/s in whole degrees with its sign, + to the left.
export function turn(w: number): string {
  const deg = Math.round(degrees(w));
  return deg === 0 ? '0' : `${deg > 0 ? '+' : MINUS}${Math.abs(deg)}`;
}

// heading of rad in whole degrees, 0 to 359.
export function heading(theta: number): string {
  return String(((Math.round(degrees(theta)) % 360) + 360) % 360);
}

export function degrees(rad: number): number {
  return (rad * 180) / Math.PI;
}

// quality says how sure the place is, by its two sigma in m and by what the localizer says: it knows of doubts that the
// sigma does not show.
export function quality(twoSigma: number, trust: Trust): Quality {
  if (trust === 'LOST' || twoSigma >= 0.5) return 'lost';
  if (trust === 'UNSURE' || twoSigma >= 0.2) return 'poor';
  return twoSigma < 0.08 ? 'good' : 'fair';
}

// sureness returns two sigma of the place, in m, and of the heading, in rad.
export function sureness([xx, xy, yy, tt]: State['cov']): [place: number, heading: number] {
  return [2 * ellipse(xx, xy, yy)[0], 2 * Math.sqrt(Math.max(0, tt))];
}

// side names where a sonar looks.
export function side(robot: Robot, sonar: number): string {
  const theta = robot.sonars[sonar]?.[2];
  const names = words.hud.sides;
  if (theta === undefined) return '';
  const i = Math.round((theta / (2 * Math.PI)) * names.length);
  return names[((i % names.length) + names.length) % names.length] ?? '';
}

// alarm is the sonar colour of a range: the nearer, the louder.
export function alarm(range: number | null, warn: number, danger: number): '' | 'warn' | 'danger' {
  if (range === null || range >= warn) return '';
  return range < danger ? 'danger' : 'warn';
}
