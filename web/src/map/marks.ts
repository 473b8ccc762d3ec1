// Marks: the moving layers, in the order in which they lie on the floor.
import { type Brush, FONT, path, TAU, write } from './brush.ts';
import type { Paint } from './palette.ts';
import { type Crumb, strokes } from './trail.ts';
import { compose, RADIUS, type Thing } from './unknown.ts';
import { toScreen } from './view.ts';
import { boxOf, type Hull } from '../hull.ts';
import type { Point, Pose, Robot, State } from '../wire.ts';

export const WARN = 1.25; // m; a nearer echo is amber
export const DANGER = 0.75; // m; a nearer echo is red
const PARTS = 8; // of the path ahead, each fainter than the previous one
const LEAST = 28; // px, least length of the robot
const ROUND = 0.17; // of its length, corner radius
const BOLT =
  'M4 14a1 1 0 0 1-.78-1.63l9.9-10.2a.5.5 0 0 1 .86.46l-1.92 6.02A1 1 0 0 0 13 10h7a1 1 0 0 1 .78 1.63l-9.9 10.2a.5.5 0 0 1-.86-.46l1.92-6.02A1 1 0 0 0 11 14z';

export function drawDock({ c, v, p }: Brush, dock: Pose): void {
  const [x, y] = toScreen(v, dock[0], dock[1]);
  c.fillStyle = p['surface-3'];
  c.strokeStyle = p['line-2'];
  c.lineWidth = 1.5;
  c.beginPath();
  c.roundRect(x - 10, y - 13, 20, 26, 5);
  c.fill();
  c.stroke();
  c.save();
  c.translate(x - 7, y - 7);
  c.scale(14 / 24, 14 / 24);
  c.strokeStyle = p['text-2'];
  c.lineWidth = 2.2;
  c.stroke(new Path2D(BOLT));
  c.restore();
}

// drawTrail draws the driven path; t is the robot's present time.
export function drawTrail(b: Brush, trail: readonly Crumb[], t: number): void {
  const { c, p } = b;
  c.strokeStyle = p.robot;
  c.lineWidth = 2.5;
  c.lineJoin = 'round';
  for (const s of strokes(trail, t, 12)) {
    c.globalAlpha = 0.85 * s.fresh;
    path(
      b,
      s.points.map((q) => [q.x, q.y]),
    );
    c.stroke();
  }
  c.globalAlpha = 1;
}

export function drawThings({ c, v, p }: Brush, things: readonly Thing[]): void {
  for (const th of things) {
    const [x, y] = toScreen(v, th.x, th.y);
    const r = Math.max(6, RADIUS * v.scale);
    c.fillStyle = p.warn;
    c.globalAlpha = 0.2;
    c.beginPath();
    c.arc(x, y, r + 5, 0, TAU);
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = p.warn;
    c.lineWidth = 1.75;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.arc(x, y, r, 0, TAU);
    c.stroke();
    c.setLineDash([]);
  }
}

// drawSonar draws a wedge for each echo, with its distance if it is near.
export function drawSonar(b: Brush, pose: Pose, robot: Robot, ranges: State['ranges']): void {
  const { c, v, p } = b;
  const labels: (() => void)[] = [];
  robot.sonars.forEach((face, i) => {
    const range = ranges[i] ?? null;
    if (range === null || range >= robot.range) return;
    const [ex, ey, a] = compose(pose, face);
    const [x, y] = toScreen(v, ex, ey);
    const near = range < WARN;
    const half = robot.beam / 2;
    const colour = p[range < DANGER ? 'danger' : near ? 'warn' : 'robot'];
    c.fillStyle = colour;
    c.globalAlpha = near ? 0.22 : 0.1;
    c.beginPath();
    c.moveTo(x, y);
    c.arc(x, y, range * v.scale, -a - half, -a + half);
    c.closePath();
    c.fill();
    c.globalAlpha = near ? 1 : 0.75;
    c.strokeStyle = colour;
    c.lineWidth = near ? 3 : 2;
    c.beginPath();
    c.arc(x, y, range * v.scale, -a - half, -a + half);
    c.stroke();
    c.globalAlpha = 1;
    if (near && v.scale > 60) {
      const out = Math.max(0.42, range - 0.3) * v.scale;
      labels.push(() => write(b, range.toFixed(2), x + Math.cos(a) * out, y - Math.sin(a) * out, '680 11.5px', colour));
    }
  });
  for (const label of labels) label();
}

