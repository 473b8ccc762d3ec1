import assert from 'node:assert/strict';
import test from 'node:test';
import { metaOf, saysOf } from './view.ts';

test('a recording says whether it runs, why it ended and what it lost', () => {
  const off = { recording: false, missing: 0, files: [] };
  assert.match(saysOf(off), /Nothing is being recorded/);
  assert.match(saysOf({ ...off, recording: true, missing: 3 }), /is being recorded.* 3 /);
  assert.match(saysOf({ ...off, ended: 'The recording ended: the disk has 3 MB left.' }), /the disk has 3 MB left/);
});

test('a file has its size, and says that it is being written', () => {
  const file = { name: 'mybot-2026-01-02-030405.mcap', bytes: 12_340_000, changed: '', open: false };
  assert.equal(metaOf(file), '12.3 MB');
  assert.equal(metaOf({ ...file, open: true }), '12.3 MB, being written');
});
