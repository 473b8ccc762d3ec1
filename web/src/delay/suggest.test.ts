import assert from 'node:assert/strict';
import test from 'node:test';
import { suggest } from './suggest.ts';

test('the speed falls gently with the delay', () => {
  const at = [0.1, 0.4, 0.41, 0.5, 0.9, 1.5, 3, 9].map((rtt) => Number(suggest(rtt, Infinity).toFixed(2)));
  assert.deepEqual(at, [Infinity, Infinity, 0.45, 0.4, 0.3, 0.25, 0.15, 0.15]);
});

test('a delay that swings a little changes nothing', () => {
  assert.equal(suggest(0.95, 0.3), 0.3);
  assert.equal(suggest(0.85, 0.3), 0.3);
  assert.equal(suggest(0.38, 0.45), 0.45);
  assert.equal(suggest(0.33, 0.45), Infinity);
});

test('a delay that is not known changes nothing', () => {
  assert.equal(suggest(null, 0.2), 0.2);
});
