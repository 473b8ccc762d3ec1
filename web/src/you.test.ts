import assert from 'node:assert/strict';
import test from 'node:test';
import { asYou } from './you.ts';

test('a person reads "you" where the robot tells of them by name', () => {
  const cases: [text: string, said: string][] = [
    ['Guest 1 gave control to Guest 2.', 'You gave control to Guest 2.'],
    ['Guest 2 gave control to Guest 1.', 'Guest 2 gave control to you.'],
    ['Skipped by Guest 1.', 'Skipped by you.'],
    ['Step 7 skipped. Guest 1 has taken over.', 'Step 7 skipped. You have taken over.'],
    ['Guest 12 left.', 'Guest 12 left.'],
    ["Guest 1's drive", 'Your drive'],
    ['The robot stands.', 'The robot stands.'],
  ];
  for (const [text, said] of cases) assert.equal(asYou(text, 'Guest 1'), said);
  assert.equal(asYou('A (b) left.', 'A (b)'), 'You left.');
});
