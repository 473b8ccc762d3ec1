// Marks: the contents of the simulated world besides the floor plan. The robot does not know them, so they
// look unlike anything that it knows.
import { workshop as words } from '../../strings.json';
import { type Brush, TAU, write } from '../map/brush.ts';
import { toScreen } from '../map/view.ts';
import type { Floorplan, Point, World } from '../wire.ts';

export type Thing = World['things'][number];

const HATCH = 7; // px between two strokes
const TAGS = 34; // px/m from which things have tags

// drawWorld draws things and closed doors; invisible things only if all is set.
export function drawWorld(b: Brush, plan: Floorplan, world: World, all: boolean): void {
  world.doors.forEach(({ closed }, i) => {
    const door = plan.doors[i];
    if (closed && door) drawLeaf(b, door);
  });
  for (const thing of world.things) if (all || thing.kind === 'obstacle') drawThing(b, thing, false);
}

// drawWorldTags labels things and closed doors, above the routes.
export function drawWorldTags(b: Brush, plan: Floorplan, world: World, all: boolean): void {
  if (b.v.scale < TAGS) return;
  world.doors.forEach(({ closed }, i) => {
    const door = plan.doors[i];
    if (!closed || !door) return;
    const [x, y] = toScreen(b.v, ...along(door.hinge, door.closed, door.length / 2));
    write(b, words.closed, x, y - 11, '600 11px', b.p['text-2'], 3);
  });
  for (const { kind, at, radius } of world.things) {
    if (!all && kind !== 'obstacle') continue;
    const [x, y] = toScreen(b.v, ...at);
    write(
      b,
      kind === 'magnet' ? words.tagMagnet : words.tag,
      x,
      y + Math.max(6, radius * b.v.scale) + 10,
      '600 11px',
      b.p['text-2'],
      3,
    );
  }
}

function drawLeaf(b: Brush, { hinge, length, closed }: Floorplan['doors'][number]): void {
  const { c, v, p } = b;
  c.strokeStyle = p['text-2'];
  c.lineWidth = 4;
  c.beginPath();
  c.moveTo(...toScreen(v, ...hinge));
  c.lineTo(...toScreen(v, ...along(hinge, closed, length)));
  c.stroke();
}

// drawThing draws one; chosen: it is selected.
export function drawThing(b: Brush, { kind, at, radius }: Omit<Thing, 'thing'>, chosen: boolean): void {
  const { c, v, p } = b;
  const [x, y] = toScreen(v, ...at);
  const r = Math.max(6, radius * v.scale);
  c.save();
  c.strokeStyle = p[chosen ? 'accent' : 'text-2'];
  c.lineWidth = chosen ? 3 : 2;
  if (kind === 'magnet') {
    c.setLineDash([3, 5]);
    for (const part of [1, 0.66, 0.33]) {
      c.beginPath();
      c.arc(x, y, r * part, 0, TAU);
      c.stroke();
    }
  } else {
    c.beginPath();
    c.arc(x, y, r, 0, TAU);
    c.fillStyle = p['surface-3'];
    c.fill();
    c.stroke();
    c.clip();
    c.lineWidth = 1.2;
    c.beginPath();
    for (let d = -2 * r; d < 2 * r; d += HATCH) {
      c.moveTo(x + d - r, y + r);
      c.lineTo(x + d + r, y - r);
    }
    c.stroke();
  }
  c.restore();
}

export function along([x, y]: Point, angle: number, length: number): Point {
  return [x + length * Math.cos(angle), y + length * Math.sin(angle)];
}
