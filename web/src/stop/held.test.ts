import assert from 'node:assert/strict';
import test from 'node:test';
import { due, grip, loose, progress, secondClick } from './held.ts';

test('a hold is due after one and a half seconds, not before', () => {
  const h = grip(loose, 10);
  assert.equal(due(h, 11.49), false);
  assert.equal(due(h, 11.5), true);
  assert.ok(Math.abs(progress(h, 10.75) - 0.5) < 1e-9);
});

test('pressing again while holding does not start anew', () => {
  assert.deepEqual(grip(grip(loose, 10), 11), { since: 10, done: false });
});

test('a hold does its work once', () => {
  const done = { ...grip(loose, 10), done: true };
  assert.equal(due(done, 20), false);
  assert.equal(progress(done, 20), 1);
});

test('letting go is no progress', () => {
  assert.equal(progress(loose, 10), 0);
  assert.equal(due(loose, 10), false);
});

test('two clicks release only when they are far enough apart and not too far', () => {
  assert.equal(secondClick(null, 10), false);
  assert.equal(secondClick(10, 10.3), false);
  assert.equal(secondClick(10, 11.6), true);
  assert.equal(secondClick(10, 17), false);
});
