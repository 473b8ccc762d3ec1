import assert from 'node:assert/strict';
import test from 'node:test';
import { ageOf, returnOf, silenceOf } from './base.ts';
import { hindranceOf } from './hindrance.ts';
import { isHeld, isOld, mayDrive } from './store.ts';
import { driver, model, state } from './testing.ts';
import type { Base } from './wire.ts';

const up: Base = {
  up: true,
  why: '',
  since: '2026-11-20T14:00:00Z',
  malformed: 0,
  restarts: 0,
  rtt_ms: 1.2,
  gone: [],
};
const down: Base = { ...up, up: false, why: '/dev/ttyUSB0 is gone.', since: '2026-11-20T14:31:58Z' };

// by is a page that has control, of a robot whose clock showed 900 s and 14:32:00 at its newest reading.
const by = (base: Base, patch = {}) => driver({ state: state({ base, ...patch }), offset: 890 });

test('a robot whose base is at the end of no line is never said to be out of reach', () => {
  for (const m of [model(), driver()]) {
    assert.equal(isOld(m), false);
    assert.equal(ageOf(m, 10), 0);
    assert.equal(hindranceOf(m), '');
  }
});

test('the seconds count by the clock of the robot, from when the readings stayed away', () => {
  assert.equal(ageOf(by(down), 10), 2); // at the newest reading
  assert.equal(ageOf(by(down), 13.7), 5);
  assert.equal(ageOf({ ...by(down), offset: null }, 99), 2); // the clocks have not been compared yet
  assert.equal(ageOf(by({ ...down, since: '2026-11-20T14:40:00Z' }), 10), 0);
});

test('what is silent is said with its time and the reason of the robot', () => {
  assert.deepEqual(silenceOf(by(down), 11), { head: 'Nothing from the base for 3 s:', why: '/dev/ttyUSB0 is gone.' });
  assert.deepEqual(silenceOf(by({ ...down, why: '' }), 11), { head: 'Nothing from the base for 3 s.', why: '' });
  assert.equal(silenceOf(by(down), 133).head, 'Nothing from the base for 2 min:');
});

test('nothing moves a robot whose base is silent, stopped or unwilling, and the reason is said', () => {
  assert.equal(mayDrive(by(up)), true);
  for (const [m, why] of [
    [by(down), /until the base is back/],
    [by(up, { estop: true }), /own emergency stop is pressed/],
    [by(up, { refuses: 'The motors are switched off.' }), /will not drive now: The motors are switched off\./],
  ] as const) {
    assert.match(hindranceOf(m), why);
    assert.equal(isHeld(m), true);
    assert.equal(mayDrive(m), false);
  }
  assert.equal(isOld(by(down)), true);
  assert.equal(isOld(by(up, { estop: true })), false);
});

test('a base that is there again is told once, as what it is', () => {
  const again = { ...up, restarts: 1 };
  assert.match(returnOf(by(again), by(down)), /^The base is back\. Nothing moves until/);
  assert.match(returnOf(by(up), by({ ...down, restarts: 0 })), /^The base is connected\./);
  assert.match(returnOf(by(again), by(up)), /^The base has restarted\./);
  for (const [m, before] of [
    [by(up), by(up)],
    [by(down), by(up)],
    [by(up), model()], // the page has just been opened
    [driver(), by(up)],
  ] as const)
    assert.equal(returnOf(m, before), '');
});
