import assert from 'node:assert/strict';
import test from 'node:test';

import { marksText, standbyText } from './marks.ts';
import { model } from '../testing.ts';

const unit = (patch: object) => ({
  name: 'patrol',
  held: true,
  why: 'Ben has control.',
  by: 'Ana',
  tags: [],
  yields: true,
  continues_at: null,
  ...patch,
});

test('a card says when a script that stands by continues', () => {
  const m = model({ offset: 1000 });
  const on = { stands_by: true };
  for (const [entry, u, t, want] of [
    [on, unit({ continues_at: 1300 }), 100, 'Stands by: continues in 3 min 20 s unless someone takes control.'],
    [on, unit({ continues_at: 1300 }), 290.5, 'Stands by: continues in 10 s unless someone takes control.'],
    [on, unit({ continues_at: 1300 }), 305, 'Stands by: continues in 0 s unless someone takes control.'],
    [on, unit({}), 0, 'Stands by: continues when no one has had control for 5 min.'],
    [on, unit({ yields: false }), 0, 'Stands by, but now it needs Resume.'],
    [on, unit({ held: false, yields: false }), 0, 'Stands by: after a visitor it continues by itself.'],
    [on, null, 0, ''],
    [{ stands_by: false }, unit({}), 0, ''],
  ] as const)
    assert.equal(standbyText(entry, u, m, t), want);
  assert.equal(
    standbyText(on, unit({ continues_at: 1300 }), model({ offset: null, state: null }), 0),
    'Stands by: continues when no one has had control for 5 min.',
  );
});

test('a card says that a script starts with the robot, or why it did not', () => {
  assert.equal(marksText({ starts: false, start_fault: '' }), '');
  assert.equal(marksText({ starts: true, start_fault: '' }), 'Starts with the robot.');
  assert.equal(
    marksText({ starts: true, start_fault: 'line 1, column 4: expected (' }),
    'It did not start with the robot: line 1, column 4: expected (',
  );
});
