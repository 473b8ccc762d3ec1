import assert from 'node:assert/strict';
import test from 'node:test';
import { step, TICK } from './step.ts';
import { axleOf, centreOf, comesToRest, limitOf, VirtualRobot } from './virtual.ts';
import { welcome } from '../testing.ts';
import type { Pose, Robot } from '../wire.ts';

const robot = welcome().robot;
const near = (a: number, b: number, most = 1e-9) => assert.ok(Math.abs(a - b) <= most, `${a} is not ${b}`);

test('it answers at once and comes to a stand on release', () => {
  const v = new VirtualRobot(robot, [1, 2, 0], 5);
  assert.deepEqual(v.ask({ v: 0, w: 0 }, 5).vr, [1, 2, 0, 0, 0, 0]);
  assert.ok(v.stands);
  for (let t = 5; t < 7; t += 0.05) v.ask({ v: 0.3, w: 0 }, t);
  near(v.motion.twist.v, 0.3);
  const rest = v.rest();
  v.ask({ v: 0, w: 0 }, 7);
  v.advance(20);
  assert.ok(v.stands);
  near(v.pose[0], rest[0], 0.02);
  near(v.s, v.pose[0] - 1, 1e-6);
});

test('without a further sample it goes where the robot foretells: what was asked counts for 0.25 s, then the speed decays', () => {
  const v = new VirtualRobot(robot, [0, 0, 0.4], 0);
  for (let t = 0; t < 2; t += 0.05) v.ask({ v: 0.4, w: 0.3 }, t);
  const last = v.ask({ v: 0.4, w: 0.3 }, 2);
  let m = { axle: axleOf(last.vr.slice(0, 3) as Pose, robot.axle), twist: { v: last.vr[3], w: last.vr[4] } };
  for (let k = 0; k < 300; k++) m = step(m, k < 25 ? { v: 0.4, w: 0.3 } : { v: 0, w: 0 }, limitOf(robot), TICK);
  v.advance(5);
  const pose = centreOf(m.axle, robot.axle);
  for (const i of [0, 1, 2] as const) near(v.pose[i], pose[i], 1e-5);
  assert.ok(v.stands);
});

test('a page that slept for long catches up, and time does not run backwards', () => {
  const v = new VirtualRobot(robot, [0, 0, 0], 0);
  v.ask({ v: 0.4, w: 0 }, 0.1);
  v.advance(1000);
  const at = v.at;
  near(at, 1000, TICK);
  v.place([3, 3, 1], 999);
  assert.ok(v.ask({ v: 0, w: 0 }, 999).t >= at);
  assert.deepEqual(
    v.pose.map((x) => Math.round(x * 1e6) / 1e6),
    [3, 3, 1],
  );
});

test('a sample tells of the middle of the robot, whose axle lies behind it', () => {
  const p: Pose = [4, 7, 2.5];
  const back = centreOf(axleOf(p, 0.08), 0.08);
  for (const i of [0, 1, 2] as const) near(back[i], p[i], 1e-12);
});

test('a robot that was seen driving comes to rest ahead of there', () => {
  const rest = comesToRest([0, 0, 0], [0.4, 0], 0.3, robot);
  near(rest[0], 0.4 * 0.3 + (0.4 * 0.4) / (2 * robot.slew[0]), 0.01);
  assert.deepEqual(
    comesToRest([1, 2, 0.5], [0, 0], 0.3, robot).map((x) => Math.round(x * 1e9) / 1e9),
    [1, 2, 0.5],
  );
});

test('its limits are those of the robot: as slow as one that sees no obstacles, and a car turns only while it drives', () => {
  const car: Robot = { ...robot, drive: [0.2, robot.drive[1]], turning_radius: 0.8 };
  const v = new VirtualRobot(car, [0, 0, 0], 0);
  for (let t = 0; t < 2; t += 0.05) v.ask({ v: 0, w: 0.5 }, t);
  assert.deepEqual(v.pose.map(Math.abs), [0, 0, 0]);
  for (let t = 2; t < 5; t += 0.05) v.ask({ v: 0.4, w: 0.8 }, t);
  near(v.motion.twist.v, 0.2);
  near(v.motion.twist.w, 0.2 / 0.8);
});
