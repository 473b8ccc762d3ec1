import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULTS, readPrefs } from './prefs.ts';
import { mayDrive, mayUse, numbered, Store } from './store.ts';
import { announcementsOf } from './announcements.ts';
import { driver, model, state, watcher } from './testing.ts';

test('every subscriber sees every change once, also one made by another subscriber', () => {
  const store = new Store(model());
  const seen: string[] = [];
  store.subscribe((m) => {
    if (m.hold === 1) store.set({ hold: 2 });
  });
  store.subscribe((m, before) => seen.push(`${before.hold}>${m.hold}`));
  store.set({ hold: 1 });
  assert.deepEqual(seen, ['0>1', '1>2']);
});

test('a subscriber that has left hears nothing', () => {
  const store = new Store(model());
  let heard = 0;
  const leave = store.subscribe(() => heard++);
  leave();
  store.set({ hold: 1 });
  assert.equal(heard, 0);
});

test('the same toast is not shown twice at once', () => {
  const store = new Store(model());
  store.toast('The robot is busy.', 'BUSY');
  store.toast('The robot is busy.', 'BUSY');
  assert.equal(store.get().toasts.length, 1);
});

test('a hand may drive only with control, a live link, no stop and no dialog', () => {
  assert.equal(mayDrive(driver()), true);
  assert.equal(mayDrive(watcher()), false);
  assert.equal(mayDrive(driver({ socket: false })), false);
  assert.equal(mayDrive(driver({ conn: 'lost' })), false);
  assert.equal(mayDrive(driver({ stopping: { at: 1, sent: false } })), false);
  assert.equal(mayDrive(driver({ stop: { by: 'Jin', id: 2, at: '' } })), false);
  assert.equal(mayDrive(driver({ dialog: true })), false);
});

test('what was stored and makes no sense is replaced by the default', () => {
  assert.deepEqual(readPrefs(null), DEFAULTS);
  assert.deepEqual(readPrefs({ speedLimit: 9, stepMoves: 'yes', letterKeys: 1, theme: 'pink' }), DEFAULTS);
  assert.deepEqual(readPrefs({ speedLimit: 0.42, stepMoves: true, letterKeys: false, sounds: true, theme: 'light' }), {
    speedLimit: 0.42,
    stepMoves: true,
    letterKeys: false,
    sounds: true,
    theme: 'light',
  });
});

test('a screen reader is told that STOP was pressed, that it has not arrived and that the robot stands only when each is so', () => {
  const pressed = driver({ stopping: { at: 1, sent: true } });
  assert.deepEqual(announcementsOf(pressed, driver()), []);
  const unsent = { ...pressed, stopping: { at: 1, sent: false } };
  assert.deepEqual(announcementsOf(unsent, pressed), [
    { text: 'You pressed STOP. It has not reached the robot yet.', alert: true },
  ]);
  assert.deepEqual(announcementsOf({ ...pressed, stopping: null, stop: { by: 'Ana', id: 1, at: '' } }, unsent), [
    { text: 'You stopped the robot.', alert: true },
  ]);
});

test('a screen reader is alerted to stop, no contact and lost control, and told the rest quietly', () => {
  const stopped = announcementsOf(driver({ stop: { by: 'Jin', id: 2, at: '' } }), driver());
  assert.deepEqual(stopped, [{ text: 'Stopped by Jin.', alert: true }]);
  assert.equal(announcementsOf(driver({ conn: 'lost' }), driver({ conn: 'stale' }))[0]?.alert, true);
  assert.equal(announcementsOf(driver({ holder: 2 }), driver())[0]?.alert, true);
  const kim = {
    id: 3,
    name: 'Kim',
    role: 'operator' as const,
    order: 3,
    control: false,
    asks: false,
    here: true,
    rtt_ms: null,
  };
  const before = driver();
  assert.deepEqual(announcementsOf(driver({ people: [...before.people, kim] }), before), [
    { text: 'Kim joined.', alert: false },
  ]);
  const same = driver();
  assert.deepEqual(announcementsOf({ ...same, state: state({ n: 2 }) }, same), []);
});

test('a part is used by who has control, and by who has borrowed it, under the number of the loan', () => {
  const loans = [{ part: 'head' as const, id: 2, loan: 7 }];
  assert.ok(mayUse(driver({ loans }), 'head'), 'to use it is to take it back');
  assert.deepEqual(numbered(driver({ loans }), 'head'), {});
  assert.ok(mayUse(watcher({ loans }), 'head'));
  assert.deepEqual(numbered(watcher({ loans }), 'head'), { loan: 7 });
  assert.ok(!mayUse(watcher({ loans }), 'arm'));
  assert.ok(!mayUse(watcher(), 'head'));
  assert.ok(!mayUse(watcher({ loans, socket: false }), 'head'));
  assert.ok(!mayUse(watcher({ loans, conn: 'lost' }), 'head'));
  assert.ok(!mayUse(watcher({ loans, elsewhere: true }), 'head'));
});
