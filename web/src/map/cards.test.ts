import assert from 'node:assert/strict';
import test from 'node:test';
import { underCorner } from './cards.ts';

const card = { width: 384, height: 180 };
const under = (x: number, y: number, low = false, size = card) => underCorner(size, 1040, x, y, 30, low);

test("a robot in the map's top right corner is under the cards there", () => {
  assert.equal(under(832, 112), true);
  assert.equal(under(437, 420), false);
  assert.equal(under(600, 112), false);
  assert.equal(under(613, 112), true, 'its edge counts');
  assert.equal(under(832, 230), false);
});

test('cards that made way come back when the robot is well away', () => {
  assert.equal(under(832, 230, true), true);
  assert.equal(under(832, 260, true), false);
});

test('without cards nothing is covered', () => {
  assert.equal(under(1000, 20, false, { width: 0, height: 0 }), false);
});
