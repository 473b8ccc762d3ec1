import assert from 'node:assert/strict';
import test from 'node:test';
import { driver, state, watcher } from '../testing.ts';
import { bannerOf } from './view.ts';

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
  assert.equal(bannerOf(driver({ ...all, stop: null, conn: 'live' }), 10)?.head, 'Battery 9 %.');
  assert.equal(bannerOf(driver({ newBuild: true }), 10)?.head, 'A new version is ready.');
});

test('a page that the robot sent away says why and offers to come back', () => {
  const b = bannerOf(driver({ bye: 'This robot is open in another tab.', conn: 'lost', socket: false }), 10);
  assert.equal(b?.main, 'This robot is open in another tab.');
  assert.equal(b?.button, 'Use it here');
  assert.equal(b?.deed, 'retry');
});

test('STOP is said to be unconfirmed after a second', () => {
  const m = driver({ stopping: { at: 10, sent: true } });
  assert.equal(/Not confirmed yet/.test(bannerOf(m, 10.9)?.main ?? ''), false);
  assert.match(bannerOf(m, 11)?.main ?? '', /You pressed STOP at .*Not confirmed yet\./);
});

test('STOP without a link says that it waits', () => {
  const m = driver({ conn: 'lost', silence: 4.2, socket: false, stopping: { at: 10, sent: false } });
  assert.match(bannerOf(m, 10)?.main ?? '', /Will be sent when the link is back/);
  assert.equal(bannerOf(m, 10)?.deed, 'retry');
});

test('who watches reads who stopped the robot and who can release it', () => {
  const other = bannerOf(watcher({ stop: { ...stop, by: 'Kim', id: 3 } }), 10);
  assert.match(other?.head ?? '', /^Stopped by Kim at [\d:]+\.$/);
  assert.equal(other?.main, 'Ana can release it.');
  assert.match(bannerOf(watcher({ stop }), 10)?.main ?? '', /^You pressed STOP at/);
});

test('a stop without anybody in control offers control', () => {
  const b = bannerOf(watcher({ stop, holder: null }), 10);
  assert.equal(b?.deed, 'take');
  assert.match(b?.main ?? '', /take control to release it/);
});

test('the seconds until control is free are counted', () => {
  assert.match(bannerOf(watcher({ freeAt: 18 }), 10.5)?.main ?? '', /Control is free in 8 s/);
  assert.match(bannerOf(watcher({ freeAt: 18 }), 30)?.main ?? '', /in 0 s/);
});

test('a page that drives is never offered to reload', () => {
  assert.equal(bannerOf(driver({ newBuild: true, driving: true }), 10)?.deed, null);
  assert.equal(bannerOf(driver({ newBuild: true }), 10)?.deed, 'reload');
});
