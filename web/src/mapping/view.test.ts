import assert from 'node:assert/strict';
import test from 'node:test';
import { cardOf, newsOf, spanOf } from './view.ts';
import { driver, watcher } from '../testing.ts';
import type { Mapping } from '../wire.ts';

function mapping(patch: Partial<Mapping> = {}): Mapping {
  return {
    state: 'mapping',
    from: 'lidar',
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
  cardOf(person, m, null, '').buttons.map((b) => `${b.deed}${b.main ? ' main' : ''}${b.can ? '' : ' off'}`);

test('where there is no map, making one is the only button, and the main one', () => {
  const none = mapping({ state: 'none', can: ['start'] });
  assert.deepEqual(deeds(none), ['start main']);
  assert.equal(cardOf(driver(), none, null, '').title, 'There is no map yet');
});

test('a robot that cannot map says why, and its button is off', () => {
  const why = 'This robot has sonars only.';
  const sonar = mapping({ state: 'none', can: [], why });
  assert.deepEqual(deeds(sonar), ['start main off']);
  assert.equal(cardOf(driver(), sonar, null, '').says, why);
});

test('a robot with sonars only says what it can have, and offers a sketch and walls by hand', () => {
  const why = 'This robot has sonars only.';
  const none = mapping({ state: 'none', from: '', can: ['sketch', 'sheet'], why });
  assert.deepEqual(deeds(none), ['sketch main', 'sheet']);
  assert.equal(cardOf(driver(), none, null, '').says, why);
  assert.deepEqual(deeds(none, watcher()), ['sketch main off', 'sheet off']);
  const asked = cardOf(driver(), none, 'sheet', '');
  assert.ok(asked.size);
  assert.deepEqual(
    asked.buttons.map((b) => b.deed),
    ['keep', 'sheet'],
  );
  const made = mapping({ state: 'map', from: '', can: ['sketch', 'sheet'], why, name: 'Attic (sketch)' });
  assert.deepEqual(deeds(made), ['sketch', 'sheet']);
});

test('a sketch tells how far it is from its start, and no loops', () => {
  const sketch = mapping({ from: 'sonars' });
  assert.deepEqual(cardOf(driver(), sketch, null, '').figures, { way: '42.3 m', time: '3 min', away: '13.0 m' });
  assert.equal(cardOf(driver(), sketch, null, '').title, 'Making a sketch');
  const far = mapping({ from: 'sonars', why: 'The robot is more than 15 m from where the sketch began.' });
  assert.equal(cardOf(driver(), far, null, '').says, far.why);
  assert.deepEqual(newsOf(far, sketch), [far.why]);
});

test('walls drawn by hand are saved or discarded, and there is no drive to go back to', () => {
  const sheet = mapping({ state: 'review', from: 'hand', can: ['discard', 'save'] });
  assert.deepEqual(deeds(sheet), ['save main', 'discard']);
  assert.equal(cardOf(driver(), sheet, null, '').title, 'Draw the walls');
  assert.deepEqual(newsOf(sheet, mapping({ state: 'none', from: '' })), ['The sheet is ready: draw the walls.']);
});

test('while mapping the card tells distance, time, loops and what was not seen yet', () => {
  assert.deepEqual(cardOf(driver(), mapping(), null, '').figures, {
    way: '42.3 m',
    time: '3 min',
    loops: '2',
    open: '2',
  });
  assert.deepEqual(deeds(mapping()), ['pause', 'undo', 'discard', 'finish main']);
});

test('who does not drive sees the same card and can press nothing of it', () => {
  assert.deepEqual(deeds(mapping(), watcher()), ['pause off', 'undo off', 'discard off', 'finish main off']);
  assert.equal(cardOf(watcher(), mapping(), null, '').says, 'Ana is making a map.');
});

test('a paused map goes on or is finished, and says why it paused by itself', () => {
  const why = 'The robot was moved: drive back to where the map is known.';
  const paused = mapping({ state: 'paused', can: ['resume', 'undo', 'finish', 'discard'], why });
  assert.deepEqual(deeds(paused), ['resume main', 'undo', 'discard', 'finish']);
  assert.equal(cardOf(driver(), paused, null, '').says, why);
  assert.equal(cardOf(driver(), paused, null, '').chip, 'Paused');
});

test('a map that lags behind is said before anything else', () => {
  assert.match(cardOf(driver(), mapping({ behind: 4.4 }), null, '').says, /4 s behind/);
  assert.ok(!/behind/.test(cardOf(driver(), mapping({ behind: 2.9 }), null, '').says));
});

test('discarding is asked first, and keeping it is the first answer', () => {
  const asked = cardOf(driver(), mapping(), 'discard', '');
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
  const card = cardOf(driver(), mapping({ state: 'finishing', can: ['discard'], progress: 1.2 }), null, '');
  assert.equal(card.progress, 1);
  assert.deepEqual(
    card.buttons.map((b) => b.deed),
    ['discard'],
  );
});

test('the finished map is named and saved, or mapping continues', () => {
  const review = mapping({ state: 'review', can: ['back', 'save', 'discard'] });
  assert.deepEqual(deeds(review), ['save main', 'back', 'discard']);
  assert.equal(cardOf(driver(), review, null, '').name, true);
  assert.equal(cardOf(driver(), { ...review, extending: true }, null, '').name, false); // it keeps its name
});

test('what was refused is said in place of the advice', () => {
  const card = cardOf(driver(), mapping({ state: 'review', can: ['save'] }), null, 'A map named Lab exists.');
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
