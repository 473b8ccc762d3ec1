import assert from 'node:assert/strict';
import test from 'node:test';
import { step, type Limit, type Motion, type Twist, wrap } from './step.ts';
import file from '../../../robot/testdata/step.json';
import radii from '../../../robot/testdata/turning_radius.json';

interface Vector {
  start: { x: number; y: number; theta: number; v: number; w: number };
  want: Twist;
  limit: Limit;
  dt: number;
  steps: number;
  end: { x: number; y: number; theta: number; v: number; w: number };
}

const vectors: Vector[] = file;

test('the virtual robot goes where the robot goes, to 1e-9', () => {
  assert.ok(vectors.length > 10);
  for (const [i, { start, want, limit, dt, steps, end }] of vectors.entries()) {
    let m: Motion = { axle: { x: start.x, y: start.y, theta: start.theta }, twist: { v: start.v, w: start.w } };
    for (let k = 0; k < steps; k++) m = step(m, want, limit, dt);
    const near = (name: string, is: number, must: number) =>
      assert.ok(Math.abs(is - must) <= 1e-9, `vector ${i}: ${name} is ${is}, must be ${must}`);
    near('x', m.axle.x, end.x);
    near('y', m.axle.y, end.y);
    near('theta', wrap(m.axle.theta - end.theta), 0);
    near('v', m.twist.v, end.v);
    near('w', m.twist.w, end.w);
  }
});

test('a car turns no tighter than the robot lets it', () => {
  assert.ok(radii.length >= 8);
  for (const { radius, asked, permitted } of radii) {
    const [v = NaN, w = NaN] = asked;
    const any: Limit = { v: 1, w: 1, av: Infinity, aw: Infinity, r: radius };
    const { twist } = step({ axle: { x: 0, y: 0, theta: 0 }, twist: { v: 0, w: 0 } }, { v, w }, any, 0.01);
    const [v1 = NaN, w1 = NaN] = permitted;
    assert.ok(
      Math.abs(twist.v - v1) < 1e-12 && Math.abs(twist.w - w1) < 1e-12,
      `radius ${radius}, asked ${v}, ${w}: ${twist.v}, ${twist.w}`,
    );
  }
});

test('an angle is wrapped into (-pi, pi]', () => {
  assert.equal(wrap(Math.PI), Math.PI);
  assert.equal(wrap(-Math.PI), Math.PI);
  assert.ok(Math.abs(wrap(7) - (7 - 2 * Math.PI)) < 1e-12);
  assert.ok(Math.abs(wrap(-20.5) - (-20.5 + 6 * Math.PI)) < 1e-12);
});
