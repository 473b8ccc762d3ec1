import assert from 'node:assert/strict';
import test from 'node:test';
import { docOf } from './draft.ts';
import { readAnswer } from './api.ts';
import { poseAt, stepAt } from './preview.ts';
import { numberOf } from '../goto/numbers.ts';
import {
  countdown,
  duration,
  faultsOf,
  lineOf,
  looksOf,
  newsOf,
  partOf,
  speedName,
  stepPart,
  timeOf,
  titleOf,
  voiceName,
  whereOf,
} from './view.ts';
import { state } from '../testing.ts';
import type { Run, RunState, Step } from '../wire.ts';

const steps: Step[] = [
  { type: 'MOVE', place: 'Sofa' },
  { type: 'VOICE', text: 'Hello!', voice: 'ko', speed: 1 },
  { type: 'MESSAGE', text: 'Touch OK.', ok: true },
  { type: 'WAIT', seconds: 30, ok: true },
];

function run(patch: Partial<Run> = {}, each: (i: number) => Partial<Run['steps'][number]> = () => ({})): Run {
  return {
    n: 1,
    job: '',
    name: 'Job',
    phase: 'running',
    step: 0,
    began: '2026-11-20T14:00:00Z',
    ended: null,
    word: '',
    reason: '',
    changes: 1,
    edition: 0,
    ways: [],
    steps: steps.map((s, i) => ({
      ...s,
      state: 'WAITING',
      skipped: false,
      began: null,
      ended: null,
      expect: 10,
      tries: 0,
      word: '',
      reason: '',
      ...each(i),
    })),
    ...patch,
  };
}

const now = (patch: Partial<RunState> = {}): RunState => ({
  run: 1,
  phase: 'running',
  step: 0,
  steps: 4,
  left: 30,
  step_left: 4,
  changes: 1,
  ...patch,
});

test('times are short', () => {
  assert.deepEqual([17, 59.6, 133, 125, 3600].map(duration), [
    '17 s',
    '1 min 0 s',
    '2 min 13 s',
    '2 min 5 s',
    '60 min 0 s',
  ]);
  assert.deepEqual([24, 0, 59.2, 61, -3].map(countdown), ['0:24', '0:00', '1:00', '1:01', '0:00']);
});

test('a card tells what its step does', () => {
  assert.deepEqual(steps.map(titleOf), ['Sofa', '“Hello!”', '“Touch OK.”', '30 seconds']);
  assert.equal(titleOf({ type: 'MOVE', pose: [16.3, 3.05, 0] }), 'x 16.30  y 3.05');
  assert.equal(titleOf({ type: 'WAIT', seconds: 600 }), '10 min 0 s');
  const line = (s: Step) => lineOf(s, null, [10.2, 3.7, -Math.PI / 2]);
  assert.deepEqual(steps.map(line), [
    'x 10.20  y 3.70  270°',
    'Korean voice, normal',
    'Waits for OK on the robot screen',
    'or until OK is tapped',
  ]);
  assert.equal(lineOf(steps[0] as Step, { length: 19.84, via: ['III', 'IV'] }, null), '19.8 m via III, IV');
  assert.equal(lineOf({ type: 'MESSAGE', text: 'x' }, null, null), 'Shown for 5 s');
  assert.equal(
    lineOf({ type: 'MESSAGE', text: 'x', ok: true, seconds: 60 }, null, null),
    'Waits for OK, up to 1 min 0 s',
  );
});

test('voices and speeds have names, also such as nobody knows', () => {
  assert.equal(voiceName('en'), 'English voice');
  assert.equal(voiceName('not a voice!'), 'not a voice! voice');
  assert.deepEqual([0.75, 1, 1.25, 1.4].map(speedName), ['Slow', 'Normal', 'Fast', '1.4 times normal']);
});

test('faults name their step', () => {
  const fault = (s: Step) =>
    faultsOf(docOf({ id: '', name: 'Job', revision: 0, steps: [steps[1] as Step, s] }), [{ name: 'Sofa' }]).map(
      (f) => f.line,
    );
  assert.deepEqual(fault({ type: 'MOVE' }), ['Step 2 needs a place']);
  assert.deepEqual(fault({ type: 'MOVE', place: 'Moon' }), ['Step 2: no place Moon on this map']);
  assert.deepEqual(fault({ type: 'MOVE', place: 'Sofa' }), []);
  assert.deepEqual(fault({ type: 'VOICE', text: ' ' }), ['Step 2 needs a text']);
  assert.deepEqual(fault({ type: 'MESSAGE', text: 'x'.repeat(141) }), ['Step 2 needs a shorter text']);
  assert.deepEqual(fault({ type: 'WAIT', seconds: 0 }), ['Step 2 needs 1 to 3600 seconds']);
  assert.deepEqual(fault({ type: 'WAIT', seconds: 3601 }), ['Step 2 needs 1 to 3600 seconds']);
  assert.deepEqual(fault({ type: 'WAIT', seconds: 5, on_failure: 'retry', retries: 11 }), [
    'Step 2 needs 1 to 10 tries',
  ]);
});

test('cards look as their steps are', () => {
  const r = run(
    { step: 2 },
    (i) =>
      [{ state: 'FINISHED' } as const, { state: 'FAILED', skipped: true } as const, { state: 'RUNNING' } as const, {}][
        i
      ] ?? {},
  );
  assert.deepEqual(looksOf(r), ['done', 'skipped', 'current', 'todo']);
  assert.equal(looksOf({ ...r, phase: 'paused' })[2], 'paused');
  assert.equal(looksOf(run({ phase: 'stuck' }, (i) => (i === 0 ? { state: 'RETRIABLE' } : {})))[0], 'stuck');
  assert.deepEqual(
    looksOf(
      run({ phase: 'ended', word: 'INTERRUPTED', step: 1 }, (i) => ({
        state: i < 1 ? 'FINISHED' : i === 1 ? 'FAILED' : 'WAITING',
      })),
    ),
    ['done', 'failed', 'todo', 'todo'],
  );
});

