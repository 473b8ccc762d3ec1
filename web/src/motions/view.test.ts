import assert from 'node:assert/strict';
import test from 'node:test';
import { awayOf, dayOf, metaOf, nameOfStart, playingOf, poseAt } from './view.ts';
import type { Kept } from '../wire.ts';

const kept: Kept = {
  n: 3,
  name: 'Round the table',
  at: '2026-11-20T14:30:00',
  length: 4.23,
  time: 81.6,
  start: [1, 2, 3.1],
};

test('a motion says when, how far and how long', () => {
  assert.equal(metaOf(kept), '14:30 · 4.2 m · 1:22');
});

test('a motion is under the day on which it was driven', () => {
  const now = new Date('2026-11-20T09:00:00');
  const on = (at: string) => dayOf({ ...kept, at }, now);
  assert.equal(on('2026-11-20T00:01:00'), 'Today');
  assert.equal(on('2026-11-19T23:59:00'), 'Yesterday');
  assert.equal(on('2026-11-18T12:00:00'), 'Wednesday 18 November');
  assert.equal(on('2025-12-31T12:00:00'), 'Wednesday 31 December 2025');
});

test('a motion is played only from near its start', () => {
  assert.equal(awayOf(kept, [1.2, 2.2, 3.1]), '');
  assert.equal(awayOf(kept, [1, 2, -3.1]), '', 'the two headings are close');
  assert.equal(awayOf(kept, [5, 5, 3.1]), 'The robot is 5.0 m from the start of this drive.');
  assert.equal(awayOf(kept, [1, 2, 2.1]), 'The robot is turned 57° away from the start of this drive.');
});

test('between its points a motion goes straight, and turns the short way', () => {
  const points = [
    { t: 0, pose: { x: 0, y: 0, theta: 3.1 } },
    { t: 1, pose: { x: 2, y: 1, theta: -3.1 } },
    { t: 2, pose: { x: 2, y: 1, theta: 0 } },
  ];
  const at = poseAt(points, 0.5)!;
  assert.deepEqual([at[0], at[1]], [1, 0.5]);
  assert.ok(Math.abs(Math.abs(at[2]) - Math.PI) < 1e-9);
  assert.deepEqual(poseAt(points, -1), [0, 0, 3.1]);
  assert.deepEqual(poseAt(points, 0), [0, 0, 3.1]);
  assert.deepEqual(poseAt(points, 9), [2, 1, 0]);
  assert.equal(poseAt([], 0), null);
});

test('the goal at the start of a motion has a name of at most 60 whole letters', () => {
  assert.equal(nameOfStart('Ahead'), 'Start of Ahead');
  assert.equal(nameOfStart('😀'.repeat(60)), `Start of ${'😀'.repeat(51)}`);
});

test('a motion that is deleted while the robot replays it is still called something', () => {
  assert.equal(playingOf(kept, 2.14), 'Round the table: 2.1 m left');
  assert.equal(playingOf(null, 2.14), 'A deleted drive: 2.1 m left');
});
