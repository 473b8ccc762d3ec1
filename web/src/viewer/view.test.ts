import assert from 'node:assert/strict';
import test from 'node:test';
import { isViewer, toldOf } from './view.ts';
import { state, watcher } from '../testing.ts';
import type { Goal, Run, RunState } from '../wire.ts';

const goal: Goal = {
  n: 1,
  goal: [4, 7, 0],
  name: 'Dock',
  phase: 'driving',
  done: 1,
  left: 6,
  time: 21,
  off: null,
  route: 1,
  blocked: null,
  word: '',
  reason: '',
};
const job: RunState = { run: 1, phase: 'running', step: 2, steps: 7, left: null, step_left: null, changes: 0 };

test('only who may nothing but watch is a viewer', () => {
  assert.ok(isViewer(watcher({ role: 'observer' })));
  assert.ok(!isViewer(watcher()));
  assert.ok(!isViewer(watcher({ role: 'observer', you: null })));
});

test('a viewer reads who has control', () => {
  assert.match(toldOf(watcher()).who, /^Ana has had control since \d\d:\d\d\.$/);
  assert.equal(toldOf(watcher({ holder: null })).who, 'Nobody has control.');
  assert.equal(toldOf(watcher({ freeAt: 20 })).who, 'Ana left.');
});

test('a viewer reads what the robot does, where to and for how long', () => {
  const does = (patch: Parameters<typeof watcher>[0]) => toldOf(watcher(patch)).does;
  assert.equal(does({}), 'Ready');
  assert.equal(does({ state: state({ mode: 'goal', goal }) }), 'Driving to goal: Dock, 21 s left');
  assert.equal(does({ state: state({ mode: 'paused', goal: { ...goal, phase: 'paused' } }) }), 'Paused: Dock');
  assert.equal(
    does({ state: state({ mode: 'job', job }), run: { name: 'Paper to Jin' } as Run }),
    'Running job, step 3 of 7: Paper to Jin',
  );
  assert.equal(does({ state: state({ goal: { ...goal, phase: 'ended' } }) }), 'Ready');
});

test('a viewer reads that there is a camera which is not shared', () => {
  assert.equal(toldOf(watcher({ sees: true })).unshared, true);
  assert.equal(toldOf(watcher({ sees: true, camera: true })).unshared, false);
  assert.equal(toldOf(watcher()).unshared, false);
});
