import assert from 'node:assert/strict';
import test from 'node:test';
import { limitHand, limitsOf, speedLimitOf } from './limits.ts';
import { driver, state, welcome } from '../testing.ts';

test('full deflection is the speed limit of the person, what the delay suggests, and never more than the robot drives', () => {
  const { robot } = welcome();
  const m = driver({ robot });
  const prefs = { ...m.prefs, speedLimit: 0.3 };
  assert.deepEqual(limitsOf({ ...m, prefs }), { v: 0.3, w: 0.7 });
  assert.deepEqual(limitsOf({ ...m, prefs, suggested: 0.2 }), { v: 0.2, w: 0.7 });
  assert.equal(speedLimitOf({ ...m, prefs, suggested: 0.2, faster: true }), 0.3);
  assert.deepEqual(limitsOf({ ...m, prefs: { ...prefs, speedLimit: 9 } }), { v: 0.45, w: 0.7 });
  assert.deepEqual(limitsOf({ ...m, robot: null }), { v: 0, w: 0 });
});

test('a wish is no faster than the robot grants a hand for now, on the same arc', () => {
  const m = driver({ state: state({ hand_limit: { speed: 0.2, why: 'The head is lent and looks aside.' } }) });
  assert.deepEqual(limitHand(m, { v: 0.4, w: 0.6 }), { v: 0.2, w: 0.3 });
  assert.deepEqual(limitHand(m, { v: -0.4, w: 0 }), { v: -0.2, w: 0 });
  assert.deepEqual(limitHand(m, { v: 0.1, w: 0.7 }), { v: 0.1, w: 0.7 });
  assert.deepEqual(limitHand(m, { v: 0, w: 0.7 }), { v: 0, w: 0.7 });
  assert.deepEqual(limitHand(driver(), { v: 0.4, w: 0.6 }), { v: 0.4, w: 0.6 });
  assert.deepEqual(limitHand(driver({ state: null }), { v: 0.4, w: 0.6 }), { v: 0.4, w: 0.6 });
});
