// Unknown: obstacles that the sonar sees and the map does not have. An echo may come from anywhere on an
// arc as wide as the beam, so it counts only if no part of that arc is near a line of the map, and an
// obstacle is shown only after several echoes. It is forgotten a few seconds after the last echo, or when
// the sonar looks through it.
import type { Floorplan, Point, Pose, Robot, State } from '../wire.ts';

export const NEAR = 0.3; // m from a line of the map; nearer echoes are that line
export const KEEP = 4; // s after the last echo
export const RADIUS = 0.2; // m, drawn radius of an obstacle
const SIGHTINGS = 3; // before it is shown
const SAME = 0.55; // m between two sightings of the same obstacle
const FAR = 2.5; // m; beyond it the arc is too wide to locate an obstacle
const REACH = 6; // m from base_link to the lines of an echo: FAR, NEAR, and where a sonar may sit
const SURE = 0.3; // m of two sigma; with a worse position, echoes do not count

export interface Thing {
  x: number; // m, in map
  y: number;
  seen: number; // number of sightings
  t: number; // s, robot's clock, of the last one
}

export type Line = readonly [x0: number, y0: number, x1: number, y1: number];

// linesOf returns every line of the plan that a sonar may see; discs become polygons, doors count both open
// and closed.
export function linesOf(plan: Floorplan): Line[] {
  const lines: Line[] = plan.walls.map((w) => [...w]);
  for (const f of plan.furniture)
    lines.push(...ring(f.radius > 0 && f.outline[0] !== undefined ? disc(f.outline[0], f.radius) : f.outline));
  for (const d of plan.doors)
    for (const a of [d.closed, d.open])
      lines.push([...d.hinge, d.hinge[0] + d.length * Math.cos(a), d.hinge[1] + d.length * Math.sin(a)]);
  return lines;
}

// look returns the obstacles after another state.
export function look(things: readonly Thing[], state: State, robot: Robot, lines: readonly Line[]): readonly Thing[] {
  const [xx, xy, yy] = state.cov;
  const sure = 2 * Math.sqrt((xx + yy) / 2 + Math.hypot((xx - yy) / 2, xy)) <= SURE;
  const kept = things.filter((th) => state.t >= th.t && state.t - th.t < KEEP && !through(th, state, robot));
  if (!sure) return kept;
  const [px, py] = state.pose;
  const near = lines.filter((l) => distance([px, py], l) < REACH);
  const out = [...kept];
  for (const { x, y } of sightings(state, robot, near)) {
    const k = out.findIndex((th) => Math.hypot(th.x - x, th.y - y) < SAME);
    const old = out[k];
    if (old === undefined) out.push({ x, y, seen: 1, t: state.t });
    else
      out[k] = {
        x: old.x + (x - old.x) * 0.3,
        y: old.y + (y - old.y) * 0.3,
        seen: old.seen + (old.t < state.t ? 1 : 0),
        t: state.t,
      };
  }
  return out.length === things.length && out.every((th, i) => th === things[i]) ? things : out;
}

// sightings returns the places of the echoes that the map does not explain. An obstacle in the beams of two
// sonars is between the two echoes.
function sightings(state: State, robot: Robot, lines: readonly Line[]): { x: number; y: number; n: number }[] {
  const out: { x: number; y: number; n: number }[] = [];
  robot.sonars.forEach((face, i) => {
    const range = state.ranges[i] ?? null;
    if (range === null || range > Math.min(FAR, robot.range)) return;
    const eye = compose(state.pose, face);
    if (isOnMap(eye, range, robot.beam, lines)) return;
    const [x, y] = ahead(eye, range + RADIUS, 0);
    const k = out.findIndex((s) => Math.hypot(s.x - x, s.y - y) < SAME);
    const other = out[k];
    if (other === undefined) out.push({ x, y, n: 1 });
    else
      out[k] = {
        x: other.x + (x - other.x) / (other.n + 1),
        y: other.y + (y - other.y) / (other.n + 1),
        n: other.n + 1,
      };
  });
  return out;
}

// shown returns the obstacles that were seen often enough.
export function shown(things: readonly Thing[]): readonly Thing[] {
  return things.filter((th) => th.seen >= SIGHTINGS);
}

// isOnMap reports whether an echo at range, in a beam with the given opening angle around the eye's pose,
// may come from a line.
export function isOnMap(eye: Pose, range: number, beam: number, lines: readonly Line[]): boolean {
  const arc = [-0.5, -0.25, 0, 0.25, 0.5].map((f) => ahead(eye, range, f * beam));
  const [, , middle] = arc;
  return lines.some(
    (l) => arc.some((p) => distance(p, l) < NEAR) || (middle !== undefined && crosses([eye[0], eye[1]], middle, l)),
  );
}

// through reports whether a sonar sees farther than an obstacle, along a beam that hits it.
function through(th: Thing, state: State, robot: Robot): boolean {
  return robot.sonars.some((face, i) => {
    const range = state.ranges[i];
    if (range === undefined || range === null) return false; // a missing echo may also be a smooth surface, and proves nothing
    const eye = compose(state.pose, face);
    const dx = th.x - eye[0];
    const dy = th.y - eye[1];
    const d = Math.hypot(dx, dy);
    const off = Math.abs(
      Math.atan2(-Math.sin(eye[2]) * dx + Math.cos(eye[2]) * dy, Math.cos(eye[2]) * dx + Math.sin(eye[2]) * dy),
    );
    return off < robot.beam / 8 && range > d + SAME - RADIUS;
  });
}

export function compose([x, y, theta]: Pose, [px, py, pt]: Pose): Pose {
  const c = Math.cos(theta);
  const s = Math.sin(theta);
  return [x + c * px - s * py, y + s * px + c * py, theta + pt];
}

function ahead([x, y, theta]: Pose, range: number, angle: number): Point {
  return [x + range * Math.cos(theta + angle), y + range * Math.sin(theta + angle)];
}

function disc([x, y]: Point, radius: number): Point[] {
  return Array.from({ length: 12 }, (_, i) => ahead([x, y, 0], radius, (i * Math.PI) / 6));
}

function ring(points: readonly Point[]): Line[] {
  return points.map((p, i) => [...p, ...(points[(i + 1) % points.length] ?? p)] as Line);
}

// distance of a point from a line, in m.
export function distance([x, y]: Point, [x0, y0, x1, y1]: Line): number {
  const ex = x1 - x0;
  const ey = y1 - y0;
  const len2 = ex * ex + ey * ey;
  const f = len2 === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * ex + (y - y0) * ey) / len2));
  return Math.hypot(x - x0 - f * ex, y - y0 - f * ey);
}

function crosses([ax, ay]: Point, [bx, by]: Point, [x0, y0, x1, y1]: Line): boolean {
  const side = (px: number, py: number, qx: number, qy: number, rx: number, ry: number) =>
    Math.sign((qx - px) * (ry - py) - (qy - py) * (rx - px));
  return (
    side(ax, ay, bx, by, x0, y0) !== side(ax, ay, bx, by, x1, y1) &&
    side(x0, y0, x1, y1, ax, ay) !== side(x0, y0, x1, y1, bx, by)
  );
}
