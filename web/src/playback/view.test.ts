import assert from 'node:assert/strict';
import test from 'node:test';
import { clockOf, hasEnded, placeAt, spoken } from './view.ts';

test('a recording goes on by itself at its speed, up to its end', () => {
  const now = { playing: true, speed: 4, at: 10, length: 30 };
  assert.equal(placeAt(now, 2), 18);
  assert.equal(placeAt(now, 20), 30);
  assert.equal(placeAt({ ...now, playing: false }, 20), 10);
  assert.deepEqual([hasEnded(29.9, 30), hasEnded(29.98, 30), hasEnded(30, 30)], [false, true, true]);
});

test('times are shown as on a clock', () => {
  assert.deepEqual([0, 5.9, 65, 600, 3605].map(clockOf), ['0:00', '0:05', '1:05', '10:00', '1:00:05']);
  assert.equal(spoken(65, 600), '1:05 of 10:00');
});
