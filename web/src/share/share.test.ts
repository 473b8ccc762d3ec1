import assert from 'node:assert/strict';
import test from 'node:test';
import { onlyHere } from './onlyhere.ts';

test('a link to this computer itself invites nobody', () => {
  const links = [
    'http://127.0.0.1:8080/#a',
    'http://localhost:8080/',
    'https://[::1]:8443/',
    'http://10.0.0.7:8080/',
    'http://robot.local/',
    'http://127.example.org/',
  ];
  assert.deepEqual(links.map(onlyHere), [true, true, true, false, false, false]);
});
