import assert from 'node:assert/strict';
import test from 'node:test';

import type { Word } from './api.ts';
import { Curves, drawn, MAX_WATCHED, readWatched, valueAt, valueText } from './watch.ts';

test('what is watched survives a reload, and what was stored wrongly does not', () => {
  assert.deepEqual(readWatched(['battery.val', ' pose.x ', 'pose.x', '', 7, 'é'.repeat(101)]), [
    'battery.val',
    'pose.x',
  ]);
  assert.deepEqual(readWatched({ 0: 'battery.val' }), []);
  assert.equal(readWatched(Array.from({ length: 30 }, (_, i) => `x${i}`)).length, MAX_WATCHED);
});

test('a value is read with its unit and without needless zeros', () => {
  assert.equal(valueText({ of: 'a', number: 15, text: '15.000000', unit: 'deg' }), '15 deg');
  assert.equal(valueText({ of: 'a', number: -0.25, text: '-0.250000' }), '-0.25');
  assert.equal(valueText({ of: 'a', number: 100, text: '100.000000', unit: '%' }), '100 %');
  assert.equal(valueText({ of: 'a', number: 77.969, text: '77.969022', unit: '%' }), '77.969 %');
  assert.equal(valueText({ of: 'a', number: 0.00012, text: '0.000120' }), '0.00012');
  assert.equal(valueText({ of: 'a', number: 1.23457e6, text: '1234567.000000', unit: 'ms' }), '1234567 ms');
  assert.equal(valueText({ of: 'a', text: 'inf', unit: 'm' }), 'inf m');
  assert.equal(valueText({ of: 'a', text: '"10.0"' }), '"10.0"');
  assert.equal(valueText({ of: 'a', text: '', fault: 'a is not known now' }), '');
});

test('a curve has the last minute, and a gap where there was no number', () => {
  const curves = new Curves();
  for (let t = 0; t <= 100; t += 10) curves.add(t, [{ of: 'x', number: t, text: '' }]);
  curves.add(100.2, [{ of: 'x', text: '"a"' }]);
  assert.deepEqual(
    curves.of('x').map(([t]) => t),
    [50, 60, 70, 80, 90, 100, 100.2],
  );
  const { path, least, most } = drawn(
    [
      [40, 0],
      [40.2, 10],
      [41.8, 5],
      [42, null],
      [42.2, 5],
    ],
    100,
    60,
    12,
  )!;
  assert.equal(path, 'M0.0 11.0L0.2 1.0M1.8 6.0M2.2 6.0');
  assert.deepEqual([least, most], [0, 10]);
  assert.equal(drawn([[1, 7]], 1, 60, 12)?.path, 'M60.0 6.0');
  assert.equal(drawn([[1, null]], 1, 60, 12), null);
  curves.keep(['y']);
  assert.deepEqual(curves.of('x'), []);
});

const known: Word[] = [
  ['battery.val', 'device'],
  ['headPan.val', 'device'],
  ['pose.x', 'device'],
  ['at', 'statement'],
  ['dock', 'function'],
  ['smooth', 'modifier'],
].map(([word, kind]) => ({ word, kind, detail: '' }) as Word);

test('the name under the pointer stands for a value', () => {
  for (const [line, want] of [
    ['at (bat|tery.val < 20) dock();', 'battery.val'],
    ['head|Pan = 30 smooth:700', 'headPan.val'],
    ['|count++;', 'patrol.count'],
    ['x = count|', 'patrol.count'],
    ['echo guard.count| + 1', 'guard.count'],
    ['wait(tim|e)', 'time'],
    ['a|t (1) noop', null],
    ['do|ck();', null],
    ['mine| (3);', null],
    ['look|: every (1s) noop', null],
    ['look|+report: noop', null],
    ['x = 5 smo|oth:700', null],
    ['say("bat|tery.val")', null],
    ['# bat|tery.val', null],
    ['1 + | 2', null],
    ['self.va|l', null],
  ] as const) {
    const at = valueAt(line.replace('|', ''), line.indexOf('|'), 'patrol', known);
    assert.equal(at?.of ?? null, want, line);
  }
  assert.equal(valueAt('count', 1, '', known), null);
  const { from, to } = valueAt('x = battery.val;', 6, 'a', known)!;
  assert.deepEqual([from, to], [4, 15]);
});
