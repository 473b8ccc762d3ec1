import assert from 'node:assert/strict';
import test from 'node:test';
import { driver, model, state, watcher, welcome } from '../testing.ts';
import { incoming } from './incoming.ts';
import type { Model, Wish } from '../store.ts';
import type { Event, Loan, Run } from '../wire.ts';

const stop = { by: 'Jin', id: 2, at: '2026-11-20T14:32:07Z' };

test('the first welcome makes the page known and says nothing', () => {
  const { patch, toast } = incoming(model(), welcome({ back: { after: 0.4, control: true } }), 1);
  assert.equal(patch.you, 1);
  assert.equal(patch.epoch, 5);
  assert.equal(patch.hold, 3);
  assert.equal(patch.socket, true);
  assert.equal(toast, undefined);
});

test('coming back says for how long and who has control', () => {
  const back = (after: number, control: boolean) => ({ after, control });
  const silent = (seconds: number) => driver({ lastStateAt: 20 - seconds });
  assert.equal(
    incoming(silent(6.2), welcome({ back: back(6.2, true) }), 20).toast?.text,
    'Back after 6 s. You still have control.',
  );
  assert.equal(
    incoming(silent(7), welcome({ back: back(0, true) }), 20).toast?.text,
    'Back after 7 s. You still have control.',
    'the robot noticed later than this page',
  );
  const theirs = welcome({ lease: { epoch: 6, holder: 2, since: '' }, back: back(20, false) });
  assert.equal(incoming(driver(), theirs, 20).toast?.text, 'Back after 20 s. Jin has control now.');
  const free = welcome({ lease: { epoch: 6, holder: null, since: '' }, back: back(20, false) });
  assert.equal(incoming(driver(), free, 20).toast?.text, 'Back after 20 s. Nobody has control now.');
  assert.equal(
    incoming(watcher({ lastStateAt: 17 }), welcome({ you: 2, back: back(3, false) }), 20).toast?.text,
    'Back after 3 s.',
  );
});

test('a server of another build is a new version', () => {
  assert.equal(incoming(driver(), welcome({ build: '2' }), 1).patch.newBuild, true);
  assert.equal(incoming(driver(), welcome({ build: '1' }), 1).patch.newBuild, false);
});

test('a page loads another floor plan, but not while a map is being made in place of one', () => {
  const floor = { type: 'event', kind: 'floor', build: 3, mapping: false } as const;
  assert.deepEqual(incoming(driver(), floor, 1).patch.floor, floor);
  assert.equal('floor' in incoming(driver(), { ...floor, mapping: true }, 1).patch, false);
});

test('a STOP that waits is confirmed by the robot, not by any state', () => {
  const pressed = driver({ stopping: { at: 9, sent: true } });
  assert.equal('stopping' in incoming(pressed, state(), 10).patch, false);
  const confirmed = incoming(pressed, state({ stop, mode: 'stopped' }), 10).patch;
  assert.deepEqual(confirmed.stop, stop);
  assert.equal(confirmed.stopping, null);
});

test('a STOP that waits outlives a welcome that does not know it', () => {
  const pressed = driver({ stopping: { at: 9, sent: false } });
  assert.deepEqual(incoming(pressed, welcome(), 10).patch.stopping, { at: 9, sent: false });
  assert.equal(incoming(pressed, welcome({ stop }), 10).patch.stopping, null);
});

test('a refusal is forgotten when what it was about has passed', () => {
  const refused = driver({ refusal: 'Stopped by Jin. Ana can release it.' });
  for (const msg of [
    { type: 'hold', hold: 3, reason: '', t: null, pose: null },
    { type: 'event', kind: 'lease', epoch: 5, holder: 1, since: '' },
    { type: 'event', kind: 'stop', stopped: false, by: 'Ana', id: 1, at: '2026-11-20T14:32:40Z' },
  ] as const)
    assert.equal(incoming(refused, msg, 10).patch.refusal, '', JSON.stringify(msg));
});

test('a state from before the stop does not take the stop back', () => {
  const event = incoming(driver(), { type: 'event', kind: 'stop', stopped: true, ...stop }, 10).patch;
  const stopped = driver(event);
  assert.equal('stop' in incoming(stopped, state({ at: '2026-11-20T14:32:06.9Z' }), 10).patch, false);
  assert.equal(incoming(stopped, state({ at: '2026-11-20T14:32:40Z' }), 10).patch.stop, null);
});

