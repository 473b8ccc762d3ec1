import assert from 'node:assert/strict';
import test from 'node:test';
import { drawWorld, drawWorldTags } from './marks.ts';
import type { Brush } from '../map/brush.ts';
import { model } from '../testing.ts';

// brush draws nothing and records written texts.
function brush(written: string[]): Brush {
  const nothing = new Proxy({}, { get: () => () => undefined, set: () => true });
  const stamps = { put: (...given: unknown[]) => written.push(String(given[2])) };
  return { c: nothing, v: { x: 0, y: 0, scale: 50, width: 800, height: 600 }, p: {}, stamps } as unknown as Brush;
}

test('tags of things and closed doors are written over the routes, not with the floor', () => {
  const plan = {
    ...model().plan,
    doors: [
      { hinge: [1, 1] as [number, number], length: 0.9, closed: 0, open: 1 },
      { hinge: [3, 1] as [number, number], length: 0.9, closed: 0, open: 1 },
    ],
  };
  const world = {
    things: [{ thing: 1, kind: 'obstacle' as const, at: [2, 2] as [number, number], radius: 0.25 }],
    doors: [{ closed: true }, { closed: false }],
  };
  const floor: string[] = [];
  drawWorld(brush(floor), plan, world, true);
  assert.deepEqual(floor, []);
  const over: string[] = [];
  drawWorldTags(brush(over), plan, world, true);
  assert.deepEqual(over, ['closed', 'barrel']);
});
