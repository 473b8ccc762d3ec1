// Brush: what every layer of the map draws with.
import type { Palette } from './palette.ts';
import { toScreen, type View } from './view.ts';
import type { Point } from '../wire.ts';

export interface Brush {
  c: CanvasRenderingContext2D;
  v: View;
  p: Palette;
}

export const TAU = 2 * Math.PI;
export const FONT = '"Inter Variable", Inter, ui-sans-serif, system-ui, sans-serif';

// path begins a path along world points.
export function path({ c, v }: Brush, points: readonly Point[], closed = false): void {
  c.beginPath();
  points.forEach(([x, y], i) => {
    const [sx, sy] = toScreen(v, x, y);
    if (i === 0) c.moveTo(sx, sy);
    else c.lineTo(sx, sy);
  });
  if (closed) c.closePath();
}

// write writes text with a halo around it, its middle at (x, y) on the screen. A halo is slow to draw and the same texts come
// with every frame, so each is drawn once and then copied.
export function write({ c, p, v }: Brush, text: string, x: number, y: number, font: string, colour: string, halo = 4): void {
  const ratio = c.canvas.width / v.width || 1;
  const { canvas, width, height } = stampOf(c.canvas, text, `${font} ${FONT}`, colour, p['surface-1'], halo, Math.min(4, Math.max(1, ratio)));
  c.drawImage(canvas, Math.round((x - width / 2) * ratio) / ratio, Math.round((y - height / 2) * ratio) / ratio, width, height);
}

interface Stamp {
  canvas: HTMLCanvasElement;
  width: number; // px
  height: number;
}

const STAMPS = 200; // that are kept
const stamps = new WeakMap<HTMLCanvasElement, Map<string, Stamp>>(); // of each map

function stampOf(map: HTMLCanvasElement, text: string, font: string, colour: string, around: string, halo: number, ratio: number): Stamp {
  const kept = stamps.get(map) ?? new Map<string, Stamp>();
  stamps.set(map, kept);
  const key = [text, font, colour, around, halo, ratio, document.fonts.status].join();
  const old = kept.get(key);
  if (old !== undefined) return old;
  if (kept.size >= STAMPS) kept.clear();
  const canvas = document.createElement('canvas');
  const c = canvas.getContext('2d');
  const size = Number(/(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? 12);
  if (c !== null) c.font = font;
  const width = Math.ceil((c?.measureText(text).width ?? 0) + 2 * halo + 2);
  const height = Math.ceil(1.5 * size + 2 * halo);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  if (c !== null) {
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = font;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    c.strokeStyle = around;
    c.lineWidth = halo;
    c.strokeText(text, width / 2, height / 2);
    c.fillStyle = colour;
    c.fillText(text, width / 2, height / 2);
  }
  const stamp = { canvas, width, height };
  kept.set(key, stamp);
  return stamp;
}
