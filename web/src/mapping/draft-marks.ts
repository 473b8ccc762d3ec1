// Marks of the draft: lines, areas, the graph and the places of a finished map, and what a person is
// drawing.
import {
  boxBetween,
  type DraftView,
  type Item,
  labelOf,
  placeOf,
  poseOf,
  sameItem,
  shapeOf,
  type Tool,
} from './draft.ts';
import { mapping as words } from '../../strings.json';
import { type Brush, path, TAU, write } from '../map/brush.ts';
import { drawDock } from '../map/marks.ts';
import { toScreen } from '../map/view.ts';
import { drawSketch } from '../mapedit/marks.ts';
import type { Item as SketchItem } from '../mapedit/sketch.ts';
import { say } from '../words.ts';
import type { Point } from '../wire.ts';

export function drawDraft(b: Brush, d: DraftView, chosen: Item | null): void {
  for (const room of d.rooms) drawRoom(b, room, sameItem(chosen, { kind: 'room', id: room.id }));
  d.keepouts.forEach((outline, i) => drawArea(b, outline, false, sameItem(chosen, { kind: 'keepout', id: i + 1 })));
  for (const { line, glass } of d.walls) drawWall(b, line, glass);
  if (d.dock !== null) {
    drawDock(b, d.dock);
    if (chosen?.kind === 'dock') ring(b, [d.dock[0], d.dock[1]]);
  }
  const both = d.edges.flatMap(([from, to]): [number, number][] => [
    [from, to],
    [to, from],
  ]);
  drawSketch(b, { via: d.via, edges: both, places: d.places }, sketchItem(d, chosen), [], null);
}

// sketchItem converts a chosen item for the map editor's marks.
function sketchItem(d: DraftView, item: Item | null): SketchItem | null {
  switch (item?.kind) {
    case 'via':
      return item;
    case 'edge':
      return { kind: 'edge', ends: [Math.min(...item.ends), Math.max(...item.ends)] };
    case 'place':
      return { kind: 'place', n: d.places.findIndex((p) => p.name === item.name) };
    default:
      return null;
  }
}

function drawRoom(b: Brush, { name, outline }: DraftView['rooms'][number], chosen: boolean): void {
  const { c, p, v } = b;
  path(b, outline, true);
  c.fillStyle = c.strokeStyle = chosen ? p.accent : p['map-label'];
  c.globalAlpha = chosen ? 0.2 : 0.07;
  c.fill();
  c.globalAlpha = chosen ? 1 : 0.5;
  c.lineWidth = chosen ? 2 : 1;
  c.setLineDash([6, 4]);
  c.stroke();
  c.setLineDash([]);
  c.globalAlpha = 1;
  const at = labelOf(outline);
  if (at !== null && name !== '')
    write(b, name, ...toScreen(v, ...at), '560 12.5px', p[chosen ? 'text' : 'map-label'], 3);
}

// drawArea hatches a keep-out, so that it is visible without colour.
function drawArea(b: Brush, outline: readonly Point[], rubber: boolean, chosen = rubber): void {
  const { c, p, v } = b;
  c.save();
  path(b, outline, true);
  c.strokeStyle = c.fillStyle = p[chosen ? 'accent' : 'danger'];
  c.lineWidth = chosen ? 3 : 2;
  c.setLineDash(rubber ? [6, 4] : []);
  c.stroke();
  c.setLineDash([]);
  c.globalAlpha = 0.14;
  c.fill();
  c.globalAlpha = 0.5;
  c.clip();
  const xs = outline.map(([x, y]) => toScreen(v, x, y));
  const [x0, x1] = [Math.min(...xs.map(([x]) => x)), Math.max(...xs.map(([x]) => x))];
  const [y0, y1] = [Math.min(...xs.map(([, y]) => y)), Math.max(...xs.map(([, y]) => y))];
  c.lineWidth = 1;
  c.beginPath();
  for (let x = x0 - (y1 - y0); x < x1; x += 10) {
    c.moveTo(x, y1);
    c.lineTo(x + y1 - y0, y0);
  }
  c.stroke();
  c.restore();
}

function drawWall(b: Brush, line: readonly Point[], glass: boolean): void {
  const { c, p } = b;
  path(b, line);
  c.strokeStyle = p[glass ? 'accent-2' : 'map-wall'];
  c.lineWidth = glass ? 3 : 2;
  if (glass) c.setLineDash([2, 3]);
  c.stroke();
  c.setLineDash([]);
}

function ring({ c, v, p }: Brush, at: Point): void {
  c.beginPath();
  c.arc(...toScreen(v, ...at), 20, 0, TAU);
  c.strokeStyle = p.accent;
  c.lineWidth = 2.5;
  c.stroke();
}

// drawPen draws the corners that are set, followed by next, the position of the pointer or the cross; null:
// none.
export function drawPen(b: Brush, tool: Tool, corners: readonly Point[], next: Point | null, box: boolean): void {
  const { c, v, p } = b;
  const points = next === null ? corners : [...corners, next];
  const [first, last] = [points[0], points[points.length - 1]];
  if (first !== undefined && last !== undefined && points.length > 1) {
    if (box || shapeOf(tool) === 'box') drawArea(b, boxBetween(first, last), true);
    else if (shapeOf(tool) === 'outline' && points.length > 2) drawArea(b, points, true);
    else {
      path(b, points);
      c.strokeStyle = p.accent;
      c.lineWidth = 3;
      c.stroke();
      if (shapeOf(tool) === 'line') drawLength(b, first, last);
    }
  }
  c.fillStyle = p.accent;
  for (const at of corners) {
    c.beginPath();
    c.arc(...toScreen(v, ...at), 5, 0, TAU);
    c.fill();
  }
}

// drawLength writes the length of a line beside its middle.
function drawLength(b: Brush, from: Point, to: Point): void {
  const [x, y] = toScreen(b.v, (from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  const text = say(words.metres, { m: Math.hypot(to[0] - from[0], to[1] - from[1]).toFixed(2) });
  write(b, text, x, y - 14, '600 13px', b.p.text, 0);
}

// drawCross draws the cursor of the keys.
export function drawCross(b: Brush, at: Point): void {
  const { c, v, p } = b;
  const [x, y] = toScreen(v, ...at);
  for (const [colour, wide] of [
    [p['surface-1'], 5],
    [p.accent, 2],
  ] as const) {
    c.strokeStyle = colour;
    c.lineWidth = wide;
    c.beginPath();
    c.moveTo(x - 12, y);
    c.lineTo(x + 12, y);
    c.moveTo(x, y - 12);
    c.lineTo(x, y + 12);
    c.stroke();
  }
  write(b, placeOf(at), x, y + 24, '600 12px', p.text, 0);
}

// drawFrom marks the via point at which an edge begins.
export function drawFrom(b: Brush, d: DraftView, from: number): void {
  const pose = poseOf(d, { kind: 'via', id: from });
  if (pose !== null) ring(b, [pose[0], pose[1]]);
}
