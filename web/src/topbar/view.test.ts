import assert from 'node:assert/strict';
import test from 'node:test';
import { driver, model, state, watcher } from '../testing.ts';
import { authorityOf, batteryOf, duration, linkOf, lockOf, pillOf } from './view.ts';
import type { Goal, Mode } from '../wire.ts';

test('the pill says what the robot does, and what is worse before what is better', () => {
  assert.deepEqual(pillOf(model()), { kind: 'quiet', text: 'Connecting', short: 'Connecting' });
  assert.equal(pillOf(driver()).text, 'Ready');
  const job = { run: 1, phase: 'running', step: 2, steps: 7, left: 9, step_left: 3, changes: 1 } as const;
  assert.deepEqual(pillOf(driver({ state: state({ mode: 'job', job }) })), {
    kind: 'run',
    text: 'Running job, step 3 of 7',
    short: 'Step 3 of 7',
  });
  assert.deepEqual(pillOf(driver({ state: state({ mode: 'paused', job: { ...job, phase: 'stuck' } }) })), {
    kind: 'warn',
    text: 'Job needs help',
    short: 'Needs help',
  });
  assert.deepEqual(pillOf(driver({ state: state({ mode: 'manual' }) })), {
    kind: 'run',
    text: 'Driving by hand',
    short: 'Driving',
  });
  const play = {
    policy: 'playback',
    lead: 0,
    jitter: 0,
    rate: 1,
    stalled: false,
    motion: 3,
    left: 2,
    ref: [0, 0, 0],
    error: 0,
    detour: 0,
  } as const;
  assert.deepEqual(pillOf(driver({ state: state({ mode: 'manual', play: { ...play, ref: [0, 0, 0] } }) })), {
    kind: 'run',
    text: 'Replaying a drive',
    short: 'Replaying',
  });
  assert.equal(pillOf(driver({ conn: 'lost' })).text, 'No contact');
  assert.deepEqual(pillOf(driver({ conn: 'lost', stopping: { at: 1, sent: false } })), {
    kind: 'warn',
    text: 'STOP not sent',
    short: 'STOP not sent',
  });
  assert.equal(pillOf(driver({ stopping: { at: 1, sent: true } })).text, 'Stopping');
  assert.equal(pillOf(driver({ conn: 'lost', stop: { by: 'Jin', id: 2, at: '' } })).text, 'Stopped');
});

test('old data is quiet, never shown as if it were live', () => {
  assert.equal(pillOf(driver({ conn: 'stale' })).kind, 'quiet');
  assert.equal(batteryOf(driver({ conn: 'lost' })).kind, 'quiet');
});

test('the link badge tells plain, amber and red by the round trip', () => {
  const at = (rtt: number) => linkOf(driver({ rtt, jitter: 0.022 }));
  assert.deepEqual(at(0.31), { kind: 'plain', icon: 'signal', main: '310 ms', under: 'round trip ±22' });
  assert.equal(at(0.92).kind, 'warn');
  assert.equal(at(1.6).kind, 'bad');
  assert.deepEqual(linkOf(driver({ conn: 'lost', silence: 4.2 })), {
    kind: 'bad',
    icon: 'wifi-off',
    main: 'No link',
    under: 'for 4.2 s',
  });
});

test('the battery turns amber under 25 and red under 10 percent', () => {
  const at = (charge: number) =>
    batteryOf(driver({ state: state({ battery: { charge, volts: 12, charging: false, left: 13800 } }) }));
  assert.deepEqual(at(0.78), { kind: 'ok', icon: 'battery-medium', main: '78%', under: '3 h 50 min left' });
  assert.equal(at(0.24).kind, 'warn');
  assert.equal(at(0.09).kind, 'bad');
});

test('a battery that is not known is a dash', () => {
  assert.equal(
    batteryOf(driver({ state: state({ battery: { charge: null, volts: null, charging: false, left: null } }) })).main,
    '–',
  );
});

test('durations are hours and minutes', () => {
  assert.equal(duration(13800), '3 h 50 min');
  assert.equal(duration(840), '14 min');
  assert.equal(duration(-5), '0 min');
});

test('the chip shows who has control and offers only what works', () => {
  assert.equal(authorityOf(model()), null);
  assert.equal(authorityOf(driver())?.button, 'Give up control');
  assert.equal(
    authorityOf(driver({ stop: { by: 'Jin', id: 2, at: '' } }))?.button,
    '',
    'nothing beside STOPPED may read as if it released the stop',
  );
  assert.equal(authorityOf(driver({ stopping: { at: 1, sent: false } }))?.button, '');
  assert.equal(authorityOf(watcher({ holder: null, stop: { by: 'Jin', id: 2, at: '' } }))?.button, 'Take control');
  assert.equal(authorityOf(driver({ socket: false }))?.can, false);
  assert.equal(authorityOf(watcher())?.button, '');
  assert.equal(authorityOf(watcher({ holder: null }))?.button, 'Take control');
  assert.equal(authorityOf(watcher({ holder: null, role: 'observer' }))?.button, '');
  assert.equal(authorityOf(driver({ passing: { to: 2 } }))?.can, false);
  assert.equal(authorityOf(driver({ elsewhere: true }))?.button, '');
});

test('who cannot drive reads why', () => {
  assert.equal(lockOf(driver()), '');
  assert.equal(lockOf(watcher()), 'View only. Ana has control.');
  assert.equal(lockOf(watcher({ freeAt: 20 })), 'View only. Ana left.');
  assert.equal(
    lockOf(watcher({ holder: null, offer: { to: 1, since: 0, until: 10 } })),
    'View only. Control is offered to Ana.',
  );
  assert.match(lockOf(watcher({ holder: null, offer: { to: 2, since: 0, until: 10 } })), /^Control is offered to you/);
  assert.match(lockOf(watcher({ role: 'observer' })), /guest/);
  assert.match(lockOf(driver({ elsewhere: true })), /another tab/);
  assert.equal(lockOf(watcher({ holder: null })), 'Nobody has control. Take control to drive.');
});

test('the pill says what the robot does about its goal', () => {
  const goal = {
    n: 1,
    goal: [1, 2, 0] as [number, number, number],
    name: '',
    phase: 'driving' as const,
    done: 0,
    left: 1,
    time: 1,
    off: null,
    route: 1,
    blocked: null,
    word: '' as const,
    reason: '',
  };
  const pill = (mode: Mode, phase: Goal['phase']) =>
    pillOf(driver({ state: state({ mode, goal: { ...goal, phase } }) }));
  assert.deepEqual(pill('goal', 'driving'), { kind: 'run', text: 'Driving to goal', short: 'To goal' });
  assert.deepEqual(pill('goal', 'blocked'), { kind: 'warn', text: 'Route blocked', short: 'Blocked' });
  assert.deepEqual(pill('paused', 'paused'), { kind: 'warn', text: 'Paused', short: 'Paused' });
  assert.equal(pill('manual', 'paused').text, 'Driving by hand');
});

test('the pill says that the base is out of reach or will not drive', () => {
  const base = { up: false, why: '', since: '', malformed: 0, restarts: 0, rtt_ms: null, gone: [] };
  const pill = (patch: object) => pillOf(driver({ state: state(patch) }));
  assert.deepEqual(pill({ base }), { kind: 'warn', text: 'Base out of reach', short: 'No base' });
  assert.equal(pill({ refuses: 'It is tipped over.' }).text, 'Will not drive');
  assert.equal(batteryOf(driver({ state: state({ base }) })).kind, 'quiet');
});
