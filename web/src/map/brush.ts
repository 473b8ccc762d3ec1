// Brush: the tools with which every layer of the map draws.
import type { Palette } from './palette.ts';
import type { Stamps } from './stamps.ts';
import { toScreen, type View } from './view.ts';
import type { Point } from '../wire.ts';

export interface Brush {
  c: CanvasRenderingContext2D;
  v: View;
  p: Palette;
  stamps: Stamps; // texts already drawn
}

export const TAU = 2 * Math.PI;
export const FONT = '"Inter Variable", Inter, ui-sans-serif, system-ui, sans-serif';

// path begins a path along world points.
export function path(b: Brush, points: readonly Point[], closed = false): void {
  b.c.beginPath();
  trace(b, points);
  if (closed) b.c.closePath();
}

// trace adds a line along world points to a path.
export function trace({ c, v }: Brush, points: readonly Point[]): void {
  points.forEach(([x, y], i) => {
    const [sx, sy] = toScreen(v, x, y);
    if (i === 0) c.moveTo(sx, sy);
    else c.lineTo(sx, sy);
  });
}

// write writes text with a halo, centred at (x, y) on the screen.
export function write(
  { c, p, v, stamps }: Brush,
  text: string,
  x: number,
  y: number,
  font: string,
  colour: string,
  halo = 4,
): void {
  stamps.put(c, v.width, text, x, y, `${font} ${FONT}`, colour, p['surface-1'], halo);
}
