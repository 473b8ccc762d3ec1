import assert from 'node:assert/strict';
import test from 'node:test';
import { orderOf, shortcutOf } from './orders.ts';
import { driver, state } from '../testing.ts';
import type { Run } from '../wire.ts';

const run = { n: 7, job: 'a', name: 'A', steps: [], step: 2, phase: 'running' } as unknown as Run;
const key = (code: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  code,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

test('a button means the step that the page shows', () => {
  assert.deepEqual(orderOf('skip', driver({ run })), { type: 'job', action: 'skip', step: 2 });
  assert.deepEqual(orderOf('retry', driver({ run })), { type: 'job', action: 'retry', step: 2 });
});

test('OK means the message that the page shows', () => {
  const shown = { n: 4 } as NonNullable<ReturnType<typeof state>['message']>;
  assert.deepEqual(orderOf('ok', driver({ run, state: state({ message: shown }) })), {
    type: 'job',
    action: 'ok',
    message: 4,
  });
});

test('the same button pauses a job that runs and resumes one that does not', () => {
  assert.deepEqual(orderOf('pause', driver({ run })), { type: 'job', action: 'pause' });
  assert.deepEqual(orderOf('pause', driver({ run: { ...run, phase: 'paused' } as Run })), {
    type: 'job',
    action: 'resume',
  });
});

test('nothing is asked of a run that is over, or of none', () => {
  assert.equal(orderOf('end', driver({ run: { ...run, phase: 'ended' } as Run })), null);
  assert.equal(orderOf('pause', driver({ run: null })), null);
});

test('keys of a field stay its own, but for saving', () => {
  for (const [k, at] of [
    ['KeyZ', { ctrlKey: true }],
    ['Delete', {}],
    ['ArrowUp', { altKey: true }],
  ] as const) {
    assert.equal(shortcutOf(key(k, at), true), null, k);
    assert.notEqual(shortcutOf(key(k, at), false), null, k);
  }
  assert.equal(shortcutOf(key('KeyS', { ctrlKey: true }), true), 'save');
});

test('the keys of the tab', () => {
  for (const [code, held, want] of [
    ['KeyZ', { ctrlKey: true }, 'undo'],
    ['KeyZ', { metaKey: true, shiftKey: true }, 'redo'],
    ['KeyY', { ctrlKey: true }, 'redo'],
    ['KeyD', { metaKey: true }, 'duplicate'],
    ['ArrowDown', { altKey: true }, 'down'],
    ['ArrowDown', {}, null],
    ['KeyZ', { ctrlKey: true, altKey: true }, null],
    ['Delete', { ctrlKey: true }, null],
    ['KeyS', {}, null],
  ] as const)
    assert.equal(shortcutOf(key(code, held), false), want, `${code} ${Object.keys(held).join()}`);
});
