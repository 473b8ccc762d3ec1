import assert from 'node:assert/strict';
import test from 'node:test';
import { deflection, grow, isDriveKey, noKeys, press, RAMP, release } from './keys.ts';

const held = (...codes: string[]) => codes.reduce((k, code) => press(k, code, 0), noKeys);

test('keys grow from nothing to full in a quarter of a second', () => {
  const keys = held('KeyW');
  assert.deepEqual(deflection(grow(keys, 0)), { forward: 0, left: 0 });
  assert.deepEqual(deflection(grow(keys, RAMP / 2)), { forward: 0.5, left: 0 });
  assert.deepEqual(deflection(grow(keys, 9)), { forward: 1, left: 0 });
});

test('letting go is at once', () => {
  const keys = release(grow(held('KeyW', 'KeyA'), 1), 'KeyW', 1);
  assert.deepEqual(deflection(keys), { forward: 0, left: 1 });
});

test('opposite keys cancel', () => {
  assert.deepEqual(deflection(grow(held('KeyW', 'KeyS', 'KeyD'), 1)), { forward: 0, left: -1 });
});

test('a reversal begins again from nothing', () => {
  let keys = grow(held('KeyW'), 1);
  keys = press(release(keys, 'KeyW', 1), 'KeyS', 1);
  assert.deepEqual(deflection(grow(keys, 1 + RAMP / 2)), { forward: -0.5, left: 0 });
});

test('the same way twice is the same way', () => {
  let keys = grow(held('KeyW', 'ArrowUp'), 1);
  assert.deepEqual(deflection(keys), { forward: 1, left: 0 });
  keys = release(keys, 'KeyW', 1);
  assert.deepEqual(deflection(keys), { forward: 1, left: 0 });
});

test('Shift halves the speed', () => {
  assert.deepEqual(deflection({ ...grow(held('KeyS', 'ArrowLeft'), 1), slow: true }), { forward: -0.5, left: 0.5 });
});

test('only W A S D and the arrows drive', () => {
  assert.ok(isDriveKey('ArrowDown'));
  for (const code of ['Space', 'KeyF', 'Digit0', 'toString']) assert.equal(isDriveKey(code), false, code);
});
