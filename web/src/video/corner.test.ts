import assert from 'node:assert/strict';
import test from 'node:test';
import { cornerOf } from './corner.ts';

test('the picture lies in the corner that is farthest from the robot and its goal', () => {
  assert.equal(cornerOf(undefined, [[50, 50]], 300, 400), 'br');
  assert.equal(cornerOf(undefined, [[280, 390]], 300, 400), 'tl');
  assert.equal(
    cornerOf(
      undefined,
      [
        [50, 50],
        [280, 390],
      ],
      300,
      400,
    ),
    'bl',
  );
});

test('it moves only where it is clearly farther away', () => {
  assert.equal(cornerOf('br', [[150, 200]], 300, 400), 'br');
  assert.equal(cornerOf('br', [[160, 210]], 300, 400), 'br');
  assert.equal(cornerOf('br', [[250, 380]], 300, 400), 'tl');
});
