import assert from 'node:assert/strict';
import test from 'node:test';
import { alone, mayBeAt } from './alone.ts';
import { bannerOf } from './banner/view.ts';
import { announcementsOf } from './announcements.ts';
import { driver, model, state, watcher, welcome } from './testing.ts';
import type { Goal, Play, Route, Run } from './wire.ts';

const goal: Goal = {
  n: 1,
  goal: [6, 2, 0],
  name: 'Dock',
  phase: 'driving',
  done: 1,
  left: 8,
  time: 20,
  off: null,
  route: 3,
  blocked: null,
  word: '',
  reason: '',
};
const route: Route = {
  n: 3,
  goal: [6, 2, 0],
  line: [
    [0, 0],
    [5, 0],
    [5, 4],
  ],
  via: [],
  length: 9,
  time: 22,
};
const run = { name: 'Paper to Jin' } as Run;
const toDock = driver({
  conn: 'lost',
  silence: 5.2,
  route,
  robot: welcome().robot,
  state: state({ mode: 'goal', goal }),
});

test('without contact a robot on its way to a goal or in a job is said to continue, and only one driven by hand to stop', () => {
  assert.equal(alone(toDock), 'It continues to Dock by itself.');
  assert.equal(
    alone({ ...toDock, state: state({ mode: 'goal', goal: { ...goal, name: '' } }) }),
    'It continues to x 6.00 y 2.00 by itself.',
  );
  assert.equal(
    alone(driver({ run, state: state({ mode: 'job', goal }) })),
    'It continues with “Paper to Jin” by itself.',
  );
  assert.equal(alone(driver({ state: state({ mode: 'job' }) })), 'It continues with its job by itself.');
  assert.equal(alone(driver({ state: state({ mode: 'manual' }) })), 'It stops by itself.');
  const late = driver({ state: state({ mode: 'manual' }), conn: 'lost', silence: 10.1 });
  assert.equal(alone(late), 'It stopped by itself. Someone else may be driving it now.');
  assert.equal(
    alone({ ...late, silence: 2, bye: 'Your access to this robot has been revoked.' }),
    'It stopped by itself. Someone else may be driving it now.',
  );
  assert.equal(
    alone(driver({ state: state({ mode: 'paused', goal: { ...goal, phase: 'paused' } }) })),
    'It stops by itself.',
  );
  assert.match(
    alone(driver({ state: state({ mode: 'manual', play: { policy: 'playback', motion: 3 } as Play }) })),
    /^It replays the drive/,
  );
});

test('who watches is not told that the robot stops because this page has no contact', () => {
  assert.equal(alone(watcher({ state: state({ mode: 'manual' }) })), 'Ana has control and may be driving it.');
  assert.match(alone(watcher({ holder: null })), /^It stands still until/);
  assert.equal(alone(watcher({ stop: { by: 'Ana', id: 1, at: '' } })), 'It stays stopped.');
  assert.equal(alone(model({ conn: 'lost' })), '', 'nothing is known of it');
});

test('banner, alert and a STOP that waits say the same of it', () => {
  const b = bannerOf(toDock, 10);
  assert.equal(b?.head, 'No contact for 5.2 s.');
  assert.match(b?.main ?? '', /^It continues to Dock by itself\./);
  assert.equal(b?.long, 'The map shows where it may be now.');
  assert.equal(
    announcementsOf(toDock, { ...toDock, conn: 'stale' })[0]?.text,
    'No contact with the robot. It continues to Dock by itself.',
  );
  assert.match(
    bannerOf({ ...toDock, stopping: { at: 9, sent: false } }, 10)?.main ?? '',
    /It continues to Dock by itself\./,
  );
});

test('how far it may have come lies ahead on its route, at its highest speed, and not beyond the goal', () => {
  assert.deepEqual(mayBeAt({ ...toDock, silence: 5 }), [3.5, 0, 0]);
  assert.deepEqual(mayBeAt({ ...toDock, silence: 10 }), [5, 1, Math.PI / 2]);
  assert.deepEqual(mayBeAt({ ...toDock, silence: 90 }), goal.goal);
  assert.equal(mayBeAt({ ...toDock, silence: 0.5 }), null, 'so near that where it was seen tells enough');
  assert.equal(mayBeAt({ ...toDock, conn: 'live' }), null);
  assert.equal(mayBeAt({ ...toDock, route: null }), null);
  assert.equal(mayBeAt({ ...toDock, state: state({ mode: 'goal', goal: { ...goal, phase: 'blocked' } }) }), null);
});
