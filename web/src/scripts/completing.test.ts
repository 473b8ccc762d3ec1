import assert from 'node:assert/strict';
import test from 'node:test';
import { begun } from './completing.ts';

test('a word is completed from its first letter, a text from its quote', () => {
  assert.deepEqual(begun('at (head'), { from: 4, quoted: false });
  assert.deepEqual(begun('headPan.v'), { from: 0, quoted: false });
  assert.deepEqual(begun('goTo("Lab 3'), { from: 5, quoted: true });
  assert.deepEqual(begun('say("a \\" b'), { from: 4, quoted: true });
  assert.deepEqual(begun('say("# 1") | sa'), { from: 13, quoted: false });
});

test('nothing is offered in a comment, after a closed text or at a duration', () => {
  for (const line of [
    '',
    '# to the dock',
    'wait(1s); // head',
    'say("Hello"',
    'say("Hello");',
    'headPan.val = 20 time:2s',
    '~ 1.5s',
  ])
    assert.equal(begun(line), null, line);
});
