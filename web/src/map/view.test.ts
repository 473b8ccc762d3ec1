import assert from 'node:assert/strict';
import test from 'node:test';
import { between, follow, MAX_SCALE, pan, ruler, snapped, toScreen, toWorld, type View, whole, zoom } from './view.ts';

const view: View = { x: 12, y: 7, scale: 50, width: 1000, height: 800 };
const near = (a: readonly number[], b: readonly number[]) =>
  a.forEach((n, i) => assert.ok(Math.abs(n - (b[i] ?? NaN)) < 1e-9, `${a} is not ${b}`));

test('the world is right side up: y grows upward', () => {
  near(toScreen(view, 13, 8), [550, 350]);
  near(toWorld(view, 550, 350), [13, 8]);
});

test('zooming keeps what is under the pointer', () => {
  const before = toWorld(view, 123, 456);
  for (const f of [1.3, 0.5, 100, 0.001]) near(toWorld(zoom(view, f, 123, 456), 123, 456), before);
});

test('zoom ends at 250 and at 12 pixels a metre', () => {
  assert.equal(zoom(view, 100, 0, 0).scale, MAX_SCALE);
  assert.equal(zoom(view, 0.001, 0, 0).scale, 12);
});

test('a drag moves the floor with the pointer', () => {
  const [x, y] = toWorld(view, 500, 400);
  near(toScreen(pan(view, 30, -20), x, y), [530, 380]);
});

test('the whole floor lies in the part that is free', () => {
  const free = { left: 80, top: 60, right: 12, bottom: 130 };
  const v = whole(view, [1, -0.4, 25, 15.6], free);
  const [left, bottom] = toScreen(v, 1, -0.4);
  const [right, top] = toScreen(v, 25, 15.6);
  assert.ok(
    left >= 80 - 1e-9 && right <= 988 + 1e-9 && top >= 60 - 1e-9 && bottom <= 670 + 1e-9,
    [left, right, top, bottom].join(),
  );
  assert.ok(Math.abs(right - left - 908) < 1e-9 || Math.abs(bottom - top - 610) < 1e-9, 'one of the sides is filled');
});

test('the robot that is followed is at 42 % from the left, in the middle of what is free', () => {
  near(toScreen(follow(view, 3, 4, { left: 0, top: 50, right: 0, bottom: 150 }), 3, 4), [420, 350]);
  near(toScreen(follow(view, 3, 4, { left: 450, top: 50, right: 0, bottom: 150 }), 3, 4), [510, 350]); // a card lies where it would be
});

test('a view eases from one to the other', () => {
  const to = { ...view, x: 14, scale: 200 };
  near([between(view, to, 0).scale, between(view, to, 0.5).scale, between(view, to, 1).scale], [50, 100, 200]);
  assert.equal(between(view, to, 0.5).x, 13);
});

test('a snapped view is off by less than a device pixel', () => {
  const v = snapped({ ...view, x: 12.00731 }, 2);
  assert.ok(Math.abs(v.x - 12.00731) * 50 < 0.5);
  assert.ok(Math.abs(v.x * 100 - Math.round(v.x * 100)) < 1e-9);
});

test('the scale bar is a round length that fits', () => {
  assert.equal(ruler(92, 110), 1);
  assert.equal(ruler(37, 110), 2);
  assert.equal(ruler(12, 110), 5);
  assert.equal(ruler(250, 110), 0.5);
});

test('a canvas that is all under cards still shows a floor of some size', () => {
  assert.ok(whole(view, [0, 0, 24, 16], { left: 600, top: 700, right: 500, bottom: 300 }).scale >= 10);
});
