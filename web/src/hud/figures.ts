// Figures: the numbers of the telemetry as people read them. A missing one is an en dash.
import { ellipse } from '../map/marks.ts';
import { say, words } from '../words.ts';
import type { Robot, State, Trust } from '../wire.ts';

export const DASH = '–';
const MINUS = '−';

export type Quality = 'good' | 'fair' | 'poor' | 'unsure' | 'lost';

// metres with two decimals, or m/s.
export function metres(n: number | null): string {
  return n === null
    ? DASH
    : n
        .toFixed(2)
        .replace(/^-(?=0\.00$)/, '')
        .replace('-', MINUS);
}

// turn formats rad/s as whole degrees with a sign, + to the left.
export function turn(w: number): string {
  const deg = Math.round(degrees(w));
  return deg === 0 ? '0' : `${deg > 0 ? '+' : MINUS}${Math.abs(deg)}`;
}

// heading formats rad as whole degrees, 0 to 359.
export function heading(theta: number): string {
  return String(((Math.round(degrees(theta)) % 360) + 360) % 360);
}

export function degrees(rad: number): number {
  return (rad * 180) / Math.PI;
}

// quality rates the position by its two sigma in m and by the localizer's trust, which knows of doubts that
// the sigma does not show; an ellipse means nothing if the robot may be somewhere else.
export function quality(twoSigma: number, trust: Trust): Quality {
  if (trust === 'LOST' || twoSigma >= 0.5) return 'lost';
  if (trust === 'UNSURE') return 'unsure';
  if (twoSigma >= 0.2) return 'poor';
  return twoSigma < 0.08 ? 'good' : 'fair';
}

// spread formats two sigma of the position and, if it is trusted, of the heading.
export function spread(place: number, heading: number, trust: Trust): string {
  const near = place < 1;
  if (trust !== 'OK')
    return say(near ? words.hud.ifRight : words.hud.ifRightMetres, {
      cm: Math.round(place * 100),
      m: place.toFixed(1),
    });
  return say(near ? words.hud.sigma : words.hud.sigmaMetres, {
    cm: Math.round(place * 100),
    m: place.toFixed(1),
    deg: degrees(heading).toFixed(1),
  });
}

// rangersOf returns the name of the lidar, or else the sonars, that the position estimate uses; "" = none.
export function rangersOf({ sonars, lidars }: State['sources'], robot: Robot): string {
  if (lidars) return words.hud.lidar;
  return sonars > 0 ? say(words.hud.sonars, { n: sonars, of: robot.sonars.length }) : '';
}

// sureness returns two sigma of the position, in m, and of the heading, in rad.
export function sureness([xx, xy, yy, tt]: State['cov']): [place: number, heading: number] {
  return [2 * ellipse(xx, xy, yy)[0], 2 * Math.sqrt(Math.max(0, tt))];
}

// side returns the name of a direction, rad in base_link.
export function side(bearing: number | null): string {
  const names = words.hud.sides;
  if (bearing === null) return '';
  const i = Math.round((bearing / (2 * Math.PI)) * names.length);
  return names[((i % names.length) + names.length) % names.length] ?? '';
}

const SECTORS = 12;

// rangesOf returns the distance to the nearest obstacle in each direction, in m: of each sonar or, without
// sonars, of the lidar, from base_link, in twelve sectors counter-clockwise from straight ahead.
export function rangesOf({ ranges, scan, pose: [x, y, theta] }: State): (number | null)[] {
  if (scan === undefined || ranges.length > 0) return ranges;
  const sectors = Array<number | null>(SECTORS).fill(null);
  for (let n = 0; n + 1 < scan.length; n += 2) {
    const [dx, dy] = [(scan[n] ?? 0) / 100 - x, (scan[n + 1] ?? 0) / 100 - y];
    const turns = (Math.atan2(dy, dx) - theta) / (2 * Math.PI);
    const i = Math.round((turns - Math.floor(turns)) * SECTORS) % SECTORS;
    sectors[i] = Math.min(sectors[i] ?? Infinity, Math.hypot(dx, dy));
  }
  return sectors;
}

// alarm returns the sonar colour of a range, stronger when nearer.
export function alarm(range: number | null, warn: number, danger: number): '' | 'warn' | 'danger' {
  if (range === null || range >= warn) return '';
  return range < danger ? 'danger' : 'warn';
}
