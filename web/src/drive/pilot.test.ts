import assert from 'node:assert/strict';
import test from 'node:test';
import { Pilot } from './pilot.ts';
import type { Model } from '../store.ts';
import { driver, state, welcome } from '../testing.ts';
import type { Pose, State } from '../wire.ts';

const robot = welcome().robot;
const nothing = { lines: [], things: [] };
const at = (pose: Pose, patch: Partial<State> = {}, more: Partial<Model> = {}): Model =>
  driver({ robot, rtt: 0.3, state: state({ pose, ...patch }), ...more });
const play = (ref: Pose, more = {}) => ({
  policy: 'track' as const,
  lead: 0.1,
  jitter: 0.1,
  rate: 1,
  stalled: false,
  motion: null,
  left: 0,
  ref,
  error: 0.01,
  detour: 0,
  ...more,
});

// hold presses at t and holds for a number of seconds.
function hold(p: Pilot, m: Model, v: number, w: number, t: number, seconds: number): number {
  let seq = 0;
  const send = (v: number, w: number, begins: boolean, t: number) => {
    const out = p.sample(m, { v, w }, begins, nothing, t);
    assert.ok(out !== null);
    p.sent(++seq);
    return out;
  };
  send(0, 0, true, t);
  for (let k = 1; k * 0.05 <= seconds; k++) send(v, w, false, t + k * 0.05);
  return seq;
}

test('a press puts the virtual robot where the robot stands, and the first sample stands', () => {
  const p = new Pilot();
  const out = p.sample(at([3, 4, 1]), { v: 0, w: 0 }, true, nothing, 10);
  assert.deepEqual(out?.virtual.vr, [3, 4, 1, 0, 0, 0]);
});

test('the lead is the way from the robot that was seen to the virtual one', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  hold(p, m, 0.3, 0, 10, 2);
  const lead = p.predict(m, 12)?.lead ?? 0;
  assert.ok(Math.abs(lead - (0.3 * 1.95 - (0.3 * 0.3) / (2 * robot.slew[0]))) < 0.01, `${lead}`);
  const seen = at([0.3, 0, 0], { seq: 30, twist: [0.3, 0], play: play([0.31, 0, 0]) });
  p.see(seen, 12);
  assert.ok(Math.abs((p.predict(seen, 12)?.lead ?? 0) - (lead - 0.3)) < 0.01);
});

test('nothing is predicted for a page that does not drive, is stopped, or has lost the robot', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  assert.equal(p.predict(m, 9), null);
  hold(p, m, 0.3, 0, 10, 2);
  assert.equal(p.predict({ ...m, stop: { by: 'Jin', id: 2, at: '' } }, 12), null);
  assert.equal(p.predict({ ...m, holder: 2 }, 12), null);
  assert.equal(p.predict({ ...m, silence: 0.9 }, 12)?.shown, true);
  assert.equal(p.predict({ ...m, silence: 1.2 }, 12)?.shown, false);
  assert.equal(p.predict({ ...m, tab: 'goto' }, 12)?.shown, false);
});

test('the next press goes on from the virtual robot while the robot still comes after it', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  const seq = hold(p, m, 0.3, 0, 10, 2);
  for (let k = 0; k < 3; k++) p.sample(m, { v: 0, w: 0 }, false, nothing, 12.05 + k * 0.05);
  const end = p.end(14)?.[0] ?? 0;
  const there = at([0.4, 0, 0], { seq: seq - 3, twist: [0.3, 0], play: play([0.41, 0, 0]) });
  p.see(there, 14);
  assert.equal(p.sample(there, { v: 0, w: 0 }, true, nothing, 14)?.virtual.vr[0], Math.round(end * 1e6) / 1e6);
});

test('once the robot has come, the next press begins where it stands', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  const seq = hold(p, m, 0.3, 0, 10, 2);
  p.sample(m, { v: 0, w: 0 }, false, nothing, 12.05);
  const end = p.end(14) ?? [0, 0, 0];
  const there = at([end[0] - 0.02, 0.01, 0], { seq, play: play(end) });
  p.see(there, 14);
  assert.equal(p.predict(there, 14), null);
  assert.deepEqual(
    p.sample(there, { v: 0, w: 0 }, true, nothing, 15)?.virtual.vr.slice(0, 2),
    [end[0] - 0.02, 0.01].map((x) => Math.round(x * 1e6) / 1e6),
  );
});

