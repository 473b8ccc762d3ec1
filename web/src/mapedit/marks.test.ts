import assert from 'node:assert/strict';
import test from 'node:test';
import { hit, itemAt, TIP } from './marks.ts';
import type { Sketch } from './sketch.ts';
import type { Point } from '../wire.ts';

const s: Sketch = {
  via: [
    { id: 1, name: 'I', at: [1, 1] },
    { id: 2, name: 'II', at: [3, 1] },
  ],
  edges: [[1, 2]],
  places: [{ name: 'Sofa', pose: [2, 3, Math.PI / 2] }],
};
const screen = ([x, y]: Point): Point => [x * 100, 400 - y * 100];

test('a press hits what is nearest to it, and edges only beside points', () => {
  assert.deepEqual(hit(s, null, [104, 296], false, screen), { item: { kind: 'via', id: 1 }, tip: false });
  assert.deepEqual(hit(s, null, [200, 303], false, screen), { item: { kind: 'edge', ends: [1, 2] }, tip: false });
  assert.deepEqual(hit(s, null, [203, 100], false, screen), { item: { kind: 'place', n: 0 }, tip: false });
  assert.equal(hit(s, null, [200, 320], false, screen), null);
});

test('a finger reaches farther', () => {
  assert.equal(hit(s, null, [100, 280], false, screen), null);
  assert.deepEqual(hit(s, null, [100, 280], true, screen)?.item, { kind: 'via', id: 1 });
});

test('the heading of a place is held by its tip once it is chosen', () => {
  const tip: Point = [200, 100 - TIP];
  assert.equal(hit(s, null, tip, false, screen), null);
  assert.deepEqual(hit(s, { kind: 'place', n: 0 }, tip, false, screen), { item: { kind: 'place', n: 0 }, tip: true });
});

test('what stands at a point is found, and else the edge that passes it', () => {
  assert.deepEqual(itemAt(s, [2, 3.004]), { kind: 'place', n: 0 });
  assert.deepEqual(itemAt(s, [3, 1]), { kind: 'via', id: 2 });
  assert.deepEqual(itemAt(s, [2.4, 1]), { kind: 'edge', ends: [1, 2] });
  assert.equal(itemAt(s, [2, 2]), null);
});
