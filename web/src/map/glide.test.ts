import assert from 'node:assert/strict';
import test from 'node:test';
import { at, GLIDE, isOver, still, toward } from './glide.ts';
import { longer, strokes, type Crumb } from './trail.ts';
import type { State } from '../wire.ts';

test('the robot runs to its newest place and is there within a tenth of a second', () => {
  const g = toward(still([1, 2, 0]), [1.04, 2, 0.1], 10);
  assert.deepEqual(at(g, 10), [1, 2, 0]);
  assert.ok(Math.abs(at(g, 10 + GLIDE / 2)[0] - 1.02) < 1e-9);
  assert.deepEqual(at(g, 10 + GLIDE), [1.04, 2, 0.1]);
});

test('it never runs ahead of what was seen', () => {
  const g = toward(still([1, 2, 0]), [1.04, 2, 0], 10);
  assert.deepEqual(at(g, 99), [1.04, 2, 0]);
  assert.ok(isOver(g, 99));
});

test('a robot that stands needs no frames between its states', () => {
  assert.ok(isOver(toward(still([1, 2, 0]), [1.0005, 2, 0.001], 10), 10));
});

test('it turns the short way round', () => {
  const g = toward(still([0, 0, 3.1]), [0, 0, -3.1], 0);
  assert.ok(Math.abs(Math.abs(at(g, GLIDE / 2)[2]) - Math.PI) < 1e-6);
});

test('a robot that was moved does not slide across the map', () => {
  assert.deepEqual(at(toward(still([0, 0, 0]), [3, 0, 0], 5), 5), [3, 0, 0]);
});

const seen = (t: number, x: number): State => ({ t, pose: [x, 0, 0] }) as unknown as State;

test('the trail keeps a minute', () => {
  let trail: readonly Crumb[] = [];
  for (let k = 0; k <= 900; k++) trail = longer(trail, seen(k / 10, k * 0.031));
  assert.ok(trail.length > 550 && trail.length <= 601, String(trail.length));
  assert.ok((trail[0]?.t ?? 0) >= 30);
});

test('a robot that stands adds nothing, and its trail still fades', () => {
  let trail = longer([], seen(0, 0));
  trail = longer(trail, seen(1, 0.5));
  assert.equal(longer(trail, seen(2, 0.501)), trail);
  assert.equal(longer(trail, seen(60.5, 0.5)).length, 1);
});

test('no line is drawn across a jump', () => {
  let trail: readonly Crumb[] = [];
  for (const [t, x] of [
    [0, 0],
    [1, 0.3],
    [2, 9],
    [3, 9.3],
  ] as const)
    trail = longer(trail, seen(t, x));
  const lines = strokes(trail, 3, 12).map((s) => s.points.map((p) => p.x));
  for (const line of lines) assert.ok(!(line.includes(0.3) && line.includes(9)), JSON.stringify(lines));
});

test('older parts of the trail are fainter', () => {
  let trail: readonly Crumb[] = [];
  for (let k = 0; k < 500; k++) trail = longer(trail, seen(k / 10, k * 0.031));
  const fresh = strokes(trail, 49.9, 12).map((s) => s.fresh);
  assert.ok(fresh.length > 5);
  assert.deepEqual(
    fresh,
    [...fresh].sort((a, b) => a - b),
  );
});

test('a robot that starts anew starts a new trail', () => {
  assert.equal(longer(longer(longer([], seen(50, 0)), seen(51, 1)), seen(3, 5)).length, 1);
});
