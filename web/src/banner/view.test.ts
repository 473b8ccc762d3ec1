import assert from 'node:assert/strict';
import test from 'node:test';
import { driver, state, watcher } from '../testing.ts';
import { bannerOf, counts } from './view.ts';

const stop = { by: 'Jin', id: 2, at: '2026-11-20T14:32:07Z' };
const battery = { charge: 0.09, volts: 11, charging: false, left: 840 };

test('nothing is said while all is well', () => {
  assert.equal(bannerOf(driver(), 10), null);
});

test('the banner shows the one thing that matters most', () => {
  const all = { stop, conn: 'lost', silence: 4.2, tries: 3, newBuild: true, state: state({ battery }) } as const;
  assert.equal(bannerOf(watcher(all), 10)?.head, 'Stopped.'); // by this page
  assert.equal(bannerOf(watcher({ ...all, stop: null }), 10)?.head, 'No contact for 4.2 s.');
  assert.equal(bannerOf(watcher({ ...all, stop: null, conn: 'live' }), 10)?.head, 'You are watching.');
  assert.equal(bannerOf(driver({ ...all, stop: null, conn: 'live' }), 10)?.head, 'Battery 9%.');
  assert.equal(bannerOf(driver({ newBuild: true }), 10)?.head, 'A new version is ready.');
});

test('a page that the robot sent away says why and offers to come back', () => {
  const b = bannerOf(driver({ bye: 'This robot is open in another tab.', conn: 'lost', socket: false }), 10);
  assert.equal(b?.main, 'This robot is open in another tab.');
  assert.deepEqual(b?.press, { text: 'Use it here', deed: 'retry' });
});

test('a page that the robot does not let in says why and offers to reload, which leads to pairing', () => {
  const b = bannerOf(driver({ bye: 'The robot does not know you.', refused: true, conn: 'lost', socket: false }), 10);
  assert.equal(b?.main, 'The robot does not know you.');
  assert.deepEqual(b?.press, { text: 'Reload', deed: 'reload' });
  const stopping = { stopping: { at: 9, sent: false }, bye: 'The robot does not know you.', refused: true } as const;
  assert.deepEqual(bannerOf(driver({ ...stopping, conn: 'lost', socket: false }), 10)?.press, b?.press);
});

test('a page without contact says why the robot takes no connection', () => {
  const full = 'Too many connections to this robot are open. Close some of its pages.';
  const b = bannerOf(driver({ conn: 'lost', socket: false, silence: 9, tries: 2, full }), 10);
  assert.equal(b?.main, `It stops by itself. ${full} Reconnecting (attempt 2).`);
});

test('STOP is red only once the robot confirmed it', () => {
  const sent = bannerOf(driver({ stopping: { at: 10, sent: true } }), 10.2);
  assert.equal(sent?.kind, 'unsent');
  assert.match(`${sent?.head} ${sent?.main}`, /^You pressed STOP at [\d:]+\. The robot has not confirmed it yet\.$/);
  assert.equal(bannerOf(driver({ stop }), 10)?.kind, 'bad');
});

test('a STOP that has not arrived says so, and what the robot does meanwhile', () => {
  const m = driver({
    conn: 'lost',
    silence: 4.2,
    socket: false,
    stopping: { at: 10, sent: false },
    state: state({ mode: 'manual' }),
  });
  const b = bannerOf(m, 10);
  assert.equal(b?.kind, 'unsent');
  assert.match(
    `${b?.head} ${b?.main}`,
    /^You pressed STOP at [\d:]+\. It has not reached the robot yet\. It stops by itself\. No contact/,
  );
  assert.equal(b?.press?.deed, 'retry');
  assert.equal(/by itself/.test(bannerOf({ ...m, conn: 'live' }, 10)?.main ?? ''), false);
});

test('who watches reads who stopped the robot and who can release it', () => {
  const other = bannerOf(watcher({ stop: { ...stop, by: 'Kim', id: 3 } }), 10);
  assert.match(other?.head ?? '', /^Stopped by Kim at [\d:]+\.$/);
  assert.equal(other?.main, 'Ana can release it.');
  assert.match(bannerOf(watcher({ stop }), 10)?.main ?? '', /^You pressed STOP at/);
});

test('a stop without anybody in control offers control', () => {
  const b = bannerOf(watcher({ stop, holder: null }), 10);
  assert.equal(b?.press?.deed, 'take');
  assert.match(b?.main ?? '', /take control to release it/);
});

test('a holder who is gone is named, and the seconds until control is free are counted', () => {
  const b = bannerOf(watcher({ freeAt: 18 }), 10.5);
  assert.equal(`${b?.head} ${b?.main}`, 'Ana left. Control will be free in 8 s.');
  assert.equal(b?.press, null);
  assert.match(bannerOf(watcher({ freeAt: 18 }), 30)?.main ?? '', /in 0 s/);
  assert.match(bannerOf(watcher({ freeAt: 18, stop }), 10.5)?.main ?? '', /Ana left\. Control will be free in 8 s\./);
});

test('who watches can ask for control, reads for how long, and can take it back', () => {
  assert.deepEqual(bannerOf(watcher(), 10)?.press, { text: 'Ask for control', deed: 'ask' });
  assert.deepEqual(bannerOf(watcher({ asking: true }), 10)?.press, { text: 'Ask for control', deed: null });
  const asked = bannerOf(watcher({ asks: [{ id: 2, reason: '', since: 0, until: 30 }] }), 12.4);
  assert.match(asked?.main ?? '', /^Asked 12 s ago\.$/);
  assert.deepEqual(asked?.press, { text: 'Cancel', deed: 'cancel' });
  assert.equal(bannerOf(watcher({ socket: false }), 10)?.press?.deed, null);
});

