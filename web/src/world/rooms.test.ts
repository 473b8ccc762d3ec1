import assert from 'node:assert/strict';
import test from 'node:test';
import { doorAt, roomOf } from './rooms.ts';
import { model } from '../testing.ts';
import type { Floorplan, Point } from '../wire.ts';

const box = (x0: number, y0: number, x1: number, y1: number): Point[] => [
  [x0, y0],
  [x1, y0],
  [x1, y1],
  [x0, y1],
];
const lab = { hinge: [1, 2] as Point, length: 1, closed: 0, open: Math.PI / 2 };
const plan: Floorplan = {
  ...model().plan,
  rooms: [
    { name: 'Corridor', corridor: true, outline: box(0, 0, 9, 2), label: null },
    { name: 'Lab', corridor: false, outline: box(0, 2, 4, 6), label: null },
  ],
  doors: [
    lab,
    { hinge: [6, 2], length: 1, closed: 0, open: Math.PI / 2 },
    { hinge: [50, 50], length: 1, closed: 0, open: 1 },
  ],
};

test('a door is called by the room behind it', () => {
  assert.deepEqual(
    plan.doors.map((d) => roomOf(plan, d)),
    ['Lab', 'Corridor', ''],
  );
});

test('a door is pressed at its leaf or in its doorway, and a closed one only there', () => {
  assert.equal(doorAt(plan, [], [1, 2.8], 0.3), 0);
  assert.equal(doorAt(plan, [], [1.9, 2.1], 0.3), 0);
  assert.equal(doorAt(plan, [true], [1, 2.8], 0.3), -1);
  assert.equal(doorAt(plan, [true], [1.5, 2], 0.3), 0);
  assert.equal(doorAt(plan, [], [6.5, 2.1], 0.3), 1);
  assert.equal(doorAt(plan, [], [3, 1], 0.3), -1);
});
