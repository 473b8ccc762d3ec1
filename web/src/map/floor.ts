// Floor: the static layers. They are painted once for each view and theme, and cached.
import { type Brush, FONT, path, TAU, trace, write } from './brush.ts';
import { type Insets, toScreen, toWorld } from './view.ts';
import type { Floorplan, Point, Pose, World } from '../wire.ts';

const AROUND = 1.1; // m around the robot without names
const SCALE = 34; // px, height of the scale bar above the cards at the bottom

// drawFloor paints void, rooms, grid, furniture, doors, walls and, if requested, the via graph. For closed
// doors it only paints the swing of the leaf.
export function drawFloor(b: Brush, plan: Floorplan, via: boolean, doors: World['doors']): void {
  drawVoid(b);
  drawRooms(b, plan);
  drawGrid(b, plan);
  drawFurniture(b, plan);
  drawDoors(b, plan, doors);
  drawWalls(b, plan);
  if (via) drawVia(b, plan);
}

function drawVoid({ c, v, p }: Brush): void {
  c.fillStyle = p['map-void'];
  c.fillRect(0, 0, v.width, v.height);
  c.fillStyle = p['map-grid'];
  const [x0, y1] = toWorld(v, 0, 0);
  const [x1, y0] = toWorld(v, v.width, v.height);
  for (let x = Math.floor(x0); x <= x1; x++) {
    for (let y = Math.floor(y0); y <= y1; y++) {
      const [sx, sy] = toScreen(v, x, y);
      c.fillRect(sx - 1, sy - 1, 2, 2);
    }
  }
}

function drawRooms(b: Brush, plan: Floorplan): void {
  b.c.fillStyle = b.p['map-floor'];
  b.c.beginPath();
  for (const ring of plan.free) trace(b, ring);
  b.c.fill();
  for (const corridor of [false, true]) {
    b.c.fillStyle = b.p[corridor ? 'map-corr' : 'map-floor'];
    for (const room of plan.rooms) {
      if (room.corridor !== corridor) continue;
      path(b, room.outline, true);
      b.c.fill();
    }
  }
}

function drawGrid({ c, v, p }: Brush, plan: Floorplan): void {
  const [x0, y0, x1, y1] = plan.bounds;
  const [left, bottom] = toScreen(v, x0, y0);
  const [right, top] = toScreen(v, x1, y1);
  c.fillStyle = p['map-grid'];
  for (let x = Math.ceil(x0 + 0.01); x < x1; x++) c.fillRect(Math.round(toScreen(v, x, 0)[0]), top, 1, bottom - top);
  for (let y = Math.ceil(y0 + 0.01); y < y1; y++) c.fillRect(left, Math.round(toScreen(v, 0, y)[1]), right - left, 1);
}

function drawFurniture(b: Brush, plan: Floorplan): void {
  const { c, v, p } = b;
  c.fillStyle = p['map-furn'];
  c.strokeStyle = p['map-furn-line'];
  c.lineWidth = 1.25;
  c.lineJoin = 'round';
  for (const thing of plan.furniture) {
    const [middle] = thing.outline;
    if (thing.radius > 0 && middle !== undefined) {
      c.beginPath();
      c.arc(...toScreen(v, ...middle), thing.radius * v.scale, 0, TAU);
    } else {
      rounded(b, thing.outline, Math.min(8, 0.06 * v.scale));
    }
    c.fill();
    c.stroke();
  }
}

// rounded begins a closed path with soft corners.
function rounded({ c, v }: Brush, outline: readonly Point[], radius: number): void {
  const s = outline.map(([x, y]) => toScreen(v, x, y));
  const first = s[0];
  const last = s[s.length - 1];
  c.beginPath();
  if (first === undefined || last === undefined) return;
  c.moveTo((first[0] + last[0]) / 2, (first[1] + last[1]) / 2);
  s.forEach((at, i) => c.arcTo(...at, ...(s[i + 1] ?? first), radius));
  c.closePath();
}

function drawDoors({ c, v, p }: Brush, plan: Floorplan, doors: World['doors']): void {
  c.strokeStyle = p['map-furn-line'];
  c.lineWidth = 1.25;
  plan.doors.forEach((door, i) => {
    const [x, y] = toScreen(v, ...door.hinge);
    const r = door.length * v.scale;
    if (!doors[i]?.closed) {
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x + r * Math.cos(door.open), y - r * Math.sin(door.open));
      c.stroke();
    }
    c.setLineDash([2, 4]);
    c.beginPath();
    c.arc(x, y, r, -door.closed, -door.open, door.open > door.closed);
    c.stroke();
    c.setLineDash([]);
  });
}

