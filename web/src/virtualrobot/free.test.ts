import assert from 'node:assert/strict';
import test from 'node:test';
import { bound, gap, type Obstacles, standing } from './free.ts';
import { VirtualRobot } from './virtual.ts';
import { model, welcome } from '../testing.ts';
import type { Pose } from '../wire.ts';

const robot = welcome().robot;
const wall: Obstacles = { lines: [[5, -10, 5, 10]], things: [] };

// drive holds a request for a number of seconds in front of obstacles, and returns the least gap.
function drive(
  from: Pose,
  want: { v: number; w: number },
  seconds: number,
  all: Obstacles,
): { robot: VirtualRobot; least: number } {
  const r = new VirtualRobot(robot, from, 0);
  let least = Infinity;
  for (let t = 0; t < seconds; t += 0.05) {
    r.advance(t);
    least = Math.min(least, gap(r.pose, robot, all));
    r.ask(bound(r.motion, want, r.limit, robot, all), t);
  }
  return { robot: r, least };
}

test('it stands before a wall, as far from it as the guard does or a little farther', () => {
  for (const v of [0.1, 0.3, 0.45]) {
    const { robot: r, least } = drive([2, 0, 0], { v, w: 0 }, 60, wall);
    assert.ok(r.motion.twist.v < 0.02, `it still goes at ${r.motion.twist.v}`);
    assert.ok(least > 0.35 && least < 0.5, `${least} m at ${v} m/s`);
  }
});

test('what bounds it is told with the free way that is left', () => {
  const { way, v } = bound(
    new VirtualRobot(robot, [4, 0, 0], 0).motion,
    { v: 0.45, w: 0 },
    { v: 0.45, w: 0.7, av: 0.4, aw: 1.2 },
    robot,
    wall,
  );
  assert.ok(Math.abs(way - 0.72) < 0.06 && v > 0.2 && v < 0.4, `${v} m/s, ${way} m`);
});

test('a car cannot turn away from a wall as tightly as it is asked to', () => {
  const m = new VirtualRobot(robot, [4, 0, 0], 0).motion;
  const want = { v: 0.2, w: 0.7 };
  const limit = { v: 0.45, w: 0.7, av: 0.4, aw: 1.2 };
  assert.equal(bound(m, want, limit, robot, wall).way, Infinity);
  const { way, v } = bound(m, { v: 0.45, w: 0.7 }, { ...limit, r: 3 }, robot, wall);
  assert.ok(way < 1 && v < 0.45, `${v} m/s, ${way} m`);
});

test('backwards too', () => {
  const { least } = drive([2, 0, Math.PI], { v: -0.45, w: 0 }, 20, wall);
  assert.ok(least > 0.35 && least < 0.5, `${least} m`);
});

test('before a wall it still turns, and drives away', () => {
  const { robot: r } = drive([2, 0, 0], { v: 0.4, w: 0 }, 20, wall);
  const at = r.pose;
  assert.ok(drive(at, { v: 0, w: 0.5 }, 4, wall).robot.pose[2] > 1);
  assert.ok(drive(at, { v: -0.3, w: 0 }, 4, wall).robot.pose[0] < at[0] - 0.5);
});

test('no hold of any direction ends in a touch', () => {
  const box: Obstacles = {
    lines: [
      [0, 0, 3, 0],
      [3, 0, 3, 2],
      [3, 2, 0, 2],
      [0, 2, 0, 0],
    ],
    things: [{ x: 1.4, y: 1.6 }],
  };
  for (let k = 0; k < 24; k++) {
    const a = (k * Math.PI) / 12;
    const { least } = drive([1.5, 0.8, 1.3 * k], { v: 0.45 * Math.cos(a), w: 0.7 * Math.sin(a) }, 12, box);
    assert.ok(least > 0.03, `${least} m when it is pushed to ${k * 15} degrees`);
  }
});

test('where nothing is near, all that is wanted is given', () => {
  const want = { v: 0.45, w: -0.7 };
  assert.deepEqual(
    bound(new VirtualRobot(robot, [-9, 0, 0], 0).motion, want, { v: 0.45, w: 0.7, av: 0.4, aw: 1.2 }, robot, wall),
    { ...want, way: Infinity },
  );
});

test('along a wall and through a door nothing slows it', () => {
  const door: Obstacles = {
    lines: [
      [0, 0.5, 4, 0.5],
      [0, -0.5, 4, -0.5],
    ],
    things: [],
  };
  const want = { v: 0.4, w: 0 };
  assert.deepEqual(
    bound(new VirtualRobot(robot, [1, 0, 0], 0).motion, want, { v: 0.45, w: 0.7, av: 0.4, aw: 1.2 }, robot, door),
    { ...want, way: Infinity },
  );
});

test('who stands too near already may get away', () => {
  const r = new VirtualRobot(robot, [4.72, 0, 0], 0);
  assert.equal(bound(r.motion, { v: -0.2, w: 0 }, r.limit, robot, wall).v, -0.2);
  assert.equal(bound(r.motion, { v: 0.2, w: 0 }, r.limit, robot, wall).v, 0);
});

test('a door stands where the simulator says; else nothing is known of it', () => {
  const plan = {
    ...model().plan,
    doors: [{ hinge: [1, 1] as [number, number], length: 1, closed: 0, open: Math.PI / 2 }],
  };
  assert.deepEqual(standing(plan, null), []);
  assert.deepEqual(standing(plan, { things: [], doors: [{ closed: true }] }), [[1, 1, 2, 1]]);
});

test('a wall through the hull is no distance away', () => {
  assert.equal(gap([5, 0, 0.3], robot, wall), 0);
  assert.ok(Math.abs(gap([4, 0, 0], robot, wall) - 0.74) < 1e-9);
});

test('a virtual robot that is within a thing already goes out of it, not on through it', () => {
  const barrel: Obstacles = { lines: [], things: [{ x: 0.3, y: 0 }] };
  const r = new VirtualRobot(robot, [0, 0, 0], 0);
  assert.equal(bound(r.motion, { v: 0.3, w: 0 }, r.limit, robot, barrel).v, 0);
  assert.equal(bound(r.motion, { v: -0.3, w: 0 }, r.limit, robot, barrel).v, -0.3);
});