test('control that comes or goes is told', () => {
  const lease = (holder: number | null, reason?: string) =>
    ({ type: 'event', kind: 'lease', epoch: 6, holder, since: '', ...(reason ? { reason } : {}) }) as const;
  assert.equal(incoming(watcher(), lease(2), 10).toast?.text, 'You have control.');
  assert.equal(incoming(driver(), lease(null, 'You gave control back.'), 10).toast?.text, 'You gave control back.');
  assert.equal(incoming(watcher(), lease(null), 10).toast, undefined);
});

test('a holder who may still come back is counted down in page time', () => {
  assert.equal(
    incoming(watcher(), { type: 'event', kind: 'lease', epoch: 6, holder: 1, since: '', free_in: 8 }, 100).patch.freeAt,
    108,
  );
});

test('requests, an offer and a change under way are the whole truth in page time', () => {
  const lease = {
    type: 'event',
    kind: 'lease',
    epoch: 6,
    holder: 1,
    since: '',
    requests: [{ id: 2, reason: 'Paper.', left: 30 }],
  } as const;
  const first = incoming(driver(), lease as never, 100);
  assert.deepEqual(first.patch.asks, [{ id: 2, reason: 'Paper.', since: 100, until: 130 }]);
  const asked = driver(first.patch);
  const later = incoming(asked, { ...lease, requests: [{ id: 2, reason: 'Paper.', left: 17.6 }] } as never, 112.5);
  assert.equal(later.patch.asks?.[0], asked.asks[0], 'the same request stays the same value');
  const passing = incoming(asked, { ...lease, passing: { to: 2 } } as never, 113);
  assert.deepEqual(passing.patch.passing, { to: 2 });
  assert.equal(passing.toast, undefined);
  const offered = incoming(
    asked,
    { type: 'event', kind: 'lease', epoch: 7, holder: null, since: '', offer: { id: 2, left: 10 } },
    120,
  ).patch;
  assert.deepEqual(offered.offer, { to: 2, since: 120, until: 130 });
  assert.deepEqual([offered.asks, offered.passing], [[], null]);
});

test('an answer is told to who asked and to who has control, and to nobody else', () => {
  const asks = [{ id: 2, reason: '', since: 100, until: 130 }];
  const kept = { type: 'event', kind: 'lease', epoch: 4, holder: 1, since: '', reason: 'Ana keeps control.' } as const;
  assert.equal(incoming(watcher({ asks }), kept, 110).toast?.text, 'Ana keeps control.');
  assert.equal(incoming(driver({ asks }), kept, 110).toast?.text, 'You keep control.');
  assert.equal(incoming(watcher({ you: 3, asks }), kept, 110).toast, undefined);
});

test('a tab that only watches does not have control, whoever its person is', () => {
  const { patch } = incoming(model(), welcome({ elsewhere: 'This robot is open in another tab.' }), 1);
  assert.equal(patch.elsewhere, true);
  assert.equal(incoming(driver(patch), welcome(), 2).patch.elsewhere, false);
});

test('a refused drive sample is told beside the stick and in the log, a refused command by a toast', () => {
  const drive = incoming(
    driver(),
    { type: 'result', seq: 7, word: 'INTERRUPTED', reason: 'Let go and press again.' },
    10,
  );
  assert.equal(drive.patch.refusal, 'Let go and press again.');
  assert.equal(drive.toast, undefined);
  assert.equal(drive.note?.text, 'Let go and press again.');
  const command = incoming(driver(), { type: 'result', id: 7, word: 'BUSY', reason: 'The robot is busy.' }, 10);
  assert.deepEqual(command.toast, { text: 'The robot is busy.', word: 'BUSY' });
  assert.deepEqual(incoming(driver(), { type: 'result', id: 7, word: 'SUCCESS', reason: '' }, 10), { patch: {} });
});

test('what a newer robot may tell is left alone', () => {
  const strange = { type: 'event', kind: 'weather', rain: true } as never;
  assert.deepEqual(incoming(driver(), strange, 10), { patch: {} });
  assert.deepEqual(incoming(driver(), { type: 'ghost' } as never, 10), { patch: {} });
});

