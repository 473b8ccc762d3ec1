// Marks: a motion on the map, and the virtual robot that drives it again.
import { type Brush, path } from '../map/brush.ts';
import { toScreen } from '../map/view.ts';
import type { Point, Pose, Robot } from '../wire.ts';

export function drawMotion(b: Brush, line: readonly Point[]): void {
  const { c, p } = b;
  c.strokeStyle = p.ghost;
  c.lineWidth = 3;
  c.lineJoin = c.lineCap = 'round';
  c.setLineDash([1, 7]);
  path(b, line);
  c.stroke();
  c.setLineDash([]);
  c.lineCap = 'butt';
}

export function drawGhost({ c, v, p }: Brush, [x, y, theta]: Pose, robot: Robot): void {
  const l = Math.max(28, robot.length * v.scale);
  const w = (l * robot.width) / robot.length;
  c.save();
  c.translate(...toScreen(v, x, y));
  c.rotate(-theta);
  c.lineWidth = 2.2;
  c.strokeStyle = c.fillStyle = p.ghost;
  c.beginPath();
  c.roundRect(-l / 2, -w / 2, l, w, l * 0.17);
  c.globalAlpha = 0.18;
  c.fill();
  c.globalAlpha = 1;
  c.setLineDash([5, 4]);
  c.stroke();
  c.setLineDash([]);
  c.beginPath();
  c.moveTo(l * 0.34, 0);
  c.lineTo(l * 0.12, -w * 0.2);
  c.lineTo(l * 0.12, w * 0.2);
  c.closePath();
  c.fill();
  c.restore();
}
