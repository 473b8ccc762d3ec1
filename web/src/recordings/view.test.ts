import assert from 'node:assert/strict';
import test from 'node:test';
import { isSettled, metaOf, saysOf } from './view.ts';

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

test('while a recording begins or ends, the list is asked for again', () => {
  const file = { name: 'mybot-2026-01-02-030405.mcap', bytes: 0, changed: '', open: true };
  const on = { recording: true, missing: 0, files: [file] };
  const off = { recording: false, missing: 0, files: [{ ...file, open: false }] };
  assert.ok(isSettled(on, true));
  assert.ok(isSettled(off, false));
  assert.ok(isSettled(off, true)); // the recording is made over the network
  assert.ok(!isSettled({ ...on, files: [] }, true)); // its file does not exist yet
  assert.ok(!isSettled(on, false)); // it ends
  assert.ok(!isSettled({ ...on, recording: false }, false)); // its file is still open
});