test('on a hold the virtual robot glides to where the robot says, and the rest of the way is discarded', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  hold(p, m, 0.3, 0, 10, 3);
  const held = at([0.2, 0, 0], { t: 899 }, { hold: 3, held: { t: 900, pose: [0.25, 0.01, 0.1] } });
  p.hold(held, 13);
  assert.equal(p.predict(held, 13), null);
  const begun = p.discarded(13);
  assert.ok((begun?.path.length ?? 0) > 10 && (begun?.pose?.[0] ?? 0) > 0.6);
  const glided = p.discarded(13.2)?.pose ?? [9, 9, 9];
  assert.ok(glided[0] < 0.45 && glided[0] > 0.25);
  assert.equal(p.discarded(13.3)?.pose, null);
  assert.ok((p.discarded(13.3)?.fresh ?? 0) > 0.5);
  p.discarded(15);
  assert.equal(p.discarded(15.1), null);
  assert.deepEqual(p.sample(held, { v: 0, w: 0 }, false, nothing, 13)?.virtual.vr, [0.25, 0.01, 0.1, 0, 0, 0]);
});

test('a press in a new hold of a robot that still rolls begins where it will stand', () => {
  const p = new Pilot();
  const m = at([0, 0, 0], { twist: [0.4, 0] });
  const x = p.sample(m, { v: 0, w: 0 }, true, nothing, 10)?.virtual.vr[0] ?? 0;
  assert.ok(Math.abs(x - (0.4 * 0.3 + 0.16 / (2 * robot.slew[0]))) < 0.02, `${x}`);
});

test('a robot that stands because nothing has reached it yet has not arrived', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  hold(p, m, 0.3, 0, 10, 2);
  const deaf = at([0, 0, 0], { seq: 0, play: null });
  p.see(deaf, 14);
  assert.ok((p.predict(deaf, 14)?.lead ?? 0) > 0.4);
  assert.ok((p.sample(deaf, { v: 0, w: 0 }, true, nothing, 14)?.virtual.vr[0] ?? 0) > 0.4);
});

test('the robot is as many seconds behind as it comes later to where the virtual robot was, turning too', () => {
  for (const [v, w] of [
    [0.3, 0],
    [0, 0.5],
  ] as const) {
    const p = new Pilot();
    const m = at([0, 0, 0]);
    hold(p, m, v, w, 10, 3);
    assert.equal(p.predict(m, 13)?.behind, null);
    const spot = p.predict(m, 13)!.committed.find((c) => c[0] > 0.3 || c[2] > 0.5)!;
    const passed = 13 - (v > 0 ? (p.predict(m, 13)!.pose[0] - spot[0]) / v : (p.predict(m, 13)!.pose[2] - spot[2]) / w);
    const seen = at(spot, { seq: 30, t: 113.1, twist: [v, w], play: play(spot) }, { offset: 100 });
    p.see(seen, 13.4);
    const behind = p.predict(seen, 13.4)?.behind ?? NaN;
    assert.ok(Math.abs(behind - (13.1 - passed)) < 0.12, `${behind} is not ${13.1 - passed}`);
  }
});

test('a lead about as large as the least that is shown does not flicker', () => {
  const p = new Pilot();
  const m = at([0, 0, 0]);
  hold(p, m, 0.3, 0, 10, 2);
  const end = p.predict(m, 12)?.pose[0] ?? 0;
  const behind = (lead: number) => p.predict(at([end - lead, 0, 0]), 12)?.shown;
  p.see(at([end - 0.015, 0, 0], { twist: [0.3, 0], play: play([end, 0, 0]) }), 12);
  assert.deepEqual([0.03, 0.015, 0.021, 0.012, 0.005, 0.015, 0.021].map(behind), [
    true,
    true,
    true,
    true,
    false,
    false,
    true,
  ]);
});
