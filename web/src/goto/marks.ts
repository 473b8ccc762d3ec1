// Marks: route, preview, goal and dial on the map.
import { DIAL, TICK } from './aim.ts';
import { marks } from './line.ts';
import { type Brush, FONT, path, TAU } from '../map/brush.ts';
import { onRobot } from '../map/marks.ts';
import { type Insets, toScreen } from '../map/view.ts';
import type { Point, Pose, Robot } from '../wire.ts';

const FLAG =
  'M4 22V4a1 1 0 0 1 .4-.8A6 6 0 0 1 8 2c3 0 5 2 7.333 2q2 0 3.067-.8A1 1 0 0 1 20 4v10a1 1 0 0 1-.4.8A6 6 0 0 1 16 16c-3 0-5-2-8-2a6 6 0 0 0-4 1.528';
const CHEVRONS = 2.2; // m between two

// drawRoute draws a route that is driven or previewed.
export function drawRoute(b: Brush, line: readonly Point[], preview: boolean): void {
  const { c, v, p } = b;
  if (line.length < 2) return;
  c.lineJoin = c.lineCap = 'round';
  c.strokeStyle = p.accent;
  c.lineWidth = 13;
  c.globalAlpha = 0.24;
  path(b, line);
  c.stroke();
  c.globalAlpha = 1;
  c.lineWidth = 3.5;
  if (preview) {
    c.strokeStyle = p['accent-2'];
    c.setLineDash([1, 9]);
  }
  c.stroke();
  c.setLineDash([]);
  c.lineCap = 'butt';
  if (preview) return;
  c.strokeStyle = '#fff';
  c.lineWidth = 1.8;
  for (const { at, way } of marks(line, CHEVRONS)) {
    c.save();
    c.translate(...toScreen(v, ...at));
    c.rotate(-way);
    c.beginPath();
    c.moveTo(-3, -3.2);
    c.lineTo(1.2, 0);
    c.lineTo(-3, 3.2);
    c.stroke();
    c.restore();
  }
}

// drawPin draws a goal: a disc with a flag, and outside it the goal's heading.
export function drawPin({ c, v, p }: Brush, [x, y, theta]: Pose, bad: boolean, triangle: boolean): void {
  const colour = p[bad ? 'danger' : 'accent'];
  c.save();
  c.translate(...toScreen(v, x, y));
  c.fillStyle = colour;
  c.globalAlpha = 0.2;
  disc(21);
  c.globalAlpha = 1;
  if (triangle) {
    c.save();
    c.rotate(-theta);
    c.beginPath();
    c.moveTo(31, 0);
    c.lineTo(19, -7.5);
    c.lineTo(19, 7.5);
    c.closePath();
    c.fill();
    c.restore();
  }
  disc(12.5);
  c.lineWidth = 2.5;
  c.strokeStyle = '#fff';
  c.stroke();
  c.scale(0.62, 0.62);
  c.translate(-12, -12);
  c.lineWidth = 2.6;
  c.lineJoin = c.lineCap = 'round';
  c.stroke(new Path2D(FLAG));
  c.restore();

  function disc(r: number): void {
    c.beginPath();
    c.arc(0, 0, r, 0, TAU);
    c.fill();
  }
}

// drawHull draws where a person says the robot is.
export function drawHull(b: Brush, pose: Pose, robot: Robot): void {
  const { c, p } = b;
  onRobot(b, pose, robot.hull, (hull) => {
    c.lineWidth = 2.4;
    c.strokeStyle = c.fillStyle = p.accent;
    c.globalAlpha = 0.3;
    c.fill(hull);
    c.globalAlpha = 1;
    c.stroke(hull);
  });
}

// drawDial draws the ring with its ticks, and the arrow whose tip is dragged.
export function drawDial({ c, v, p }: Brush, [x, y, theta]: Pose, bad: boolean): void {
  const colour = p[bad ? 'danger' : 'accent'];
  c.save();
  c.translate(...toScreen(v, x, y));
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = 1.5;
  c.globalAlpha = 0.25;
  c.beginPath();
  c.arc(0, 0, DIAL, 0, TAU);
  c.stroke();
  const ticks = Math.round(TAU / TICK);
  for (let k = 0; k < ticks; k++) {
    const quarter = k % (ticks / 4) === 0;
    const from = DIAL - (quarter ? 10 : 5);
    c.globalAlpha = quarter ? 0.8 : 0.4;
    c.beginPath();
    c.moveTo(DIAL, 0);
    c.lineTo(from, 0);
    c.stroke();
    c.rotate(TICK);
  }
  c.globalAlpha = 0.16;
  c.beginPath();
  c.moveTo(0, 0);
  c.arc(0, 0, DIAL, 0, -theta, true);
  c.closePath();
  c.fill();
  c.globalAlpha = 1;
  c.rotate(-theta);
  c.lineWidth = 5;
  c.lineCap = 'round';
  c.beginPath();
  c.moveTo(0, 0);
  c.lineTo(DIAL - 6, 0);
  c.stroke();
  c.beginPath();
  c.moveTo(DIAL + 14, 0);
  c.lineTo(DIAL - 8, -11);
  c.lineTo(DIAL - 8, 11);
  c.closePath();
  c.fill();
  c.restore();
}

// drawLabel draws a framed text beside a point, at a distance in px, on the side with space; free is the
// area without cards.
export function drawLabel(
  { c, v, p }: Brush,
  [x, y]: Pose,
  text: string,
  away: number,
  bad: boolean,
  free: Insets,
): void {
  c.font = `650 13px ${FONT}`;
  const w = c.measureText(text).width + 20;
  const [sx, sy] = toScreen(v, x, y);
  const [least, most] = [free.left, v.width - w - 8];
  const right = sx + away <= most;
  const beside = right || sx - away - w >= least;
  const left = Math.max(least, Math.min(most, right ? sx + away : beside ? sx - away - w : sx - w / 2));
  const mid = Math.max(24, sy - (beside ? 30 : away + 24));
  c.fillStyle = p['surface-1'];
  c.strokeStyle = p[bad ? 'danger' : 'accent'];
  c.lineWidth = 1.5;
  c.beginPath();
  c.roundRect(left, mid - 15, w, 30, 8);
  c.fill();
  c.stroke();
  c.fillStyle = p.text;
  c.textAlign = 'left';
  c.textBaseline = 'middle';
  c.fillText(text, left + 10, mid + 0.5);
}
