import assert from 'node:assert/strict';
import test from 'node:test';
import { after, marks, nearest } from './line.ts';
import type { Point } from '../wire.ts';

const bend: Point[] = [
  [0, 0],
  [3, 0],
  [3, 4],
];

test('what is done of a route drops off', () => {
  assert.deepEqual(after(bend, 0), bend);
  assert.deepEqual(after(bend, 1), [
    [1, 0],
    [3, 0],
    [3, 4],
  ]);
  assert.deepEqual(after(bend, 3), [
    [3, 0],
    [3, 4],
  ]);
  assert.deepEqual(after(bend, 5), [
    [3, 2],
    [3, 4],
  ]);
  assert.deepEqual(after(bend, 7), []);
  assert.deepEqual(
    after(
      [
        [1, 1],
        [1, 1],
        [2, 1],
      ],
      0.5,
    ),
    [
      [1.5, 1],
      [2, 1],
    ],
    'a point may be there twice',
  );
});

test('marks are evenly apart, round corners too', () => {
  assert.deepEqual(
    marks(bend, 2).map((m) => m.at),
    [
      [1, 0],
      [3, 0],
      [3, 2],
    ].map((p) => p),
  );
  assert.deepEqual(
    marks(bend, 4).map(({ at, way }) => [...at, Math.round(way * 100)]),
    [
      [2, 0, 0],
      [3, 3, 157],
    ],
  );
  assert.deepEqual(marks([[0, 0]], 1), []);
});

test('a point beside the line is as far along as its foot', () => {
  assert.equal(nearest(bend, [1, 0.2]).at, 1);
  assert.equal(nearest(bend, [3.3, 2]).at, 5);
  assert.equal(nearest(bend, [-5, 0]).at, 0);
  assert.equal(nearest(bend, [3, 99]).at, 7);
});
