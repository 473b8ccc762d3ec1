import assert from 'node:assert/strict';
import test from 'node:test';
import { initials } from './index.ts';

test('people are told apart by the letters of their names, guests by their numbers', () => {
  assert.deepEqual(['Guest 2', 'Guest 12', 'Ana', 'ana maria', ''].map(initials), ['2', '12', 'A', 'AM', '?']);
});
