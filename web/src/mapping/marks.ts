// Marks: what is drawn on a map in progress.
import { mapping as words } from '../../strings.json';
import { type Brush, path, TAU, write } from '../map/brush.ts';
import { drawTag } from '../map/marks.ts';
import { toScreen } from '../map/view.ts';
import type { Point } from '../wire.ts';

const BLINK = 2.5; // s that a closed loop is shown

// drawWay draws the robot's path since mapping began.
export function drawWay(b: Brush, way: readonly Point[]): void {
  const { c, p } = b;
  if (way.length < 2) return;
  c.strokeStyle = p.robot;
  c.globalAlpha = 0.45;
  c.lineWidth = 1.5;
  c.lineJoin = 'round';
  path(b, way);
  c.stroke();
  c.globalAlpha = 1;
}

// drawOpen marks where the map ends with free floor: the area behind has not been seen yet.
export function drawOpen(b: Brush, open: readonly Point[]): void {
  const { c, v, p } = b;
  for (const at of open) {
    const [x, y] = toScreen(v, ...at);
    c.beginPath();
    c.arc(x, y, 8, 0, TAU);
    c.fillStyle = p['surface-1'];
    c.globalAlpha = 0.8;
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = p.accent;
    c.lineWidth = 1.5;
    c.setLineDash([3, 3]);
    c.stroke();
    c.setLineDash([]);
    write(b, '?', x, y, '700 11px', p['accent-2'], 0);
  }
}

// drawLoop shows for a moment where a loop was closed, age seconds ago; false: it is over. Rings grow
// outward from there, or are static for a person who wants no motion.
export function drawLoop(b: Brush, at: Point, age: number, calm: boolean): boolean {
  if (age > BLINK) return false;
  const { c, v, p } = b;
  const [x, y] = toScreen(v, ...at);
  c.strokeStyle = p.robot;
  for (const late of calm ? [0] : [0, 0.5, 1]) {
    const t = calm ? 0.35 : (age - late) / (BLINK - 1);
    if (t < 0 || t > 1) continue;
    c.globalAlpha = calm ? 1 : 1 - t;
    c.lineWidth = 3;
    c.beginPath();
    c.arc(x, y, 12 + 50 * t, 0, TAU);
    c.stroke();
  }
  c.globalAlpha = 1;
  drawTag(b, [...at, 0], words.tagLoop, 'robot');
  return true;
}
