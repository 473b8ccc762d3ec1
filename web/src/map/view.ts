// View: the part of the floor on the canvas, and its scale. World points are metres in map (x right, y up),
// screen points are CSS pixels from the canvas's top left corner (y down).
import type { Point } from '../wire.ts';

export interface View {
  x: number; // m, the world point at the centre of the canvas
  y: number;
  scale: number; // px/m
  width: number; // px, of the canvas
  height: number;
}

// Insets are the covered edges of the canvas, in px.
export interface Insets {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Bounds = [x0: number, y0: number, x1: number, y1: number]; // m

export const MIN_SCALE = 12;
export const MAX_SCALE = 250;
const LEAST = 4; // at least 1 / LEAST of the canvas is used
const AHEAD = 0.42; // position of the followed robot from the left
const ASIDE = 60; // px, its distance from cards to its left

export function toScreen(v: View, x: number, y: number): Point {
  return [v.width / 2 + (x - v.x) * v.scale, v.height / 2 - (y - v.y) * v.scale];
}

export function toWorld(v: View, sx: number, sy: number): Point {
  return [v.x + (sx - v.width / 2) / v.scale, v.y - (sy - v.height / 2) / v.scale];
}

// zoom scales the view by factor; the world point under (sx, sy) stays there.
export function zoom(v: View, factor: number, sx: number, sy: number): View {
  const scale = Math.min(MAX_SCALE, Math.max(Math.min(MIN_SCALE, v.scale), v.scale * factor));
  const [x, y] = toWorld(v, sx, sy);
  return { ...v, scale, x: x - (sx - v.width / 2) / scale, y: y + (sy - v.height / 2) / scale };
}

// pan moves the picture by a number of pixels.
export function pan(v: View, dx: number, dy: number): View {
  return { ...v, x: v.x - dx / v.scale, y: v.y + dy / v.scale };
}

// whole shows all of bounds in the free part of the canvas. It ignores cards that would leave too little
// space.
export function whole(v: View, b: Bounds, free: Insets): View {
  const w = Math.max(v.width / LEAST, v.width - free.left - free.right);
  const h = Math.max(v.height / LEAST, v.height - free.top - free.bottom);
  const scale = Math.min(MAX_SCALE, w / (b[2] - b[0]), h / (b[3] - b[1]));
  return placed({ ...v, scale }, (b[0] + b[2]) / 2, (b[1] + b[3]) / 2, free.left + w / 2, free.top + h / 2);
}

// follow puts the world point (x, y) at AHEAD of the width, or farther right if that is covered, at half
// the height of the free part.
export function follow(v: View, x: number, y: number, free: Insets): View {
  return placed(v, x, y, Math.max(v.width * AHEAD, free.left + ASIDE), (free.top + v.height - free.bottom) / 2);
}

// between blends two views, f = 0 the first and 1 the second, with a visually even zoom.
export function between(a: View, b: View, f: number): View {
  return { ...b, x: mix(a.x, b.x, f), y: mix(a.y, b.y, f), scale: a.scale * (b.scale / a.scale) ** f };
}

// snapped moves the view by less than a device pixel so that the floor is aligned to whole ones.
export function snapped(v: View, ratio: number): View {
  const grain = v.scale * ratio;
  return { ...v, x: Math.round(v.x * grain) / grain, y: Math.round(v.y * grain) / grain };
}

// ruler returns the length of the scale bar in metres: the longest of 1, 2, 5, 10 that fits into most
// pixels.
export function ruler(scale: number, most: number): number {
  return [10, 5, 2, 1, 0.5].find((m) => m * scale <= most) ?? 0.5;
}

function placed(v: View, x: number, y: number, sx: number, sy: number): View {
  return { ...v, x: x - (sx - v.width / 2) / v.scale, y: y + (sy - v.height / 2) / v.scale };
}

function mix(a: number, b: number, f: number): number {
  return a + (b - a) * f;
}
