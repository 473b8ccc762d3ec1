import assert from 'node:assert/strict';
import test from 'node:test';
import { tabOf } from './opening.ts';
import { driver, state } from '../testing.ts';
import type { Goal, RunState } from '../wire.ts';

const goal: Goal = {
  n: 1,
  goal: [4, 7, 0],
  name: 'Dock',
  phase: 'driving',
  done: 1,
  left: 6,
  time: 20,
  off: null,
  route: 1,
  blocked: null,
  word: '',
  reason: '',
};
const job: RunState = { run: 1, phase: 'running', step: 0, steps: 3, left: null, step_left: null, changes: 0 };

test('a page that opens shows the goal or job of the robot', () => {
  assert.equal(tabOf(driver(), false), null);
  assert.equal(tabOf(driver({ state: state({ mode: 'goal', goal }) }), false), 'goto');
  assert.equal(tabOf(driver({ state: state({ mode: 'paused', goal: { ...goal, phase: 'paused' } }) }), false), 'goto');
  assert.equal(tabOf(driver({ state: state({ goal: { ...goal, phase: 'ended' } }) }), false), null);
  assert.equal(tabOf(driver({ state: state({ mode: 'job', goal, job }) }), false), 'jobs');
  assert.equal(tabOf(driver({ state: state({ job: { ...job, phase: 'ended' } }) }), false), null);
});

test('a reload shows the same tab, unless the robot moves by itself', () => {
  assert.equal(tabOf(driver({ state: state({ mode: 'goal', goal }) }), true), 'goto');
  assert.equal(tabOf(driver({ state: state({ mode: 'job', job }) }), true), 'jobs');
  for (const mode of ['manual', 'paused', 'stopped'] as const)
    assert.equal(tabOf(driver({ state: state({ mode, goal: { ...goal, phase: 'paused' } }) }), true), null);
});
