import assert from 'node:assert/strict';
import test from 'node:test';
import type { Brush } from './brush.ts';
import { drawFloor } from './floor.ts';
import { model } from '../testing.ts';
import type { Floorplan } from '../wire.ts';

// fillsOf draws a plan at 10 px/m, and returns the colour and the path of each fill.
function fillsOf(plan: Floorplan): string[] {
  const out: string[] = [];
  let path = '';
  const c = {
    fillStyle: '',
    beginPath: () => (path = ''),
    moveTo: (x: number, y: number) => (path += ` M${x},${y}`),
    lineTo: (x: number, y: number) => (path += ` L${x},${y}`),
    fill: () => out.push(c.fillStyle + path),
    fillRect: () => null,
    stroke: () => null,
  };
  const p = new Proxy({}, { get: (_, name) => name });
  drawFloor({ c, p, v: { x: 0, y: 0, scale: 10, width: 100, height: 100 } } as unknown as Brush, plan, false, []);
  return out;
}

test('where there are no rooms the free floor is one fill, in which a hole stays void', () => {
  const free: Floorplan['free'] = [
    [
      [0, 0],
      [4, 0],
      [4, 4],
    ],
    [
      [2, 1],
      [3, 2],
      [3, 1],
    ],
  ];
  assert.deepEqual(fillsOf({ ...model().plan, free }), ['map-floor M50,50 L90,50 L90,10 M70,40 L80,30 L80,40']);
});
