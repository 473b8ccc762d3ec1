import assert from 'node:assert/strict';
import test from 'node:test';
import { duration, endOf, goingOf, isLost, poseText, wayOf } from './view.ts';
import { numberOf, poseOf } from './numbers.ts';
import { driver, model, state, watcher } from '../testing.ts';
import type { Draft, Model } from '../store.ts';
import type { Goal, Route } from '../wire.ts';

const route: Route = {
  n: 5,
  goal: [12, 3, 0],
  line: [
    [0, 0],
    [10, 0],
    [10, 10],
  ],
  via: ['I', 'II'],
  length: 20,
  time: 52,
};
const goal = (patch: Partial<Goal> = {}): Goal => ({
  n: 3,
  goal: [12.1, 3.35, 0],
  name: 'Copy room',
  phase: 'driving',
  done: 4,
  left: 16,
  time: 41.4,
  off: null,
  route: 5,
  blocked: null,
  word: '',
  reason: '',
  ...patch,
});
const draft = (patch: Partial<Draft> = {}): Draft => ({
  kind: 'goal',
  pose: [12.1, 3.35, 3.752],
  name: '',
  phase: 'known',
  from: [0, 0, 0],
  route: { ...route, n: 0 },
  refusal: '',
  ...patch,
});
const plan: Model['plan'] = {
  ...model().plan,
  via: [
    { id: 1, name: 'I', at: [3, 0.1] },
    { id: 2, name: 'II', at: [10, 2] },
  ],
};
const going = (patch: Partial<Goal> = {}, more: Partial<Model> = {}) =>
  goingOf(driver({ state: state({ goal: goal(patch) }), route, plan, ...more }));

test('a pose is told in centimetres and whole degrees', () => {
  assert.equal(poseText([12.1, 3.35, 3.752]), 'x 12.10  y 3.35 · 215°');
  assert.equal(poseText([-0.4, 3, -0.001]), 'x −0.40  y 3.00 · 0°');
});

test('a time is told in minutes when it is long', () => {
  assert.deepEqual([0, 38.4, 59.6, 133].map(duration), ['0 s', '38 s', '1 min 0 s', '2 min 13 s']);
});

test('the card tells where it goes, how far it is and what it has passed', () => {
  const card = going();
  assert.ok(card);
  assert.deepEqual(
    [card.title, card.time, card.done, card.left, card.part],
    ['Going to Copy room', '41 s', '4.0 m done', '16.0 m to go', 0.2],
  );
  assert.deepEqual(card.via, [
    { name: 'I', done: true },
    { name: 'II', done: false },
  ]);
  assert.deepEqual([card.goal, card.note, card.resume, card.around], ['Copy room', '', false, false]);
  assert.equal(going({ name: '' })?.title, 'Going to x 12.10 y 3.35');
});

test('via points of a route that is not driven any more are not shown', () => {
  assert.deepEqual(going({ route: 6 })?.via, []);
});

test('a goal that waits says why and offers what helps', () => {
  const paused = going({ phase: 'paused', reason: 'Jin drives by hand.' });
  assert.deepEqual(
    [paused?.title, paused?.note, paused?.resume],
    ['Paused on the way to Copy room', 'Jin drives by hand.', true],
  );
  const stopped = going({ phase: 'paused' }, { stop: { by: 'Jin', id: 2, at: '' } });
  assert.match(stopped?.note ?? '', /Release the stop, then resume/);
  const blocked = going({ phase: 'blocked', blocked: { at: [1, 1], waited: 12.4 } });
  assert.equal(blocked?.around, true);
  assert.match(blocked?.note ?? '', /Blocked for 12 s/);
});

test('the card says what the robot does on its way, and why', () => {
  const sentence = 'The robot waits until a person has passed.';
  assert.equal(going({ behavior: { state: 'yield', sentence, lane: 0 } })?.note, sentence);
  assert.equal(going({ behavior: { state: 'follow', sentence: 'The robot is on its way.', lane: 0.3 } })?.note, '');
  const waits = { state: 'wait', sentence: 'The door of the lab is closed.', lane: 0 } as const;
  const blocked = going({ phase: 'blocked', blocked: { at: [1, 1], waited: 3 }, behavior: waits });
  assert.match(blocked?.note ?? '', /^The door of the lab is closed\. Blocked for 3 s/);
});

test('no card without a goal, or when it has ended', () => {
  assert.equal(goingOf(driver()), null);
  assert.equal(going({ phase: 'ended', word: 'SUCCESS' }), null);
});

