import assert from 'node:assert/strict';
import test from 'node:test';

import { type Fault } from './api.ts';
import { checker } from './checker.ts';
import { docOf, freshDoc, isEdited, isUnsaved, nameOfFile, savedAs } from './document.ts';
import { newest } from './newest.ts';
import { readRule } from './rule.ts';
import {
  cardsOf,
  clockText,
  describeActs,
  describeWhen,
  heldOf,
  isFault,
  leaseOf,
  lineText,
  readClock,
  timeText,
} from './view.ts';
import { model } from '../testing.ts';
import type { Model } from '../store.ts';
import type { Scripts } from '../wire.ts';

const running: Scripts = {
  held: '',
  moving: false,
  units: [
    { name: 'patrol', held: true, why: 'Jin drives.', by: 'Ana', tags: [], yields: false, continues_at: null },
    { name: 'U1', held: false, why: '', by: '', tags: [], yields: false, continues_at: null },
  ],
};

const line = (n: number, unit: string, tag: string, text: string) => ({ n, unit, t: 1, tag, text });

const driver = (patch: Partial<Model> = {}) =>
  model({ socket: true, conn: 'live', you: 1, holder: 1, epoch: 4, scripts: running, ...patch });

test('each card says what its script does, and connected programs follow', () => {
  const list = ['guard', 'patrol'].map((id) => ({
    id,
    name: id.toUpperCase(),
    bytes: 1,
    revision: 1,
    changed: '',
    starts: false,
    stands_by: false,
    start_fault: '',
  }));
  const said = [line(1, 'patrol', 'leg', '"one"'), line(2, 'patrol', 'notag', '*** two'), line(3, 'U1', 'x', '3')];
  const cards = cardsOf(list, running, said);
  assert.deepEqual(
    cards.map((c) => [c.name, c.saved, c.says, c.last]),
    [
      ['GUARD', true, 'off', ''],
      ['PATROL', true, 'running, started by Ana – its motion is held: Jin drives.', 'two'],
      ['U1', false, 'running', 'x: 3'],
    ],
  );
  assert.equal(
    cardsOf(list, { ...running, held: 'Jin drives.' }, [])[1]?.says,
    'running, started by Ana – its motion is held',
  );
  assert.deepEqual(
    cardsOf(list, null, []).map((c) => c.unit),
    [null, null],
  );
});

test('a line is shown without the marks of the protocol', () => {
  assert.equal(lineText(line(1, 'a', 'error', '!!! line 1, column 2: no')), 'line 1, column 2: no');
  assert(isFault(line(1, 'a', 'error', '!!! no')));
  assert(!isFault(line(1, 'a', 'notag', '"!!! no"')));
});

test('only the person in control resumes, and everyone else reads why they cannot', () => {
  const held = { ...running, held: 'Ana drove by hand.' };
  const connected = { name: 'U2', held: true, why: 'No control.', by: '', tags: [], yields: false, continues_at: null };
  assert.equal(heldOf(driver({ scripts: { ...running, units: [connected] } })), null); // resumed by its own command motoron
  const stop = { by: 'Jin', id: 2, at: '' };
  const stopping = { at: 1, sent: true };
  assert.equal(heldOf(driver())?.why, 'Jin drives.');
  assert.equal(heldOf(driver({ scripts: { ...running, units: running.units.slice(1) } })), null);
  assert.equal(heldOf(driver({ scripts: null })), null);
  for (const [m, may, how] of [
    [driver({ scripts: held }), true, 'Resume continues all scripts where they were.'],
    [driver({ scripts: held, stop }), false, 'Release the stop first.'],
    [driver({ scripts: held, holder: 2 }), false, 'The person in control can resume them.'],
    [driver({ scripts: held, stopping }), false, 'Release the stop first.'],
    [driver({ scripts: held, socket: false }), false, ''],
    [driver({ scripts: held, conn: 'lost', stop }), false, ''],
    [driver({ scripts: held, conn: 'lost', holder: 2 }), false, ''],
    [driver({ scripts: held, passing: { to: 2 } }), false, ''],
  ] as const)
    assert.deepEqual(heldOf(m), { why: 'Ana drove by hand.', may, how });
});