// drawScan draws a dot for each echo of the lidars.
export function drawScan({ c, v, p }: Brush, scan: readonly number[] = []): void {
  c.fillStyle = p.robot;
  for (let n = 0; n + 1 < scan.length; n += 2) {
    const [x, y] = toScreen(v, (scan[n] ?? 0) / 100, (scan[n + 1] ?? 0) / 100);
    c.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
}

// drawUncertainty draws the ellipse of two sigma around the robot.
export function drawUncertainty({ c, v, p }: Brush, [x, y]: Pose, [xx, xy, yy]: State['cov']): void {
  const [major, minor, angle] = ellipse(xx, xy, yy);
  c.strokeStyle = p.robot;
  c.globalAlpha = 0.6;
  c.lineWidth = 1.25;
  c.setLineDash([3, 4]);
  c.beginPath();
  c.ellipse(...toScreen(v, x, y), 2 * major * v.scale, 2 * minor * v.scale, -angle, 0, TAU);
  c.stroke();
  c.setLineDash([]);
  c.globalAlpha = 1;
}

// ellipse returns the standard deviations along the main axes, the larger first, in m, and the direction of
// the larger.
export function ellipse(xx: number, xy: number, yy: number): [major: number, minor: number, angle: number] {
  const mean = (xx + yy) / 2;
  const diff = (xx - yy) / 2;
  const root = Math.hypot(diff, xy);
  return [Math.sqrt(mean + root), Math.sqrt(Math.max(0, mean - root)), Math.atan2(xy, diff) / 2];
}

// drawRobot draws the robot to scale; hollow and dashed if only its last pose is known.
export function drawRobot(b: Brush, pose: Pose, outline: Hull, hollow: boolean): void {
  const { c, p } = b;
  onRobot(b, pose, outline, (hull, arrow) => {
    if (!hollow) {
      // a soft edge, at a fraction of the cost of a blurred shadow
      c.strokeStyle = '#0003';
      for (const wide of [9, 5]) {
        c.lineWidth = wide;
        c.stroke(hull);
      }
    }
    c.fillStyle = hollow ? p['surface-1'] : p.robot;
    c.fill(hull);
    c.lineWidth = 2;
    c.strokeStyle = hollow ? p['text-2'] : '#ffffffd9';
    if (hollow) c.setLineDash([4, 3]);
    c.stroke(hull);
    c.fillStyle = hollow ? p['text-2'] : p['robot-ink'];
    c.fill(arrow);
  });
}

// drawGhost draws the virtual robot: where the robot will be.
export function drawGhost(b: Brush, pose: Pose, outline: Hull): void {
  const { c, p } = b;
  onRobot(b, pose, outline, (hull, arrow) => {
    c.fillStyle = c.strokeStyle = p.ghost;
    c.globalAlpha = 0.18;
    c.fill(hull);
    c.globalAlpha = 1;
    c.lineWidth = 2.5;
    c.setLineDash([5, 4]);
    c.stroke(hull);
    c.setLineDash([]);
    c.lineWidth = 2;
    c.stroke(arrow);
  });
}

// onRobot paints in the robot's own frame, in px, with its outline and its arrow, large enough to be
// visible at any scale.
export function onRobot(
  { c, v }: Brush,
  [x, y, theta]: Pose,
  outline: Hull,
  paint: (hull: Path2D, arrow: Path2D) => void,
): void {
  const { back, front, right, left } = boxOf(outline);
  const scale = Math.max(v.scale, LEAST / (front - back));
  const [l, w] = [(front - back) * scale, (left - right) * scale];
  const hull = new Path2D();
  const corners = outline.map(([px, py]): Point => [px * scale, -py * scale]);
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % corners.length] ?? p;
    const r = corners[(i + 2) % corners.length] ?? p;
    if (i === 0) hull.moveTo((p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
    hull.arcTo(...q, (q[0] + r[0]) / 2, (q[1] + r[1]) / 2, roundness(p, q, r, l * ROUND));
  });
  hull.closePath();
  const [mx, my] = [((front + back) / 2) * scale, (-(left + right) / 2) * scale];
  const at = (ahead: number, aside: number) => `${mx + ahead * l} ${my + aside * w}`;
  const arrow = new Path2D(`M${at(0.34, 0)} ${at(-0.16, -0.29)} ${at(-0.05, 0)} ${at(-0.16, 0.29)}Z`);
  c.save();
  c.translate(...toScreen(v, x, y));
  c.rotate(-theta);
  paint(hull, arrow);
  c.restore();
}

