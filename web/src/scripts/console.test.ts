import assert from 'node:assert/strict';
import test from 'node:test';

import { commandOf, History, readLine, unitOf } from './console.ts';

test('a line of the robot is read with its time, its tag and its kind', () => {
  assert.deepEqual(readLine('[000041307:look] 15.000000'), {
    t: '41.307',
    tag: 'look',
    text: '15.000000',
    kind: 'value',
  });
  assert.deepEqual(readLine('[000000020:error] !!! line 1, column 2: no'), {
    t: '0.020',
    tag: '',
    text: 'line 1, column 2: no',
    kind: 'fault',
  });
  assert.equal(readLine('[000000020:held] *** Ana drove by hand.')?.kind, 'note');
  assert.equal(readLine('[000000020:notag] "!!! no"')?.kind, 'value');
  const ident = readLine('[..:ident] *** ID: U7');
  assert.equal(ident?.kind, 'ident');
  assert.equal(ident && unitOf(ident), 'U7');
  assert.deepEqual(readLine('[..:error] !!! Too many.'), { t: '', tag: '', text: 'Too many.', kind: 'fault' });
  assert.equal(readLine('hello'), null);
});

test('a command is complete when it is sent', () => {
  assert.equal(commandOf('battery.val'), 'battery.val\n;\n');
  assert.equal(commandOf('every (1s) x++,'), 'every (1s) x++,\n;\n');
  assert.equal(commandOf('1 # one;'), '1 # one;\n;\n');
});

test('the arrow keys go through the commands and back to what is being typed', () => {
  const h = new History();
  assert.equal(h.go(-1, 'a'), null);
  h.add('one');
  h.add('two');
  h.add('two');
  assert.equal(h.go(1, 'thr'), null);
  assert.deepEqual([h.go(-1, 'thr'), h.go(-1, 'two'), h.go(-1, 'one')], ['two', 'one', null]);
  assert.deepEqual([h.go(1, 'one'), h.go(1, 'two'), h.go(1, 'thr')], ['two', 'thr', null]);
});
