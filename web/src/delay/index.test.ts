import assert from 'node:assert/strict';
import test from 'node:test';
import { topOf } from './chart.ts';
import { figuresOf, isStalled, noteOf } from './index.ts';
import { DEFAULTS } from '../prefs.ts';
import { driver, state } from '../testing.ts';
import type { Play } from '../wire.ts';

const play: Play = {
  policy: 'track',
  lead: 0.1,
  jitter: 0.1,
  rate: 1,
  stalled: false,
  ref: [0, 0, 0],
  error: 0.021,
  detour: 0,
  motion: null,
  left: 0,
};
const ahead = {
  pose: [0, 0, 0] as [number, number, number],
  behind: 0.44,
  lead: 0.39,
  committed: [],
  ahead: [],
  shown: true,
};

test('the card tells the delay, the lead and the error, and a dash for what is not known', () => {
  assert.deepEqual(figuresOf(driver({ rtt: 0.92, state: state({ play }) }), ahead), {
    rtt: '920 ms',
    lead: '0.39 m',
    behind: '0.4 s',
    error: '2.1 cm',
  });
  assert.deepEqual(figuresOf(driver({ state: state({ play: { ...play, policy: 'direct' } }) }), null), {
    rtt: '–',
    lead: '–',
    behind: '–',
    error: '–',
  });
  assert.deepEqual(figuresOf(driver({ rtt: 0.92, conn: 'lost', state: state({ play }) }), ahead), {
    rtt: '–',
    lead: '–',
    behind: '–',
    error: '–',
  });
});

test('a stall is told while this page drives', () => {
  const stalled = state({ play: { ...play, stalled: true } });
  assert.equal(isStalled(driver({ driving: true, state: stalled })), true);
  assert.equal(isStalled(driver({ driving: false, state: stalled })), false);
  assert.equal(isStalled(driver({ driving: true, conn: 'stale', state: state({ play }) })), true);
  assert.equal(isStalled(driver({ driving: true, state: state({ play }) })), false);
});

test('the note tells of a speed that follows the delay, until a person wants to go faster, and of driving against it', () => {
  const prefs = { ...DEFAULTS, speedLimit: 0.4 };
  assert.equal(
    noteOf(driver({ prefs, suggested: 0.3 })),
    'Limited to 0.30 m/s at this delay. Raise the slider to go faster.',
  );
  assert.equal(noteOf(driver({ prefs, suggested: 0.3, faster: true })), '');
  assert.equal(noteOf(driver({ prefs })), '');
  assert.equal(noteOf(driver({ prefs, rtt: 0.62, channel: 0.6, suggested: 0.3, faster: true })), '');
  assert.equal(
    noteOf(driver({ prefs, rtt: 0.62, suggested: 0.3 })),
    'Over TCP alone a lost packet can make the robot hold. Allow UDP to it.',
  );
  assert.equal(
    noteOf(driver({ prefs, suggested: 0.3, compensate: false, rtt: 0.31 })),
    'Compensation is off: the robot answers 0.3 s late.',
  );
  assert.equal(noteOf(driver({ prefs, suggested: 0.3, compensate: false, rtt: 0.002 })), 'Compensation is off.');
});

test('the chart has the least scale that shows every round trip', () => {
  const top = (...ms: number[]) => topOf(ms.map((v) => [0, v / 1000] as const));
  assert.deepEqual([top(), top(3, 12), top(310, 290), top(520), top(9000), top(12_000)], [0.1, 0.1, 0.4, 1, 10, 60]);
});