// roundness returns the radius of the corner q between p and r, limited so that half of each edge is
// straight.
function roundness(p: Point, q: Point, r: Point, most: number): number {
  const [ax, ay, bx, by] = [p[0] - q[0], p[1] - q[1], r[0] - q[0], r[1] - q[1]];
  const [a, b] = [Math.hypot(ax, ay), Math.hypot(bx, by)];
  const half = Math.acos(Math.max(-1, Math.min(1, (ax * bx + ay * by) / (a * b)))) / 2;
  return Math.min(most, (Math.min(a, b) / 2) * Math.tan(half));
}

// drawCommitted draws the path that has been sent: a band as wide as the robot with a line in its middle.
export function drawCommitted(b: Brush, way: readonly Pose[], width: number, colour: Paint, fresh: number): void {
  const { c, v, p } = b;
  c.strokeStyle = p[colour];
  c.lineCap = c.lineJoin = 'round';
  path(
    b,
    way.map(([x, y]) => [x, y]),
  );
  for (const [wide, alpha] of [
    [width * v.scale, 0.26],
    [3, 0.95],
  ] as const) {
    c.lineWidth = wide;
    c.globalAlpha = alpha * fresh;
    c.stroke();
  }
  c.globalAlpha = 1;
  c.lineCap = 'butt';
}

// drawAhead draws where the robot goes if the driver keeps holding, fainter with distance.
export function drawAhead(b: Brush, way: readonly Pose[], width: number): void {
  const { c, v, p } = b;
  c.strokeStyle = p.ghost;
  const part = Math.max(1, Math.ceil(way.length / PARTS));
  for (let i = 0; i + 1 < way.length; i += part) {
    const left = 1 - i / way.length;
    path(
      b,
      way.slice(i, i + part + 1).map(([x, y]) => [x, y]),
    );
    c.lineWidth = width * v.scale;
    c.globalAlpha = 0.16 * left;
    c.stroke();
    c.lineWidth = 3;
    c.globalAlpha = 0.6 * left;
    c.setLineDash([9, 5]);
    c.stroke();
    c.setLineDash([]);
  }
  c.globalAlpha = 1;
}

// drawTag attaches a label to a pose: on the side with space, or below it on the preferred side.
export function drawTag(
  { c, v, p }: Brush,
  [x, y]: Pose,
  text: string,
  colour: Paint = 'text-2',
  side?: 'left' | 'right',
): void {
  c.font = `600 12px ${FONT}`;
  const w = c.measureText(text).width + 18;
  const [sx, sy] = toScreen(v, x, y);
  const right = side === 'left' || sx + 40 + w >= v.width ? -1 : 1;
  const up = side === undefined && sy - 90 > 60 ? -1 : 1;
  const left = right > 0 ? sx + 40 : sx - 40 - w;
  const mid = sy + up * 78;
  c.strokeStyle = p[colour];
  c.lineWidth = 1.25;
  c.globalAlpha = 0.8;
  c.beginPath();
  c.moveTo(sx + right * 14, sy + up * 20);
  c.lineTo(right > 0 ? left + 8 : left + w - 8, mid);
  c.stroke();
  c.globalAlpha = 1;
  c.fillStyle = p['surface-1'];
  c.beginPath();
  c.roundRect(left, mid - 12, w, 24, 7);
  c.fill();
  c.stroke();
  c.fillStyle = p.text;
  c.textAlign = 'left';
  c.textBaseline = 'middle';
  c.fillText(text, left + 9, mid + 0.5);
}