test('the end of a goal is told once, in words', () => {
  const before = state({ goal: goal() });
  const end = (patch: Partial<Goal>) => endOf(state({ goal: goal({ phase: 'ended', ...patch }) }), before);
  assert.deepEqual(end({ word: 'SUCCESS', off: 0.021 }), { text: 'Arrived at Copy room, 2 cm off.', word: 'SUCCESS' });
  assert.equal(end({ word: 'SUCCESS', off: 0.004, name: '' })?.text, 'Arrived at x 12.10 y 3.35, 0 cm off.');
  const unsure = 'The robot is not sure of its position: it may be 1.2 m from its goal.';
  assert.deepEqual(end({ word: 'MODIFIED', off: 0.021, reason: unsure }), {
    text: `Arrived at Copy room. ${unsure}`,
    word: 'MODIFIED',
  });
  assert.deepEqual(end({ word: 'ERROR', reason: 'There is no way any more.' }), {
    text: 'Did not reach Copy room. There is no way any more.',
    word: 'ERROR',
  });
  assert.equal(end({ word: 'INTERRUPTED', reason: 'Ana gave it up.' }), null);
  const ended = state({ goal: goal({ phase: 'ended', word: 'SUCCESS' }) });
  assert.equal(endOf(ended, ended), null);
  assert.equal(endOf(ended, null), null, 'a page that opens later hears no old news');
  assert.equal(endOf(state({ goal: goal({ n: 4, phase: 'ended', word: 'SUCCESS' }) }), ended)?.word, 'SUCCESS');
});

test('the position is lost by its sigma or by what the localizer says', () => {
  assert.equal(isLost(driver()), false);
  assert.equal(isLost(driver({ state: state({ trust: 'LOST' }) })), true);
  assert.equal(isLost(driver({ state: state({ cov: [0.07, 0, 0, 0] }) })), true);
  assert.equal(isLost(driver({ state: state({ trust: 'UNSURE' }) })), false);
});

test('Go works only when the robot told the way', () => {
  const way = (d: Partial<Draft>, more: Partial<Model> = {}) => wayOf(driver({ draft: draft(d), ...more }));
  assert.deepEqual(
    [way({}).button, way({}).can, way({}).by, way({}).via, way({}).size],
    ['Go', true, 'via', ['I', 'II'], '20.0 m, about 52 s'],
  );
  const straight = way({ route: { ...route, n: 0, via: [] } });
  assert.deepEqual([straight.by, straight.via], ['Straight to the goal', []]);
  assert.deepEqual(
    [way({ phase: 'aiming', route: null }).button, way({ phase: 'aiming', route: null }).can],
    ['Show route', true],
  );
  assert.equal(way({ phase: 'asked', route: null }).can, false);
  assert.equal(way({ phase: 'asked' }).can, false, 'nor while it is asked again');
  const refused = way({ route: null, refusal: 'Inside the table. Choose a free place.' });
  assert.deepEqual([refused.can, refused.bad, refused.says], [false, true, 'Inside the table. Choose a free place.']);
  const busy = way({ refusal: 'Planning the way takes too long. Try again.' });
  assert.deepEqual([busy.can, busy.bad, busy.says], [true, true, 'Planning the way takes too long. Try again.']);
  assert.equal(way({}, { state: state({ goal: goal() }) }).button, 'Go instead');
});

test('Go is off while the position is lost, the robot is stopped or will not drive, or somebody else has control', () => {
  const lost = wayOf(driver({ draft: draft(), state: state({ trust: 'LOST' }) }));
  assert.deepEqual([lost.can, lost.says], [false, 'Position unknown. Drive to a corridor or set the position.']);
  assert.equal(wayOf(driver({ draft: draft(), stop: { by: 'Jin', id: 2, at: '' } })).can, false);
  assert.equal(wayOf(watcher({ draft: draft() })).can, false);
  assert.equal(wayOf(driver({ draft: draft(), socket: false })).can, false);
  const unwilling = wayOf(driver({ draft: draft(), state: state({ refuses: 'It charges.' }) }));
  assert.deepEqual([unwilling.can, unwilling.says], [false, 'The robot will not drive now: It charges.']);
});

test('a position is set by its own button, also while it is lost', () => {
  const box = wayOf(
    driver({ draft: draft({ kind: 'pose', phase: 'aiming', route: null }), state: state({ trust: 'LOST' }) }),
  );
  assert.deepEqual([box.head, box.button, box.can], ['Where the robot is', 'Set here', true]);
});

test('numbers are read as people type them', () => {
  assert.deepEqual(['12.10', ' 3,5 ', '−4', '-.5', '7.'].map(numberOf), [12.1, 3.5, -4, -0.5, 7]);
  assert.deepEqual(['', 'x', '1e3', '1.2.3', 'NaN', '--1'].map(numberOf), [null, null, null, null, null, null]);
});

test('what is typed wrong is named', () => {
  assert.deepEqual(poseOf('12.1', '3.35', '180', 0), [12.1, 3.35, Math.PI]);
  assert.deepEqual(poseOf('12.1', '3.35', '', 1), [12.1, 3.35, 1]);
  assert.equal(poseOf('a', '3', '', 0), 'x is not a number. Enter metres, for example 12.10.');
  assert.equal(poseOf('1', '', '', 0), 'y is not a number. Enter metres, for example 3.35.');
  assert.equal(poseOf('1', '2', 'north', 0), 'The heading is not a number. Enter degrees, for example 215.');
});
