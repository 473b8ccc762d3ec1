import assert from 'node:assert/strict';
import test from 'node:test';

import { moves } from './moves.ts';
import { clockText, endText, type Lane, linesUntil, rowsOf, rowText, shownEnd, type Trial } from './trial.ts';
import { addWhatIf, whatIfs } from './whatif.ts';
import type { Word } from './api.ts';

const lane = (kind: Lane['kind'], name: string, begin: number, end: number, frozen = false): Lane => ({
  kind,
  name,
  begin,
  end,
  frozen,
});

const trial = (patch: Partial<Trial> = {}): Trial => ({
  time: 600,
  ended: false,
  why: 'The time of the trial was over.',
  at: [0, 0, 0],
  lines: [],
  lanes: [],
  path: [],
  left_out: 0,
  ...patch,
});

test('a lane is all times of one tag or goal, or of what the robot says', () => {
  const { rows, more } = rowsOf([
    lane('tag', 'low', 0, 5),
    lane('tag', 'low', 5, 8, true),
    lane('speech', 'One.', 6, 7),
    lane('goal', 'the dock', 7, 20),
    lane('speech', 'Two.', 9, 10),
  ]);
  assert.equal(more, 0);
  assert.deepEqual(rows.map(rowText), [
    'low: from 0:00.0 to 0:05.0, frozen from 0:05.0 to 0:08.0',
    'speaks: from 0:06.0 to 0:07.0, from 0:09.0 to 0:10.0',
    'to the dock: from 0:07.0 to 0:20.0',
  ]);
  const many = rowsOf(Array.from({ length: 50 }, (_, i) => lane('tag', `t${i}`, i, i + 1)));
  assert.deepEqual([many.rows.length, many.more], [40, 10]);
  const often = rowsOf(Array.from({ length: 9 }, (_, i) => lane('tag', 'a', i, i + 0.5))).rows[0];
  assert(often !== undefined && rowText(often).endsWith('from 0:05.0 to 0:05.5, and 3 more times'));
});

test('a trial is shown until nothing more happens in it', () => {
  assert.equal(shownEnd(trial()), 10);
  assert.equal(shownEnd(trial({ time: 4 })), 4);
  const still: Trial['path'] = [
    [0, 1, 1, 0],
    [40, 1, 1, 0],
    [60, 2, 1, 0],
    [600, 2, 1, 0],
  ];
  assert.equal(shownEnd(trial({ path: still })), 63);
  assert.equal(shownEnd(trial({ lanes: [lane('tag', 'low', 100, 600)] })), 105);
  assert.equal(shownEnd(trial({ lanes: [lane('tag', 'low', 0, 599)] })), 600);
  const line = { t: 200, by: 'script', tag: '', text: '1', fault: false } as const;
  assert.equal(shownEnd(trial({ lines: [line] })), 210);
  assert.equal(linesUntil([line, { ...line, t: 300 }], 250), 1);
  assert.equal(linesUntil([line], 200), 1);
  assert.equal(linesUntil([], 5), 0);
});

test('the end of a trial says why, how long nothing happened, and what was left out', () => {
  assert.equal(
    endText(trial({ left_out: 7 })),
    'Ended at 10:00.0. The time of the trial was over. Nothing happened from 0:10.0 to 10:00.0. 7 lines and lanes were left out.',
  );
  assert.equal(endText(trial({ time: 5, why: 'All of it is over.' })), 'Ended at 0:05.0. All of it is over.');
});

test('times of a trial have tenths', () => {
  assert.deepEqual([0, 5.94, 59.96, 65, 3605.1].map(clockText), ['0:00.0', '0:05.9', '1:00.0', '1:05.0', '1:00:05.1']);
});

test('a what-if is offered for the devices that the robot has', () => {
  const device = (word: string): Word => ({ word, kind: 'device', detail: '' });
  assert.deepEqual(whatIfs([]), []);
  const all = whatIfs(['battery.val', 'near.val', 'front.val', 'ok.val'].map(device));
  assert.deepEqual(
    all.map((w) => w.text),
    [
      'wait(10s) | battery.val = 19;',
      'wait(10s) | { near.val = 0.6 & front.val = 0.6 & goal.phase = "blocked" } | wait(10s) | { near.val = inf & front.val = inf & goal.phase = "driving" };',
      'ok.val = 0 | wait(10s) | ok.val = 1 | wait(500ms) | ok.val = 0;',
    ],
  );
  const [battery] = whatIfs([device('battery.val')]);
  assert(battery !== undefined);
  assert.equal(addWhatIf(' \n', battery), 'wait(10s) | battery.val = 19;\n');
  assert.equal(addWhatIf('x = 1;  \n', battery), 'x = 1;\nwait(10s) | battery.val = 19;\n');
});

test('what moves the robot is tried before it starts', () => {
  for (const text of [
    'at (battery.val < 20) dock();',
    'goto ("Sofa");',
    'headPan.val = 3 time:500;',
    'head.val=1',
    "headPan'n = 0.5;",
    'turn.val++;',
    'wheelL.val = 3',
    'job("Round")',
    'load "patrol";',
    'look(0, 0)',
  ])
    assert(moves(text), text);
  for (const text of [
    'say("dock();");',
    '# goto("Sofa")\nx = 1;',
    '/* drive.val = 3 */ echo 1;',
    'at (headPan.val == 3) say("a \\" dock()");',
    'turned = 3;',
    'camera.load = 0;',
    'if (drive.val > 3) alert("far");',
  ])
    assert(!moves(text), text);
});
