import assert from 'node:assert/strict';
import test from 'node:test';
import { contact } from './silence.ts';

test('states that come in time are live', () => {
  assert.deepEqual(contact(10.49, 10, 0), { conn: 'live', silence: 0 });
});

test('data is stale after half a second and lost after one and a half', () => {
  assert.deepEqual(contact(10.5, 10, 0), { conn: 'stale', silence: 0.5 });
  assert.deepEqual(contact(11.49, 10, 0), { conn: 'stale', silence: 1.4 });
  assert.deepEqual(contact(11.5, 10, 0), { conn: 'lost', silence: 1.5 });
});

test('a page that never heard of the robot connects for ten seconds, then it has no contact', () => {
  assert.equal(contact(7.9, null, 5).conn, 'connecting');
  assert.deepEqual(
    contact(14.9, null, 5),
    { conn: 'connecting', silence: 0 },
    'a slow first connection is no lost one',
  );
  assert.deepEqual(contact(15.25, null, 5), { conn: 'lost', silence: 10.2 });
});

test('a robot whose base is silent tells so twice a second, and that is not stale', () => {
  assert.equal(contact(10.9, 10, 0, 0.5).conn, 'live');
  assert.equal(contact(11.1, 10, 0, 0.5).conn, 'stale');
  assert.equal(contact(11.5, 10, 0, 0.5).conn, 'lost');
});
