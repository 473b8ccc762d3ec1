import assert from 'node:assert/strict';
import test from 'node:test';
import { hintOf } from './hint.ts';
import { firstModel, type Model } from '../store.ts';
import { state } from '../testing.ts';
import { DEFAULTS } from '../prefs.ts';
import { words } from '../words.ts';
import type { Floorplan } from '../wire.ts';

const fresh = firstModel({} as Floorplan, '', DEFAULTS, 'dark');
const mine: Model = { ...fresh, conn: 'live', socket: true, you: 1, holder: 1 };

test('who can drive reads how, for the hands this page has', () => {
  assert.equal(hintOf(mine, null, null, false).text, words.drive.idle);
  assert.equal(hintOf(mine, null, null, true).text, words.drive.idleTouch);
  assert.equal(
    hintOf({ ...mine, prefs: { ...DEFAULTS, stepMoves: true } }, null, null, true).text,
    words.drive.idleStep,
  );
});

test('who drives reads that letting go stops the robot', () => {
  assert.deepEqual(hintOf(mine, 'pad', null, false), { strong: words.drive.driving, text: words.drive.letGo });
  assert.deepEqual(hintOf(mine, 'step', null, false), { strong: words.drive.stepping, text: words.drive.steppingStop });
});

test('who lost the hold reads why and what to do', () => {
  assert.deepEqual(hintOf(mine, null, 'Something is too near.', false), {
    strong: words.drive.again,
    text: 'Something is too near.',
  });
  assert.equal(hintOf({ ...mine, refusal: 'Control changed.' }, null, null, false).text, 'Control changed.');
});

test('who is held over TCP alone, far away, reads what helps', () => {
  const why = 'The network held the drive samples back for more than a second.';
  assert.equal(
    hintOf({ ...mine, rtt: 0.7 }, null, why, false).text,
    `${why} Over TCP alone a lost packet can make the robot hold. Allow UDP to it.`,
  );
  assert.equal(hintOf({ ...mine, rtt: 0.7, channel: 0.7 }, null, why, false).text, why);
  assert.equal(hintOf({ ...mine, rtt: 0.3 }, null, why, false).text, why);
});

test('who cannot drive reads the reason that has to go first', () => {
  const stop = { by: 'Jin', id: 2, at: '' };
  assert.equal(hintOf(fresh, null, null, false).text, words.drive.connecting);
  assert.equal(hintOf({ ...mine, stop, conn: 'lost' }, null, '', false).text, words.drive.noLink);
  assert.equal(hintOf({ ...mine, stop, holder: 2 }, null, '', false).text, words.drive.stopped);
  assert.equal(hintOf({ ...mine, holder: 2 }, null, '', false).text, words.drive.watching);
  assert.equal(
    hintOf({ ...mine, state: state({ refuses: 'It charges.' }) }, null, '', false).text,
    'The robot will not drive now: It charges.',
  );
});

test('who is held reads by what, with the number of the telemetry', () => {
  const held = (bearing: number): Model => ({
    ...mine,
    blockedBy: 'ahead',
    state: state({ nearest: { distance: 0.254, bearing, sonar: null } }),
  });
  assert.deepEqual(hintOf(held(0), 'keys', null, false), {
    strong: 'Held:',
    text: 'obstacle 0.25 m ahead. Turn or back up.',
  });
  assert.equal(hintOf(held(Math.PI / 6), 'keys', null, false).text, 'obstacle 0.25 m ahead. Turn or back up.');
  assert.equal(hintOf(held(Math.PI / 2), 'keys', null, false).text, 'obstacle 0.25 m left. Turn or back up.');
  assert.equal(hintOf({ ...held(0), blockedBy: null }, 'keys', null, false).strong, words.drive.driving);
});