test('an observer is told why there is nothing to ask', () => {
  for (const patch of [{}, { holder: null }, { stop, holder: null }, { offer: { to: 1, since: 0, until: 10 } }]) {
    const b = bannerOf(watcher({ role: 'observer', ...patch }), 5);
    assert.equal(b?.press, null);
    assert.equal(b?.other, null);
  }
  assert.match(bannerOf(watcher({ role: 'observer' }), 5)?.long ?? '', /You are a guest/);
});

test('an admin may take control at once', () => {
  assert.deepEqual(bannerOf(watcher({ role: 'admin' }), 10)?.other, { text: 'Take now', deed: 'take' });
  assert.equal(bannerOf(watcher(), 10)?.other, null);
});

test('while control is offered to one the others read to whom', () => {
  const offer = { to: 2, since: 0, until: 10 };
  assert.equal(bannerOf(watcher({ you: 3, holder: null, offer }), 3)?.main, 'Control is offered to Jin for 7 s.');
  assert.equal(bannerOf(watcher({ holder: null, offer }), 3)?.head, 'Control is offered to you.');
});

test('while control passes on, everybody reads to whom and what it waits for', () => {
  assert.equal(bannerOf(driver({ passing: { to: 2 } }), 10)?.head, 'Control passes to Jin.');
  assert.equal(bannerOf(watcher({ passing: { to: 2 } }), 10)?.head, 'Control passes to you.');
  assert.equal(bannerOf(driver({ passing: { to: null } }), 10)?.head, 'Control is being released.');
});

test('who was idle reads that control is offered to another and can keep it', () => {
  const b = bannerOf(driver({ offer: { to: 2, since: 0, until: 10 } }), 3);
  assert.equal(b?.head, 'Control is offered to Jin for 7 s.');
  assert.deepEqual(b?.press, { text: 'Keep control', deed: 'stay' });
});

test('a second tab says where the robot is driven and offers to move here', () => {
  const b = bannerOf(driver({ elsewhere: true }), 10);
  assert.equal(b?.head, 'This robot is open in another tab.');
  assert.deepEqual(b?.press, { text: 'Use it here', deed: 'here' });
});

test('only a banner that counts seconds is looked at all the time', () => {
  assert.equal(counts(driver()), false);
  for (const patch of [
    { freeAt: 18 },
    { offer: { to: 2, since: 0, until: 10 } },
    { asks: [{ id: 2, reason: '', since: 0, until: 30 }] },
  ])
    assert.equal(counts(watcher(patch)), true);
});

test('a page that drives is never offered to reload', () => {
  assert.equal(bannerOf(driver({ newBuild: true, driving: true }), 10)?.press?.deed, null);
  assert.equal(bannerOf(driver({ newBuild: true }), 10)?.press?.deed, 'reload');
});

test('a position that is lost comes before watching and after no contact', () => {
  const lost = state({ trust: 'LOST' });
  const b = bannerOf(driver({ state: lost }), 10);
  assert.deepEqual([b?.head, b?.press], ['Position lost.', { text: 'Set the position', deed: 'pose' }]);
  assert.equal(bannerOf(driver({ state: lost, tool: 'pose' }), 10)?.press, null);
  assert.deepEqual(
    [bannerOf(watcher({ state: lost }), 10)?.head, bannerOf(watcher({ state: lost }), 10)?.press],
    ['Position lost.', null],
  );
  assert.match(bannerOf(driver({ state: lost, conn: 'lost', silence: 4 }), 10)?.head ?? '', /No contact/);
});

const base = { up: true, why: '', since: '2026-11-20T14:31:57Z', malformed: 0, restarts: 0, rtt_ms: null, gone: [] };
const gone = { ...base, up: false, why: '/dev/ttyUSB0 is gone.' };

test('a lost base is told to everybody, after a stop and no contact, with seconds that run', () => {
  const m = { state: state({ base: gone, battery }), offset: 890 };
  for (const page of [driver(m), watcher(m)]) {
    const b = bannerOf(page, 11);
    assert.equal(`${b?.head} ${b?.main}`, 'Nothing from the base for 4 s: /dev/ttyUSB0 is gone.');
    assert.match(b?.long ?? '', /STOP works/);
    assert.equal(counts(page), true);
  }
  assert.match(bannerOf(driver({ ...m, conn: 'lost', silence: 4 }), 11)?.head ?? '', /^No contact/);
  const stopped = bannerOf(driver({ ...m, stop }), 11);
  assert.equal(stopped?.kind, 'bad');
  assert.match(stopped?.main ?? '', /Nothing from the base for 4 s: \/dev\/ttyUSB0 is gone\.$/);
});

test('a base that does not hear, will not drive or lacks a part is told in its own words', () => {
  const head = (patch: object) => bannerOf(driver({ state: state(patch) }), 10)?.head;
  assert.equal(head({ base: { ...base, why: 'The base does not hear us.' } }), 'The base does not hear us.');
  assert.equal(head({ refuses: 'It is tipped over.' }), 'The robot will not drive now: It is tipped over.');
  assert.equal(head({ base: { ...base, gone: ['lidar', 'arm'] }, battery }), 'Out of reach: lidar, arm.');
  assert.equal(head({ base }), undefined);
});

test('a stop of the base itself is first released on the robot', () => {
  const own = { by: "the robot's own emergency stop", id: 0, at: stop.at };
  const b = bannerOf(driver({ stop: own, state: state({ estop: true }) }), 10);
  assert.match(
    `${b?.head} ${b?.main}`,
    /^Stopped by the robot's own emergency stop at [\d:]+\. It is still pressed: release it on the robot first\.$/,
  );
});