function drawWalls({ c, v, p }: Brush, plan: Floorplan): void {
  c.strokeStyle = p['map-wall'];
  c.lineCap = 'round';
  c.lineWidth = Math.min(6, Math.max(2.5, v.scale * 0.085));
  c.beginPath();
  for (const [x0, y0, x1, y1] of plan.walls) {
    c.moveTo(...toScreen(v, x0, y0));
    c.lineTo(...toScreen(v, x1, y1));
  }
  c.stroke();
  c.lineCap = 'butt';
}

function drawVia(b: Brush, plan: Floorplan): void {
  const { c, v, p } = b;
  const at = new Map(plan.via.map((via) => [via.id, via.at]));
  c.strokeStyle = p['map-edge'];
  c.lineWidth = 1.5;
  c.setLineDash([2, 5]);
  c.beginPath();
  const drawn = new Set<string>();
  for (const [from, to] of plan.edges) {
    const a = at.get(from);
    const z = at.get(to);
    const both = [from, to].sort().join();
    if (a === undefined || z === undefined || drawn.has(both)) continue;
    drawn.add(both);
    c.moveTo(...toScreen(v, ...a));
    c.lineTo(...toScreen(v, ...z));
  }
  c.stroke();
  c.setLineDash([]);
  for (const via of plan.via) {
    const [x, y] = toScreen(v, ...via.at);
    c.beginPath();
    c.moveTo(x, y - 5.6);
    c.lineTo(x + 5.6, y);
    c.lineTo(x, y + 5.6);
    c.lineTo(x - 5.6, y);
    c.closePath();
    c.fillStyle = p['map-corr'];
    c.fill();
    c.strokeStyle = p['map-via'];
    c.lineWidth = 1.5;
    c.stroke();
  }
}

// drawViaNames writes the names of via points above the routes.
export function drawViaNames(b: Brush, plan: Floorplan): void {
  if (b.v.scale <= 28) return;
  for (const via of plan.via) {
    const [x, y] = toScreen(b.v, ...via.at);
    if (x > -40 && y > -40 && x < b.v.width + 40 && y < b.v.height + 40)
      write(b, via.name, x, y + 15, '600 11px', b.p['map-label'], 3);
  }
}

// drawNames writes the rooms' names, each within the visible part of its room, away from the robot and the
// distances around it.
export function drawNames(b: Brush, plan: Floorplan, free: Insets, robot: Pose | null): void {
  const { v, p, c, stamps } = b;
  const size = v.scale > 60 ? 13.5 : v.scale > 26 ? 12.5 : 10.5;
  const font = `560 ${size}px`;
  const clear = { ...free, bottom: free.bottom + SCALE };
  for (const room of plan.rooms) {
    if (room.name === '' || v.scale < 14) continue;
    const half = (stamps.widthOf(c, room.name, `${font} ${FONT}`) + 12) / 2;
    const at = nameSpot(
      room.outline.map(([x, y]) => toScreen(v, x, y)),
      room.label ? toScreen(v, ...room.label) : null,
      half,
      size,
      v.width,
      v.height,
      clear,
    );
    if (at === null) continue;
    const [x, y] = toWorld(v, ...at);
    if (robot !== null && Math.hypot(Math.max(0, Math.abs(x - robot[0]) - half / v.scale), y - robot[1]) < AROUND)
      continue;
    write(b, room.name, at[0], at[1], font, p['map-label'], 3);
  }
}

// nameSpot finds a place for a name of a given half width and height: its own, or the nearest in the free
// part of the canvas and in the room; null if there is none. All in px.
export function nameSpot(
  outline: readonly Point[],
  own: Point | null,
  half: number,
  high: number,
  width: number,
  height: number,
  free: Insets,
): Point | null {
  const xs = outline.map(([x]) => x);
  const ys = outline.map(([, y]) => y);
  const home = own ?? [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
  const x = within(
    home[0],
    Math.max(Math.min(...xs), free.left) + half,
    Math.min(Math.max(...xs), width - free.right) - half,
  );
  const y = within(
    home[1],
    Math.max(Math.min(...ys), free.top) + high,
    Math.min(Math.max(...ys), height - free.bottom) - high,
  );
  if (x === null || y === null) return null;
  const inside = [-half, half].every((dx) => contains(outline, [x + dx, y]));
  return inside ? [x, y] : null;
}

function within(at: number, low: number, high: number): number | null {
  return low > high ? null : Math.min(high, Math.max(low, at));
}

// contains reports whether a point is in a polygon.
export function contains(outline: readonly Point[], [x, y]: Point): boolean {
  let inside = false;
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length] ?? [ax, ay];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}
