import assert from 'node:assert/strict';
import test from 'node:test';
import { docOf, type Doc } from './draft.ts';
import {
  barOf,
  blockedOf,
  faultsIn,
  type Figures,
  fixedOf,
  pinsOf,
  rowsOf,
  type ViewModel,
  waysOf,
} from './view-model.ts';
import { driver, model, state, watcher } from '../testing.ts';
import type { Run, RunState, Step } from '../wire.ts';

const places = [
  { name: 'Sofa', pose: [10.2, 3.7, 0] as [number, number, number] },
  { name: 'Desk', pose: [9.9, 12.9, 0] as [number, number, number] },
];
const steps: Step[] = [
  { type: 'MOVE', place: 'Sofa' },
  { type: 'MESSAGE', text: 'Touch OK.', ok: true },
  { type: 'MOVE', place: 'Desk' },
];
const doc: Doc = docOf({ id: '', name: 'Job', revision: 0, steps });
const plan = { ...model().plan, places };

function run(patch: Partial<Run> = {}, each: (i: number) => Partial<Run['steps'][number]> = () => ({})): Run {
  return {
    n: 1,
    job: '',
    name: 'Job',
    phase: 'running',
    step: 1,
    began: '',
    ended: null,
    word: '',
    reason: '',
    changes: 1,
    edition: 0,
    ways: [
      [
        [0, 0],
        [3, 4],
      ],
      [],
      [
        [3, 4],
        [3, 9],
      ],
    ],
    steps: steps.map((s, i) => ({
      ...s,
      state: i < 1 ? 'FINISHED' : i === 1 ? 'RUNNING' : 'WAITING',
      skipped: false,
      began: null,
      ended: null,
      expect: 10,
      tries: 1,
      word: '',
      reason: '',
      ...each(i),
    })),
    ...patch,
  };
}

const job = (patch: Partial<RunState> = {}): RunState => ({
  run: 1,
  phase: 'running',
  step: 1,
  steps: 3,
  left: 10,
  step_left: 5,
  changes: 1,
  ...patch,
});

function viewModel(patch: Partial<ViewModel> = {}): ViewModel {
  return {
    m: driver({ plan, tab: 'jobs' }),
    doc,
    figures: new Map(),
    whole: null,
    says: { text: '', bad: false },
    changing: false,
    preparing: false,
    ghost: null,
    lit: null,
    ...patch,
  };
}

const running = (r: Run, patch: Partial<ViewModel> = {}) =>
  viewModel({
    m: driver({
      plan,
      tab: 'jobs',
      run: r,
      state: state({
        mode: 'job',
        job: job({ phase: r.phase, step: r.step }),
        message: { n: 1000001, text: 'Touch OK.', ok: true, left: null },
      }),
    }),
    ...patch,
  });
const found = (i: number, f: Partial<Figures>): [number, Figures] => [
  doc.cards[i]?.key ?? 0,
  {
    time: 20,
    length: 9,
    via: ['II'],
    way: [
      [0, 0],
      [9, 0],
    ],
    fault: '',
    ...f,
  },
];

test('before a run every step can be changed, and it begins when nothing is in its way', () => {
  const bar = barOf(viewModel({ whole: 125 }));
  assert.deepEqual(
    [bar.kind, bar.canRun, bar.canPreview, bar.left],
    ['compose', true, true, '3 steps, about 2 min 5 s'],
  );
  assert.equal(fixedOf(driver()), 0);
  assert.equal(barOf(viewModel()).canPreview, false);
});

test('a place that cannot be reached blocks the run and names its step', () => {
  const s = viewModel({ figures: new Map([found(2, { fault: 'Inside the table. Choose a free place.' })]) });
  const bar = barOf(s);
  assert.deepEqual([bar.where, bar.bad, bar.canRun], ['Step 3 needs a free place', true, false]);
  assert.equal(rowsOf(s)[2]?.fault, 'Inside the table. Choose a free place.');
  assert.equal(pinsOf(s)[1]?.kind, 'bad');
});

test('nobody runs a job while the robot is stopped, or does not know where it is', () => {
  const stop = { by: 'Jin', id: 2, at: '' };
  assert.equal(
    blockedOf(viewModel({ m: driver({ plan, stop }) })),
    'The robot is stopped. Release the stop to run a job.',
  );
  assert.equal(
    blockedOf(viewModel({ m: driver({ plan, state: state({ trust: 'LOST' }) }) })),
    'Position unknown. Drive to a corridor or set the position.',
  );
});

test('cards tell what the virtual robot found', () => {
  const row = rowsOf(viewModel({ figures: new Map([found(0, {})]) }))[0];
  assert.deepEqual([row?.line, row?.time, row?.look, row?.fixed], ['9.0 m via II', '20 s', null, false]);
});

