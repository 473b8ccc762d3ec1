import assert from 'node:assert/strict';
import test from 'node:test';
import { cardOf, newsOf, spanOf } from './view.ts';
import { driver, watcher } from '../testing.ts';
import type { Mapping } from '../wire.ts';

function mapping(patch: Partial<Mapping> = {}): Mapping {
  return {
    state: 'mapping',
    can: ['pause', 'undo', 'finish', 'discard'],
    why: '',
    by: 'Ana',
    name: '',
    extending: false,
    version: 0,
    way: 42.31,
    seconds: 200,
    key_frames: 210,
    loops: 2,
    behind: 0.2,
    progress: 0,
    loop: null,
    open: [
      [1, 2],
      [3, 4],
    ],
    trail: [],
    tiles: [],
    ...patch,
  };
}

const deeds = (m: Mapping, person = driver()) =>
  cardOf(person, m, false, '').buttons.map((b) => `${b.deed}${b.main ? ' main' : ''}${b.can ? '' : ' off'}`);

test('where there is no map, making one is the only button, and the main one', () => {
  const none = mapping({ state: 'none', can: ['start'] });
  assert.deepEqual(deeds(none), ['start main']);
  assert.equal(cardOf(driver(), none, false, '').title, 'There is no map yet');
});

test('a robot that cannot map says why, and its button is off', () => {
  const why = 'This robot has sonars only.';
  const sonar = mapping({ state: 'none', can: [], why });
  assert.deepEqual(deeds(sonar), ['start main off']);
  assert.equal(cardOf(driver(), sonar, false, '').says, why);
});

test('while mapping the card tells distance, time, loops and what was not seen yet', () => {
  assert.deepEqual(cardOf(driver(), mapping(), false, '').figures, {
    way: '42.3 m',
    time: '3 min',
    loops: '2',
    open: '2',
  });
  assert.deepEqual(deeds(mapping()), ['pause', 'undo', 'discard', 'finish main']);
});

test('who does not drive sees the same card and can press nothing of it', () => {
  assert.deepEqual(deeds(mapping(), watcher()), ['pause off', 'undo off', 'discard off', 'finish main off']);
  assert.equal(cardOf(watcher(), mapping(), false, '').says, 'Ana is making a map.');
});

test('a paused map goes on or is finished, and says why it paused by itself', () => {
  const why = 'The robot was moved: drive back to where the map is known.';
  const paused = mapping({ state: 'paused', can: ['resume', 'undo', 'finish', 'discard'], why });
  assert.deepEqual(deeds(paused), ['resume main', 'undo', 'discard', 'finish']);
  assert.equal(cardOf(driver(), paused, false, '').says, why);
  assert.equal(cardOf(driver(), paused, false, '').chip, 'Paused');
});

test('a map that lags behind is said before anything else', () => {
  assert.match(cardOf(driver(), mapping({ behind: 4.4 }), false, '').says, /4 s behind/);
  assert.ok(!/behind/.test(cardOf(driver(), mapping({ behind: 2.9 }), false, '').says));
});

test('discarding is asked first, and keeping it is the first answer', () => {
  const asked = cardOf(driver(), mapping(), true, '');
  assert.deepEqual(
    asked.buttons.map((b) => [b.deed, b.can]),
    [
      ['keep', true],
      ['discard', true],
    ],
  );
  assert.match(asked.says, /cannot be brought back/);
});

test('only a map that was made here is extended or taken back a version', () => {
  assert.deepEqual(deeds(mapping({ state: 'map', can: ['start'] })), ['start']);
  assert.deepEqual(deeds(mapping({ state: 'map', can: ['start', 'extend', 'revert'] })), ['extend', 'start', 'revert']);
  assert.deepEqual(deeds(mapping({ state: 'map', can: ['advance', 'start'] })), ['start', 'advance']);
});

test('finishing shows how far it is, and can be broken off', () => {
  const card = cardOf(driver(), mapping({ state: 'finishing', can: ['discard'], progress: 1.2 }), false, '');
  assert.equal(card.progress, 1);
  assert.deepEqual(
    card.buttons.map((b) => b.deed),
    ['discard'],
  );
});

test('the finished map is named and saved, or mapping continues', () => {
  const review = mapping({ state: 'review', can: ['back', 'save', 'discard'] });
  assert.deepEqual(deeds(review), ['save main', 'back', 'discard']);
  assert.equal(cardOf(driver(), review, false, '').name, true);
  assert.equal(cardOf(driver(), { ...review, extending: true }, false, '').name, false); // it keeps its name
});

test('what was refused is said in place of the advice', () => {
  const card = cardOf(driver(), mapping({ state: 'review', can: ['save'] }), false, 'A map named Lab exists.');
  assert.deepEqual([card.says, card.bad], ['A map named Lab exists.', true]);
});

test('every change of the state is said once', () => {
  const none = mapping({ state: 'none' });
  const rows: [Mapping, Mapping | null, string[]][] = [
    [mapping(), null, []],
    [mapping(), none, ['Mapping has begun.']],
    [mapping(), mapping(), []],
    [mapping({ state: 'paused' }), mapping(), ['Mapping is paused.']],
    [mapping({ state: 'paused', why: 'The robot was moved.' }), mapping(), ['The robot was moved.']],
    [mapping(), mapping({ state: 'paused' }), ['Mapping continues.']],
    [mapping({ state: 'finishing' }), mapping(), ['The map is being finished.']],
    [mapping({ state: 'map' }), mapping({ state: 'saving' }), ['Mapping has ended.']],
    [mapping({ state: 'map' }), none, []],
  ];
  for (const [now, before, news] of rows) assert.deepEqual(newsOf(now, before), news);
});

test('a loop that closes is said, and one that was closed before the page came is not', () => {
  const closed = mapping({ loops: 3, loop: { n: 3, at: [1, 1] } });
  assert.deepEqual(newsOf(closed, mapping()), ['Loop closed: the robot has been here before.']);
  assert.deepEqual(newsOf(closed, closed), []);
  assert.deepEqual(newsOf(closed, null), []);
});

test('times are told in seconds, then in minutes', () => {
  assert.equal(spanOf(0), '0 s');
  assert.equal(spanOf(59.9), '59 s');
  assert.equal(spanOf(60), '1 min');
});
