import assert from 'node:assert/strict';
import test from 'node:test';
import { boxOf, clearanceOf, gapTo, type Hull, offHull, reachOf, widthOf } from './hull.ts';
import { bound } from './virtualrobot/free.ts';
import { VirtualRobot } from './virtualrobot/virtual.ts';
import { welcome } from './testing.ts';

const box = welcome().robot.hull;
// A wedge that points ahead, with a nose far ahead of base_link and a broad tail.
const wedge: Hull = [
  [-0.2, -0.3],
  [0.6, 0],
  [-0.2, 0.3],
];
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('how far a hull reaches', () => {
  assert.deepEqual(boxOf(wedge), { back: -0.2, front: 0.6, right: -0.3, left: 0.3 });
  near(widthOf(wedge), 0.6);
  near(reachOf(wedge), 0.6);
  assert.equal(clearanceOf(box), 0.36); // as the robot computes it
  assert.equal(clearanceOf(wedge), 0.62);
});

test('a point within the hull is not off it, and beside a corner or an edge it is as far as they are', () => {
  assert.equal(offHull(wedge, [0.1, 0.1]), 0);
  near(offHull(wedge, [0.9, 0.4]), 0.5);
  near(offHull(wedge, [-0.5, 0.1]), 0.3);
  near(offHull(box, [0.26 + 0.3, 0.225 + 0.4]), 0.5);
  assert.ok(offHull(wedge, [0.5, 0.25]) > 0.19, 'beside the nose there is room that the box around it would not have');
});

test('a line that meets the hull is no distance away, also without an end in it', () => {
  assert.equal(gapTo(wedge, [0.3, -1], [0.3, 1]), 0);
  assert.equal(gapTo(wedge, [0, 0], [0.1, 0]), 0);
  near(gapTo(wedge, [0.7, -1], [0.7, 1]), 0.1);
  near(gapTo(wedge, [-0.3, -0.1], [-0.9, -0.1]), 0.1);
  assert.ok(gapTo(wedge, [0.4, 0.3], [0.8, 0.3]) > 0.1, 'along the side of the nose');
});

test('a robot with a long nose slows down before a wall as far from its nose as another', () => {
  const robot = { ...welcome().robot, hull: wedge };
  const wall = { lines: [[2, -9, 2, 9] as [number, number, number, number]], things: [] };
  const wish = { v: 0.45, w: 0 };
  const free = (x: number) => {
    const v = new VirtualRobot(robot, [x, 0, 0], 0);
    return bound(v.motion, wish, v.limit, robot, wall);
  };
  assert.equal(free(2 - 0.6 - 1.3).v, 0.45);
  const slow = free(2 - 0.6 - 0.8);
  assert.ok(slow.v > 0.1 && slow.v < 0.45 && Math.abs(slow.way - 0.8) < 0.06, `${slow.v} m/s, ${slow.way} m`);
  assert.equal(free(2 - 0.6 - 0.3).v, 0);
});
