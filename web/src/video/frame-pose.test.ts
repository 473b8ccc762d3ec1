import assert from 'node:assert/strict';
import test from 'node:test';
import { Neck, States, takenAt } from './frame-pose.ts';
import type { State } from '../wire.ts';

const TURN = 2 ** 32 / 90000;
const state = (t: number, x: number, theta: number, pan: number) =>
  ({ t, pose: [x, 0, theta], head: [pan, 0] }) as unknown as State;

test('a timestamp is a time of the robot clock, also after it began anew', () => {
  assert.equal(takenAt(90000, 1.2), 1);
  assert.ok(Math.abs(takenAt(90000 * 5, 3 * TURN + 6) - (3 * TURN + 5)) < 1e-6);
  assert.ok(Math.abs(takenAt(2 ** 32 - 90000, TURN + 0.5) - (TURN - 1)) < 1e-6);
});

test('between two states the robot was between them, the short way round', () => {
  const states = new States();
  states.add(state(1, 0, 3.1, 0));
  states.add(state(1.1, 0.1, -3.1, 0.2));
  const s = states.at(1.05);
  assert.ok(
    s !== null &&
      Math.abs(s.pose[0] - 0.05) < 1e-9 &&
      Math.abs(Math.abs(s.pose[2]) - Math.PI) < 0.01 &&
      Math.abs(s.head[0] - 0.1) < 1e-9,
  );
  assert.equal(states.at(9)?.pose[0], 0.1);
  assert.equal(states.at(0)?.pose[0], 0);
  assert.equal(new States().at(1), null);
});

test('states before a restart of the robot are forgotten', () => {
  const states = new States();
  states.add(state(50, 5, 0, 0));
  states.add(state(1, 1, 0, 0));
  assert.equal(states.at(50)?.pose[0], 1);
});

test('the head goes to what was asked for as fast as it turns, and then is where it is seen', () => {
  const neck = new Neck();
  neck.advance(0, [0, 0], 1);
  neck.ask([0.1, -0.05], 0);
  assert.deepEqual(
    neck.advance(0.05, [0, 0], 1).map((x) => x.toFixed(3)),
    ['0.050', '-0.050'],
  );
  assert.deepEqual(
    neck.advance(0.2, [0, 0], 1).map((x) => x.toFixed(3)),
    ['0.100', '-0.050'],
  );
  assert.deepEqual(neck.advance(6, [0.3, 0], 1), [0.3, 0]);
});