test('a script starts with the lease of the person in control, and without one while the robot is stopped or by others', () => {
  assert.equal(leaseOf(driver()), 4);
  assert.equal(leaseOf(driver({ holder: 2 })), 0);
  assert.equal(leaseOf(driver({ stop: { by: 'Jin', id: 2, at: '' } })), 0); // it runs, but its motion is held
  assert.equal(leaseOf(driver({ stopping: { at: 1, sent: true } })), 0);
});

test('a rule is a sentence', () => {
  for (const [text, when, then] of [
    ['at (battery.val < 20 ~ 5s) dock();', 'the battery is below 20 % for 5 s', 'go to the dock'],
    [
      'at (front.val < 0.5) say("Hi") | wait(1min);',
      'something is closer than 0.5 m in front',
      'say “Hi”, then wait 1 min',
    ],
    ['at (goal.result == "SUCCESS" && goal.name == "Sofa") job("A");', 'the robot has arrived at Sofa', 'do the job A'],
    ['at (clock.hour == 7 && clock.minute == 5) goto("Sofa");', 'it is 07:05', 'go to Sofa'],
    ['every (90min) show("A") | alert("B");', 'every 90 min', 'show “A”, then alert everyone: “B”'],
  ] as const) {
    const rule = readRule(text);
    assert(rule !== null);
    assert.equal(describeWhen(rule), when);
    assert.equal(describeActs(rule.then), then);
  }
  assert.equal(timeText(7200), '2 h');
  assert.equal(timeText(0.5), '0.5 s');
});

test('a time of day is read as it is written', () => {
  assert.deepEqual(readClock(clockText(7, 5)), [7, 5]);
  assert.deepEqual(readClock(' 9.30 '), [9, 30]);
  for (const wrong of ['', '24:00', '7:60', '7:5', '7', 'a:bc']) assert.equal(readClock(wrong), null, wrong);
});

test('what a person types while the robot saves stays unsaved', () => {
  const fresh = freshDoc('Patrol', 'a\r\nb\r');
  assert.equal(fresh.text, 'a\nb\n');
  assert(isUnsaved(fresh));
  assert(!isEdited(fresh)); // an unchanged example can be opened again
  assert(isEdited({ ...fresh, name: 'Guard' }));
  const script = { id: 'patrol', name: 'Patrol', text: 'a\r\nb\r', revision: 3, changed: '' };
  assert(!isUnsaved(docOf(script)));
  assert(!isUnsaved(savedAs(fresh, script)));
  const typed = savedAs({ ...fresh, text: 'a\nb\nc' }, script);
  assert(isUnsaved(typed));
  assert.equal(typed.revision, 3);
  assert.equal(nameOfFile('night_round.u'), 'Night round');
  assert.equal(nameOfFile(`a${'😀'.repeat(60)}.u`), `A${'😀'.repeat(59)}`);
});

test('only the newest text is checked, a moment after the last key', async () => {
  const timers: (() => void)[] = [];
  const asked: string[] = [];
  const answers: ((faults: Fault[] | null) => void)[] = [];
  const shown: (string | undefined)[] = [];
  const check = checker(
    (text) => {
      asked.push(text);
      return new Promise((done) => answers.push((faults) => done({ value: faults && { faults } })));
    },
    (faults) => shown.push(faults[0]?.text),
    (_, then) => {
      timers.push(then);
      return () => void timers.splice(timers.indexOf(then), 1);
    },
  );
  check('a');
  check('ab');
  assert.equal(timers.length, 1);
  timers[0]?.();
  assert.deepEqual(asked, ['ab']);
  check('abc', true);
  answers[1]?.([{ line: 1, column: 1, text: 'new' }]);
  answers[0]?.([{ line: 1, column: 1, text: 'old' }]);
  for (let i = 0; i < 5; i++) await null;
  check('abcd', true);
  answers[2]?.(null); // the robot did not answer, so the faults are unknown
  for (let i = 0; i < 5; i++) await null; // let pending answers arrive
  assert.deepEqual(shown, ['new']);
});

test('an answer that came after the answer to a later request is not shown', async () => {
  const answers: ((text: string) => void)[] = [];
  const shown: string[] = [];
  const ask = newest(
    () => new Promise<string>((done) => answers.push(done)),
    (text) => shown.push(text),
  );
  const all = [ask(), ask(), ask()];
  answers[1]?.('second');
  await all[1];
  answers[0]?.('first');
  answers[2]?.('third');
  await Promise.all(all);
  assert.deepEqual(shown, ['second', 'third']);
});
