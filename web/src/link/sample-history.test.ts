import assert from 'node:assert/strict';
import test from 'node:test';
import { SampleHistory } from './sample-history.ts';
import type { Up, Virtual } from '../wire.ts';

function sample(seq: number, patch: Partial<Extract<Up, { type: 'drive' }>> = {}): Extract<Up, { type: 'drive' }> {
  const vr: Virtual = [seq, 2, 0.1, 0.3, -0.2, seq / 10];
  return { type: 'drive', lease: 4, hold: 2, seq, t: 10 + seq / 20, v: 0.3, w: -0.2, valid: 0.25, vr, ...patch };
}

// drive returns the history in each of n packets, 20 a second.
function drive(n: number, wish: (seq: number) => number): number[][] {
  const past = new SampleHistory();
  return Array.from({ length: n }, (_, i) =>
    past.before(sample(i + 1, { t: 10 + 0.05 * i, v: wish(i + 1), w: 0 })).map((s) => s[0]),
  );
}

test('a packet carries the two samples before it and others 0.3 s apart, the oldest first', () => {
  const told = drive(60, () => 0.3);
  assert.deepEqual(told.slice(0, 4), [[], [1], [1, 2], [2, 3]]);
  assert.deepEqual(told[59], [22, 28, 34, 40, 46, 52, 58, 59]);
});

test('it tells of a press that ended, however short the pause was', () => {
  const told = drive(40, (seq) => (seq === 30 ? 0 : 0.3));
  assert.ok(told[39]?.includes(30), String(told[39]));
});

test('what is older than two seconds stays behind', () => {
  const past = new SampleHistory();
  past.before(sample(1, { t: 10 }));
  past.before(sample(2, { t: 10.5 }));
  assert.deepEqual(
    past.before(sample(3, { t: 12.1 })).map((s) => s[0]),
    [2],
  );
});

test('a sample of the past is as it was sent', () => {
  const past = new SampleHistory();
  past.before(sample(7));
  assert.deepEqual(past.before(sample(8)), [[7, 10.35, 0.3, -0.2, 7, 2, 0.1, 0.3, -0.2, 0.7]]);
});

test('another hold or lease number begins without a past', () => {
  const past = new SampleHistory();
  past.before(sample(1));
  assert.deepEqual(past.before(sample(2, { hold: 3 })), []);
  assert.equal(past.before(sample(3, { hold: 3 })).length, 1);
  assert.deepEqual(past.before(sample(4, { hold: 3, lease: 5 })), []);
});

test('samples without a virtual robot have no past and are none', () => {
  const past = new SampleHistory();
  const { vr: _, ...direct } = sample(2);
  past.before(sample(1));
  assert.deepEqual(past.before(direct), []);
  assert.deepEqual(past.before(sample(3)), []);
});
