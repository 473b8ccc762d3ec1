import assert from 'node:assert/strict';
import test from 'node:test';
import { driver, watcher } from '../testing.ts';
import { cardOf } from './view.ts';

const asks = [{ id: 2, reason: 'I need to fetch the paper.', since: 100, until: 130 }];
const offer = { to: 2, since: 100, until: 110 };

test('who has control reads who asks, why, and for how long', () => {
  const card = cardOf(driver({ asks }), 111);
  assert.equal(card?.title, 'Jin asks for control');
  assert.equal(card?.quote, '“I need to fetch the paper.”');
  assert.equal(card?.initial, 'J');
  assert.equal(card?.note, 'Declined automatically in 19 s. The robot stops before control changes.');
  assert.ok(Math.abs((card?.left ?? 0) - 19 / 30) < 1e-9);
  assert.deepEqual([card?.yes.action, card?.no.action, card?.to], ['give', 'keep', 2]);
});

test('without a reason nothing is quoted, and others who ask are counted', () => {
  const card = cardOf(
    driver({
      asks: [
        { ...asks[0]!, reason: '' },
        { id: 3, reason: '', since: 101, until: 131 },
      ],
    }),
    111,
  );
  assert.equal(card?.quote, '');
  assert.match(card?.note ?? '', /1 more person is asking\.$/);
});

test('who asks sees no card of their own, and others see none either', () => {
  assert.equal(cardOf(watcher({ asks }), 111), null);
  assert.equal(cardOf(watcher({ you: 3, asks }), 111), null);
});

test('who is offered control reads for how long', () => {
  const card = cardOf(watcher({ holder: null, offer }), 103);
  assert.equal(card?.title, 'You can take control');
  assert.match(card?.note ?? '', /^In 7 s/);
  assert.deepEqual([card?.yes.action, card?.no.action, card?.to], ['accept', 'decline', null]);
  assert.equal(cardOf(watcher({ you: 1, holder: null, offer }), 103), null);
});

test('no card waits while nobody could answer it', () => {
  for (const patch of [{ passing: { to: 2 } }, { conn: 'lost' as const }, { elsewhere: true }])
    assert.equal(cardOf(driver({ asks, ...patch }), 111), null);
});

test('the time left never leaves its bar', () => {
  assert.equal(cardOf(driver({ asks }), 400)?.left, 0);
  assert.equal(cardOf(driver({ asks }), 20)?.left, 1);
});

test('another request is another card, and the same one stays the same', () => {
  const key = (since: number, t: number) => cardOf(driver({ asks: [{ ...asks[0]!, since }] }), t)?.key;
  assert.equal(key(100, 101), key(100, 120));
  assert.notEqual(key(100, 101), key(200, 201));
});
