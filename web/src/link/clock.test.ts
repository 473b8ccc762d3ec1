import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, median } from './clock.ts';

// exchange runs one exchange with the given delays, for a robot whose clock is ahead by offset.
function exchange(clock: Clock, t1: number, up: number, down: number, offset: number): void {
  const t2 = t1 + up + offset;
  const t3 = t2 + 0.001;
  clock.add(t1, t2, t3, t1 + up + 0.001 + down);
}

test('the offset is exact when both ways take the same time', () => {
  const clock = new Clock();
  exchange(clock, 10, 0.1, 0.1, 893);
  const { rtt, offset, bound } = clock.round(10.3);
  assert.ok(Math.abs((rtt ?? 0) - 0.2) < 1e-9);
  assert.ok(Math.abs((offset ?? 0) - 893) < 1e-9);
  assert.ok(bound !== null && bound >= 0.1 && bound < 0.1001);
});

test('the error of the offset stays inside its bound when the ways differ', () => {
  const clock = new Clock();
  exchange(clock, 10, 0.2, 0.05, 893);
  const { offset, bound } = clock.round(10.3);
  const wrong = Math.abs((offset ?? 0) - 893);
  assert.ok(Math.abs(wrong - 0.075) < 1e-9);
  assert.ok(wrong <= (bound ?? 0));
});

test('the offset comes from the quickest exchange, until it is too old', () => {
  const clock = new Clock();
  exchange(clock, 0, 0.01, 0.01, 5);
  exchange(clock, 1, 0.5, 0.1, 5);
  assert.ok(Math.abs((clock.round(2).offset ?? 0) - 5) < 1e-9);
  exchange(clock, 61, 0.5, 0.1, 5);
  assert.ok(Math.abs((clock.round(62).offset ?? 0) - 5.2) < 1e-9);
});

test('the offset that is told runs to a better one by 5 ms a second, and does not jump while the robot drives', () => {
  const clock = new Clock();
  exchange(clock, 0, 0.5, 0.1, 5);
  assert.ok(Math.abs((clock.round(1, false).offset ?? 0) - 5.2) < 1e-9);
  exchange(clock, 1, 0.01, 0.01, 5);
  assert.ok(Math.abs((clock.round(2, false).offset ?? 0) - 5.195) < 1e-9);
  const { offset, bound } = clock.round(12, false);
  assert.ok(Math.abs((offset ?? 0) - 5.145) < 1e-9);
  assert.ok(Math.abs((offset ?? 0) - 5) <= (bound ?? 0));
  assert.ok(Math.abs((clock.round(12, true).offset ?? 0) - 5) < 1e-9);
});

test('a small correction is never a jump', () => {
  const clock = new Clock();
  exchange(clock, 0, 0.2, 0.1, 5);
  clock.round(1);
  exchange(clock, 1, 0.01, 0.01, 5);
  assert.ok(Math.abs((clock.round(2).offset ?? 0) - 5.045) < 1e-9);
});

test('the round trip is the median of the last two seconds only', () => {
  const clock = new Clock();
  for (const [t, way] of [
    [0, 1],
    [8.2, 0.1],
    [8.7, 0.4],
    [9.2, 0.15],
  ] as const)
    exchange(clock, t, way, way, 0);
  assert.ok(Math.abs((clock.round(10).rtt ?? 0) - 0.3) < 1e-9);
  assert.equal(clock.round(13).rtt, null);
});

test('an answer that cannot be is left out', () => {
  const clock = new Clock();
  clock.add(10, 900, 901, 10.5); // implausible: the robot held it longer than the round trip
  clock.add(Number.NaN, 900, 901, 10.5);
  assert.equal(clock.round(11).rtt, null);
});

test('the median of an even number of values lies between the middle two', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([]), null);
});
