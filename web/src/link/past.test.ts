import assert from 'node:assert/strict';
import test from 'node:test';
import { Past } from './past.ts';
import type { Up, Virtual } from '../wire.ts';

function sample(seq: number, patch: Partial<Extract<Up, { type: 'drive' }>> = {}): Extract<Up, { type: 'drive' }> {
  const vr: Virtual = [seq, 2, 0.1, 0.3, -0.2, seq / 10];
  return { type: 'drive', lease: 4, hold: 2, seq, t: 10 + seq, v: 0.3, w: -0.2, valid: 0.25, vr, ...patch };
}

test('a packet carries the four samples before it, the oldest first', () => {
  const past = new Past();
  const told = [1, 2, 3, 4, 5, 6].map((seq) => past.before(sample(seq)).map((s) => s[0]));
  assert.deepEqual(told, [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]);
});

test('a sample of the past is as it was sent', () => {
  const past = new Past();
  past.before(sample(7));
  assert.deepEqual(past.before(sample(8)), [[7, 17, 0.3, -0.2, 7, 2, 0.1, 0.3, -0.2, 0.7]]);
});

test('another hold or lease number begins without a past', () => {
  const past = new Past();
  past.before(sample(1));
  assert.deepEqual(past.before(sample(2, { hold: 3 })), []);
  assert.equal(past.before(sample(3, { hold: 3 })).length, 1);
  assert.deepEqual(past.before(sample(4, { hold: 3, lease: 5 })), []);
});

test('samples without a virtual robot have no past and are none', () => {
  const past = new Past();
  const { vr: _, ...direct } = sample(2);
  past.before(sample(1));
  assert.deepEqual(past.before(direct), []);
  assert.deepEqual(past.before(sample(3)), []);
});
