import assert from 'node:assert/strict';
import test from 'node:test';

import { leftData, leftText } from './left.ts';
import { driver, state } from '../testing.ts';

const goal = {
  n: 1,
  goal: [1, 2, 0] as [number, number, number],
  name: 'Sofa',
  phase: 'driving' as const,
  done: 1,
  left: 3.21,
  time: 9,
  off: null,
  route: 1,
  blocked: null,
  word: '' as const,
  reason: '',
};

test('a tag says how long it still waits, by the clock of the robot', () => {
  const m = driver({ offset: 890, state: state({ t: 900 }), lastStateAt: 10 });
  for (const [until, want] of [
    [900.2, '1 s left'],
    [912, '12 s left'],
    [965, '1 min 5 s left'],
    [1020, '2 min left'],
    [900 + 3600 * 2 + 660, '2 h 11 min left'],
    [900, ''],
    [800, ''],
  ] as const)
    assert.equal(leftText(until, false, m, 10), want);
  assert.equal(leftText(912, false, m, 13.5), '9 s left');
  assert.equal(leftText(null, false, m, 10), '');
  assert.equal(
    leftText(912, false, driver({ offset: null, state: state({ t: 900 }), lastStateAt: 10 }), 11),
    '11 s left',
  );
  assert.equal(leftText(912, false, driver({ offset: null, state: null }), 11), '');
});

test('a tag that drives somewhere says how far it still is', () => {
  const m = driver({ offset: 890, state: state({ goal }) });
  assert.equal(leftText(912, true, m, 10), '3.2 m to go');
  assert.equal(
    leftText(912, true, driver({ offset: 890, state: state({ goal: { ...goal, phase: 'ended' } }) }), 10),
    '12 s left',
  );
  const tag = { name: 'leg', frozen: false, blocked: false, statements: 1 };
  assert.deepEqual(leftData({ ...tag, until: 912, on_way: true }), { 'data-until': '912', 'data-way': '' });
  assert.deepEqual(leftData(tag), {});
});