test('the bar tells how far a run is by its time', () => {
  assert.equal(partOf(run(), now()), 0.25);
  assert.equal(partOf(run(), now({ run: 9 })), 0);
  assert.equal(partOf(run({ phase: 'ended', word: 'SUCCESS', step: 4 }), null), 1);
  assert.equal(stepPart(run(), now()), 0.6);
  assert.equal(stepPart(run({ step: 1 }), now()), 0);
  assert.equal(whereOf(run({ step: 2 }), false), 'Step 3 of 4');
  assert.equal(whereOf(run({ step: 2, phase: 'paused' }), true), 'Step 3 of 4, paused by STOP');
});

test('a message counts down to its own limit, and waits without one', () => {
  const at = (left: number | null) =>
    timeOf(
      run({ step: 2 }),
      state({ job: now({ step: 2, step_left: 9 }), message: { n: 1, text: '', ok: true, left } }),
    );
  assert.equal(at(58.2), '0:59');
  assert.equal(at(null), '');
  assert.equal(timeOf(run(), state({ job: now() })), '0:04');
});

test('everybody hears what a run did, once, and nothing of what was before', () => {
  const before = run({ step: 1 }, (i) => ({ state: i < 1 ? 'FINISHED' : i === 1 ? 'RUNNING' : 'WAITING' }));
  const after = run({ step: 2 }, (i) => (i < 2 ? { state: 'FINISHED', word: 'SUCCESS' } : { state: 'WAITING' }));
  assert.deepEqual(newsOf(after, before), [{ text: 'Step 2 done: said “Hello!”', word: 'SUCCESS' }]);
  assert.deepEqual(newsOf(after, after), []);
  assert.deepEqual(newsOf(after, null), []);
  assert.deepEqual(newsOf(run({ n: 2 }), before), [{ text: 'Job “Job” started.', word: null }]);
  const stuck = run({ step: 1, phase: 'stuck' }, (i) => ({
    state: i < 1 ? 'FINISHED' : i === 1 ? 'RETRIABLE' : 'WAITING',
    reason: 'The door is closed.',
  }));
  assert.deepEqual(newsOf(stuck, before), [{ text: 'Step 2 failed. The door is closed.', word: 'ERROR' }]);
  assert.deepEqual(newsOf({ ...before, phase: 'paused', reason: 'Ana drove by hand.' }, before), [
    { text: 'Job paused. Ana drove by hand.', word: null },
  ]);
  assert.deepEqual(newsOf({ ...after, phase: 'ended', word: 'SUCCESS' }, after), [
    { text: 'Job finished.', word: 'SUCCESS' },
  ]);
  const last = run({ step: 3 }, (i) => ({ state: i < 3 ? 'FINISHED' : 'RUNNING' }));
  const skipped = run({ step: 4 }, (i) =>
    i < 3 ? { state: 'FINISHED' } : { state: 'FAILED', skipped: true, reason: 'Skipped by Ana.' },
  );
  const over = { ...skipped, phase: 'ended', word: 'MODIFIED', reason: 'Step 4 was skipped: Skipped by Ana.' } as const;
  const end = [{ text: 'Job finished, step 4 skipped.', word: null }];
  assert.deepEqual(newsOf(over, last), end, 'one toast when the end comes with the last step');
  assert.deepEqual([...newsOf(skipped, last), ...newsOf(over, skipped)], end, 'and one when it comes after it');
});

test('an answer is a value, a sentence, a word with its reason, or faults', () => {
  assert.deepEqual(readAnswer<{ id: string }>(201, '{"id":"a"}').value, { id: 'a' });
  assert.equal(readAnswer(409, 'Somebody saved it meanwhile.\n').reason, 'Somebody saved it meanwhile.');
  assert.equal(readAnswer(200, '{"word":"BUSY","reason":"Not now."}').reason, 'Not now.');
  assert.deepEqual(readAnswer(400, '{"faults":[{"step":1,"text":"No."}]}').faults, [{ step: 1, text: 'No.' }]);
  assert.equal(readAnswer(500, '').reason, 'The robot did not answer.');
  assert.deepEqual(readAnswer(204, '').value, {});
});

test('the virtual robot is on its path, and in the step of that time', () => {
  assert.deepEqual(
    poseAt(
      {
        path: [
          [0, 0, 0, 0],
          [1, 2, 0, 0],
        ],
      },
      0.5,
    ),
    [1, 0, 0],
  );
  assert.deepEqual(
    poseAt(
      {
        path: [
          [0, 0, 0, 0],
          [1, 2, 0, 0],
        ],
      },
      9,
    ),
    [2, 0, 0],
  );
  assert.equal(poseAt({ path: [] }, 0), null);
  assert.deepEqual(stepAt({ steps: [{ time: 10 }, { time: 20 }] }, 15), { step: 1, part: 0.25 });
  assert.deepEqual(stepAt({ steps: [{ time: 10 }] }, 99), { step: 0, part: 1 });
});

test('numbers are read as people type them', () => {
  assert.deepEqual(['12.1', '12,1', '−3', ' 4 ', 'x', '', '1e3'].map(numberOf), [12.1, 12.1, -3, 4, null, null, null]);
});
