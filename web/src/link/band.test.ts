import assert from 'node:assert/strict';
import test from 'node:test';
import { bandOf } from './band.ts';

test('a delay is fine to 400 ms, slow to 1500 ms, then bad', () => {
  assert.deepEqual(
    [0.02, 0.4, 0.41, 1.5, 1.51].map((rtt) => bandOf(rtt, 0)),
    [0, 0, 1, 1, 2],
  );
});

test('a delay at the edge of a band does not swing', () => {
  assert.equal(bandOf(0.39, 1), 1);
  assert.equal(bandOf(0.33, 1), 0);
  assert.equal(bandOf(1.4, 2), 2);
  assert.equal(bandOf(1.2, 2), 1);
  assert.equal(bandOf(0.1, 2), 0);
});

test('a delay that is not known changes nothing', () => {
  assert.equal(bandOf(null, 2), 2);
});