test('while it runs, what is done and the current step stay as they are', () => {
  const rows = rowsOf(running(run()));
  assert.deepEqual(
    rows.map((r) => r.look),
    ['done', 'current', 'todo'],
  );
  assert.deepEqual(
    rows.map((r) => r.fixed),
    [true, true, false],
  );
  assert.deepEqual(
    rows.map((r) => r.ok),
    [false, true, false],
  );
  assert.equal(
    rowsOf({ ...running(run()), m: driver({ plan, tab: 'jobs', run: run() }) })[1]?.ok,
    false,
    'nobody knows which message is shown',
  );
  assert.equal(rows[2]?.line, '5.0 m');
  const bar = barOf(running(run()));
  assert.deepEqual(
    [bar.kind, bar.where, bar.left, bar.canPause, bar.canSkip, bar.resume],
    ['run', 'Step 2 of 3', 'about 10 s left', true, true, false],
  );
});

test('what is done or under way has no faults, so the later steps are sent although its place was deleted', () => {
  const without = (names: string[]) => ({ ...plan, places: places.filter(({ name }) => !names.includes(name)) });
  assert.deepEqual(faultsIn(running(run(), { m: driver({ run: run(), plan: without(['Sofa']) }) })), []);
  const [later] = faultsIn(running(run(), { m: driver({ run: run(), plan: without(['Sofa', 'Desk']) }) }));
  assert.equal(later?.step, 2);
});

test('a later step that was changed does not look as the run has it', () => {
  const changed = {
    ...doc,
    cards: [...doc.cards.slice(0, 2), { key: 99, step: { type: 'WAIT', seconds: 3 } as Step }],
  };
  const rows = rowsOf(running(run(), { doc: changed, changing: true }));
  assert.deepEqual(
    rows.map((r) => r.look),
    ['done', 'current', null],
  );
  assert.equal(barOf(running(run(), { doc: changed, changing: true })).says, 'Preparing the change');
});

test('a step that failed is tried again or skipped, and says how often it was tried', () => {
  const s = running(
    run({ phase: 'stuck', reason: 'The door is closed.' }, (i) =>
      i === 1 ? { state: 'RETRIABLE', reason: 'The door is closed.', tries: 2 } : {},
    ),
  );
  const row = rowsOf(s)[1];
  assert.deepEqual([row?.look, row?.line, row?.time], ['stuck', 'The door is closed.', '2 tries']);
  const bar = barOf(s);
  assert.deepEqual([bar.stuck, bar.resume, bar.says, bar.wrong], [true, true, '', true]);
});

test('while it is stopped a run neither goes on nor skips, but it can be ended', () => {
  const m = driver({ plan, run: run({ phase: 'paused' }), stop: { by: 'Jin', id: 2, at: '' } });
  const bar = barOf(viewModel({ m }));
  assert.deepEqual(
    [bar.where, bar.canPause, bar.canSkip, bar.buttons],
    ['Step 2 of 3, paused by STOP', false, false, true],
  );
});

test('who watches sees how far it is and has no buttons', () => {
  const bar = barOf(viewModel({ m: watcher({ plan, run: run() }) }));
  assert.deepEqual([bar.kind, bar.where, bar.buttons], ['run', 'Step 2 of 3', false]);
  assert.equal(barOf(viewModel({ m: watcher({ plan }) })).kind, 'none');
});

test('the next place is filled, later ones are hollow, and those that were reached are gone', () => {
  assert.deepEqual(
    pinsOf(viewModel()).map((p) => [p.n, p.kind]),
    [
      [1, 'next'],
      [3, 'next'],
    ],
  );
  assert.deepEqual(
    pinsOf(running(run())).map((p) => [p.n, p.kind]),
    [[3, 'next']],
  );
  assert.deepEqual(
    pinsOf(running(run({ step: 0 }, () => ({ state: 'WAITING' })))).map((p) => [p.n, p.kind]),
    [
      [1, 'next'],
      [3, 'later'],
    ],
  );
  assert.deepEqual(
    pinsOf(running(run(), { lit: doc.cards[0]?.key ?? 0 })).map((p) => p.n),
    [1, 3],
  );
});

test('the way that comes next is driven, and what is driven now is left to Go to', () => {
  assert.deepEqual(
    waysOf(running(run())).map((w) => w.driven),
    [true],
  );
  const goal = {
    n: 1,
    goal: [0, 0, 0],
    name: '',
    phase: 'driving',
    done: 0,
    left: 1,
    time: 1,
    off: null,
    route: 1,
    blocked: null,
    word: '',
    reason: '',
  } as const;
  const first = running(run({ step: 0 }, () => ({ state: 'WAITING' })));
  const m = { ...first.m, state: state({ goal: { ...goal, goal: [0, 0, 0] } }) };
  assert.deepEqual(
    waysOf({ ...first, m }).map((w) => w.driven),
    [false],
  );
});

test('a run that ended tells how, until something of it is changed', () => {
  const over = run({ phase: 'ended', word: 'SUCCESS', step: 3 }, () => ({ state: 'FINISHED' }));
  const bar = barOf(running(over));
  assert.deepEqual([bar.kind, bar.where, bar.canRun], ['compose', 'Job finished.', true]);
  const other = { ...doc, cards: doc.cards.slice(0, 2) };
  assert.equal(barOf(running(over, { doc: other })).where, '');
  assert.deepEqual(
    rowsOf(running(over, { doc: other })).map((r) => r.look),
    [null, null],
  );
});
