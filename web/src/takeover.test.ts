import assert from 'node:assert/strict';
import test from 'node:test';
import { isLeft } from './takeover.ts';
import { driver } from './testing.ts';

const away = driver().people.map((p) => ({ ...p, here: p.id !== 1 }));

test('a tab that only watches is left when its person is away, or no longer in the row', () => {
  assert.ok(isLeft(driver({ elsewhere: true, people: away })));
  assert.ok(isLeft(driver({ elsewhere: true, people: [] })));
});

test('it is not left while the person is in the other tab, nor without contact', () => {
  assert.ok(!isLeft(driver({ elsewhere: true })));
  assert.ok(!isLeft(driver({ people: away })));
  assert.ok(!isLeft(driver({ elsewhere: true, people: away, conn: 'lost' })));
  assert.ok(!isLeft(driver({ elsewhere: true, people: away, socket: false })));
});