test('the route, the simulated world and the edited map are kept', () => {
  const route = {
    n: 5,
    goal: [1, 2, 0] as [number, number, number],
    line: [
      [0, 0],
      [1, 2],
    ] as [number, number][],
    via: ['I'],
    length: 2.2,
    time: 9,
  };
  assert.deepEqual(incoming(driver(), { type: 'event', kind: 'route', route }, 10).patch, { route });
  const world = {
    things: [{ thing: 3, kind: 'obstacle' as const, at: [1, 2] as [number, number], radius: 0.25 }],
    doors: [{ closed: true }],
  };
  assert.deepEqual(incoming(driver(), { type: 'event', kind: 'world', ...world }, 10).patch, { world });
  const graph = {
    via: [{ id: 1, name: 'I', at: [3, 7] as [number, number] }],
    edges: [],
    places: [{ name: 'Sofa', pose: [1, 2, 3] as [number, number, number] }],
  };
  const { plan } = incoming(driver(), { type: 'event', kind: 'map', ...graph }, 10).patch;
  assert.deepEqual([plan?.via, plan?.places, plan?.walls], [graph.via, graph.places, driver().plan.walls]);
});

test('what scripts do is told whole by each event', () => {
  const units = [
    {
      name: 'patrol',
      held: true,
      why: '',
      by: 'Ana',
      tags: [{ name: 'leg', frozen: false, blocked: false, statements: 2 }],
      yields: false,
      continues_at: null,
    },
  ];
  const msg = { type: 'event', kind: 'scripts', held: 'Ana drove by hand.', moving: false, units } as const;
  assert.deepEqual(incoming(driver(), { ...msg, units: [...units] }, 10).patch.scripts?.units, units);
});

test('jobs and the newest run are told by events, and a welcome forgets a run that the robot no longer has', () => {
  const saved = [{ id: 'a', name: 'A', steps: 2, revision: 1, changed: '2026-11-20T14:21:00Z' }];
  assert.deepEqual(incoming(driver(), { type: 'event', kind: 'jobs', jobs: saved }, 10).patch, { jobs: saved });
  const run: Run = {
    n: 1,
    job: '',
    name: 'A',
    phase: 'running',
    step: 0,
    began: '',
    ended: null,
    word: '',
    reason: '',
    changes: 1,
    edition: 0,
    steps: [],
    ways: [],
  };
  assert.deepEqual(incoming(driver(), { type: 'event', kind: 'run', run }, 10).patch, { run });
  assert.equal(incoming(driver({ run }), welcome(), 10).patch.run, null);
});

test('what is lent is known, and is said to who has control and to whom it is about', () => {
  const event = (loans: Loan[], reason: string, asks: number[] = []): Extract<Event, { kind: 'parts' }> => ({
    type: 'event',
    kind: 'parts',
    loans,
    requests: asks.map((id) => ({ part: 'head', id, left: 28 })),
    reason,
  });
  const loans: Loan[] = [{ part: 'head', id: 2, loan: 7 }];
  const said = (m: Model, e: Event) => incoming(m, e, 10).toast?.text;
  const lent = event(loans, 'Ana lent the head to Jin.');
  assert.deepEqual(incoming(driver(), event([], 'Jin asks to look around.', [2]), 10), {
    patch: { loans: [], wishes: [{ part: 'head', id: 2, until: 38 }] },
  });
  assert.deepEqual(incoming(driver(), lent, 10).patch, { loans, wishes: [] });
  assert.equal(said(driver(), lent), 'You lent the head to Jin.');
  assert.equal(said(watcher(), lent), 'Ana lent the head to you.');
  assert.equal(said(driver({ you: 3 }), lent), undefined, 'it is about somebody else');
  assert.equal(said(watcher(), event(loans, '')), undefined, 'a page that comes back is told what is so');
  const over = event([], 'Ana took the head back.');
  assert.equal(said(driver({ loans }), over), 'You took the head back.');
  assert.equal(said(watcher({ loans }), over), 'Ana took the head back.');
  const wishes: Wish[] = [{ part: 'head', id: 2, until: 38 }];
  assert.equal(said(watcher({ wishes }), event([], 'Ana keeps the head.')), 'Ana keeps the head.');
  assert.deepEqual(incoming(watcher({ loans, wishes }), welcome(), 10).patch.loans, []);
});
