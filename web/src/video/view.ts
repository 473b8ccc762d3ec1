// View: the pinhole camera, like robot.View. Pure. Pixels are counted from the picture's upper left corner.
import type { Head, Point, Pose } from '../wire.ts';

export type Angles = [pan: number, tilt: number];
type Three = [x: number, y: number, z: number];

export interface View {
  eye: Three; // the pinhole, in map
  right: Three; // unit vectors: the picture's axes
  down: Three;
  forward: Three; // and the optical axis
  focal: number; // pixels
  width: number;
  height: number;
}

// Turn is the turn of a predicted view relative to its picture.
export interface Turn {
  yaw: number; // rad, left positive
  tilt: number; // rad, up positive
}

// clampAngles returns the nearest angles that the head can reach.
export function clampAngles([pan, tilt]: Angles, head: Pick<Head, 'pan' | 'tilt'>): Angles {
  return [clamp(pan, head.pan), clamp(tilt, head.tilt)];
}

function clamp(x: number, [min, max]: readonly [number, number]): number {
  return Math.max(min, Math.min(max, x));
}

// Cover is how a picture covers a glass: its scale, the position of its upper left corner, and the glass's
// size, in px.
export interface Cover {
  k: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

export function coverOf({ w, h }: { w: number; h: number }, head: Pick<Head, 'width' | 'height'>): Cover {
  const k = Math.max(w / head.width, h / head.height);
  return { k, x: (w - k * head.width) / 2, y: (h - k * head.height) / 2, w, h };
}

// viewOf returns the camera in map with base_link at pose and the head at angles.
export function viewOf(head: Head, angles: Angles, pose: Pose): View {
  const [x, y, theta] = pose;
  const [pan, tilt] = angles;
  const [sinP, cosP, sinT, cosT] = [Math.sin(pan), Math.cos(pan), Math.sin(tilt), Math.cos(tilt)];
  const turn = (p: Three): Three => [
    Math.cos(theta) * p[0] - Math.sin(theta) * p[1],
    Math.sin(theta) * p[0] + Math.cos(theta) * p[1],
    p[2],
  ];
  const eye = turn([head.x + head.forward * cosP, head.forward * sinP, head.z]);
  const right = turn([sinP, -cosP, 0]);
  const forward = turn([cosP * cosT, sinP * cosT, sinT]);
  return {
    eye: [eye[0] + x, eye[1] + y, eye[2]],
    right,
    forward,
    down: cross(forward, right),
    focal: head.width / 2 / Math.tan(head.field / 2),
    width: head.width,
    height: head.height,
  };
}

// project returns the pixel of a point of the floor; null if it is not in front of the camera.
export function project(v: View, at: Point): Point | null {
  const d: Three = [at[0] - v.eye[0], at[1] - v.eye[1], -v.eye[2]];
  const depth = dot(d, v.forward);
  if (!(depth > 1e-6)) return null;
  return [v.width / 2 + (v.focal * dot(d, v.right)) / depth, v.height / 2 + (v.focal * dot(d, v.down)) / depth];
}

// band returns the outline of a strip of the floor along a line, cut where it passes under the camera; null
// if it is not visible.
export function band(v: View, line: readonly Point[], width: number): Point[] | null {
  const near = 0.15; // m before the camera
  const left: Point[] = [];
  const right: Point[] = [];
  for (const [i, p] of line.entries()) {
    const q = line[i + 1] ?? p;
    const o = i + 1 < line.length ? p : (line[i - 1] ?? p);
    const e = i + 1 < line.length ? q : p;
    const length = Math.hypot(e[0] - o[0], e[1] - o[1]);
    if (length === 0) continue;
    const n: Point = [(-(e[1] - o[1]) / length) * (width / 2), ((e[0] - o[0]) / length) * (width / 2)];
    const d = (p[0] - v.eye[0]) * v.forward[0] + (p[1] - v.eye[1]) * v.forward[1] - v.eye[2] * v.forward[2];
    if (d < near) continue;
    const a = project(v, [p[0] + n[0], p[1] + n[1]]);
    const b = project(v, [p[0] - n[0], p[1] - n[1]]);
    if (a === null || b === null) continue;
    left.push(a);
    right.push(b);
  }
  return left.length < 2 ? null : [...left, ...right.reverse()];
}

// turned returns the view of the camera turned in place.
export function turned(v: View, angles: Angles, by: Turn): View {
  const heading = Math.atan2(v.forward[1], v.forward[0]) + by.yaw;
  const tilt = angles[1] + by.tilt;
  const right: Three = [Math.sin(heading), -Math.cos(heading), 0];
  const forward: Three = [Math.cos(heading) * Math.cos(tilt), Math.sin(heading) * Math.cos(tilt), Math.sin(tilt)];
  return { ...v, right, forward, down: cross(forward, right) };
}

export type Matrix = readonly [number, number, number, number, number, number, number, number, number]; // 3 x 3, row by row

// homography maps pixels of one view to another one from the same place: exact, because the camera only
// turns.
export function homography(from: View, to: View): Matrix {
  const f = [from.right, from.down, from.forward] as const;
  const t = [to.right, to.down, to.forward] as const;
  const r = t.map((row) => f.map((column) => dot(row, column))); // directions of the one in the other
  const [cx, cy] = [from.width / 2, from.height / 2];
  const m = r.map(([a = 0, b = 0, c = 0]) => [a / from.focal, b / from.focal, c - (a * cx + b * cy) / from.focal]);
  const [u = [], v = [], w = []] = m;
  const line = (k: number, c: number, row: readonly number[]) =>
    [0, 1, 2].map((i) => k * (row[i] ?? 0) + c * (w[i] ?? 0));
  return [...line(to.focal, to.width / 2, u), ...line(to.focal, to.height / 2, v), ...w] as unknown as Matrix;
}

// applied maps a point by a homography.
export function applied(m: Matrix, p: Point): Point {
  const w = m[6] * p[0] + m[7] * p[1] + m[8];
  return [(m[0] * p[0] + m[1] * p[1] + m[2]) / w, (m[3] * p[0] + m[4] * p[1] + m[5]) / w];
}

// css returns a homography of the picture as a transform of an element that shows it k times as large.
export function css(m: Matrix, k: number): string {
  const [a, b, c, d, e, f, g, h, i] = m;
  const n = [a, d, 0, g / k, b, e, 0, h / k, 0, 0, 1, 0, c * k, f * k, 0, i].map((x) => x / i);
  return `matrix3d(${n.map((x) => x.toFixed(9)).join(',')})`;
}

function dot(a: Three, b: Three): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Three, b: Three): Three {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
