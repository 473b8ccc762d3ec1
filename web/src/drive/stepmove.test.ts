import assert from 'node:assert/strict';
import test from 'node:test';
import { ANGLE, begin, isDone, LENGTH, type Way } from './stepmove.ts';
import { step, TICK, type Motion } from '../virtualrobot/step.ts';

const limit = { v: 0.3, w: 0.7 };
const robot = { v: 0.5, w: 0.785, av: 0.52, aw: 1.5 };

// drive makes the virtual robot drive a step, with states ten times a second.
function drive(way: Way, theta: number): { m: Motion; took: number } {
  const s = begin(way, [0, 0, theta], limit, 0);
  let m: Motion = { axle: { x: 0, y: 0, theta }, twist: { v: 0, w: 0 } };
  let over = Infinity;
  let t = 0;
  for (let k = 0; t < 5; k++, t = k * TICK) {
    if (over === Infinity && k % 10 === 0 && isDone(s, [m.axle.x, m.axle.y, m.axle.theta], t)) over = t;
    if (t >= s.until) over = Math.min(over, t);
    m = step(m, over === Infinity ? s.wish : { v: 0, w: 0 }, robot, TICK);
  }
  return { m, took: over };
}

test('one press is ten centimetres, ahead and back', () => {
  const { m } = drive('ahead', 0.5);
  assert.ok(Math.abs(Math.hypot(m.axle.x, m.axle.y) - LENGTH) < 0.015, JSON.stringify(m));
  assert.ok(drive('back', 0.5).m.axle.x < -0.07);
});

test('one press is fifteen degrees, also across the back', () => {
  assert.ok(Math.abs(drive('left', 0).m.axle.theta - ANGLE) < 0.05);
  const { m } = drive('left', 3.1);
  assert.ok(Math.abs(m.axle.theta - (3.1 + ANGLE - 2 * Math.PI)) < 0.05, JSON.stringify(m));
});

test('a step ends when the robot has come far enough', () => {
  const s = begin('ahead', [1, 1, Math.PI / 2], limit, 10);
  assert.equal(isDone(s, [1, 1.05, Math.PI / 2], 10.1), false);
  assert.equal(isDone(s, [1, 1.1, Math.PI / 2], 10.1), true);
});

test('a step ends in its time even when the robot does not move', () => {
  const s = begin('right', [1, 1, 0], limit, 10);
  assert.equal(isDone(s, [1, 1, 0], s.until - 0.01), false);
  assert.equal(isDone(s, [1, 1, 0], s.until), true);
  assert.ok(s.until - 10 < 1);
});

test('a step is no faster than the speed limit', () => {
  assert.equal(begin('ahead', [0, 0, 0], { v: 0.05, w: 0.7 }, 0).wish.v, 0.05);
  assert.equal(begin('back', [0, 0, 0], { v: 0.3, w: 0.7 }, 0).wish.v, -0.15);
});
