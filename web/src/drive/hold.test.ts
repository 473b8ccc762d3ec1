import assert from 'node:assert/strict';
import test from 'node:test';
import { busy, type Hands, type Hold, lose, next, open, PERIOD, type Sample, type Source } from './hold.ts';

const nobody: Hands = {
  keys: { held: false, v: 0, w: 0 },
  stick: { held: false, v: 0, w: 0 },
  pad: { held: false, v: 0, w: 0 },
  step: { held: false, v: 0, w: 0 },
};
const holding = (s: Source, v: number, w = 0, others: Hands = nobody): Hands => ({
  ...others,
  [s]: { held: true, v, w },
});
const zero: Sample = { v: 0, w: 0 };

// run applies the hands for a number of periods and returns all samples.
function run(hold: Hold, hands: Hands, from: number, periods: number, may = true): { hold: Hold; sent: Sample[] } {
  const sent: Sample[] = [];
  for (let k = 0; k < periods; k++) {
    const out = next(hold, hands, may, from + k * PERIOD);
    hold = out.hold;
    sent.push(...out.send);
  }
  return { hold, sent };
}

test('an idle page sends nothing', () => {
  const { hold, sent } = run(open, nobody, 0, 100);
  assert.deepEqual(sent, []);
  assert.equal(busy(hold), false);
});

test('a press begins with a neutral sample and goes on with fresh ones, twenty a second', () => {
  const { sent } = run(open, holding('stick', 0.3, -0.2), 0, 21);
  assert.deepEqual(sent[0], zero);
  assert.equal(sent.length, 21);
  for (const s of sent.slice(1)) assert.deepEqual(s, { v: 0.3, w: -0.2 });
});

test('a change goes out at once, but not faster than fifty a second', () => {
  let { hold } = run(open, holding('stick', 0.1), 0, 2);
  let out = next(hold, holding('stick', 0.2), true, PERIOD + 0.021);
  assert.deepEqual(out.send, [{ v: 0.2, w: 0 }]);
  hold = out.hold;
  out = next(hold, holding('stick', 0.25), true, PERIOD + 0.022);
  assert.deepEqual(out.send, []);
  out = next(out.hold, holding('stick', 0), true, PERIOD + 0.023);
  assert.deepEqual(out.send, [zero], 'standstill never waits');
});

test('an unchanged hand is not sent before its time', () => {
  const { hold } = run(open, holding('keys', 0.1), 0, 2);
  assert.deepEqual(next(hold, holding('keys', 0.1), true, PERIOD + 0.03).send, []);
});

test('letting go sends three neutral samples and then nothing', () => {
  const { hold } = run(open, holding('keys', 0.3), 0, 10);
  const at = 9 * PERIOD + 0.001;
  const now = next(hold, nobody, true, at);
  assert.deepEqual(now.send, [zero], 'the first at once');
  const { hold: after, sent } = run(now.hold, nobody, at + PERIOD, 20);
  assert.deepEqual(sent, [zero, zero]);
  assert.equal(busy(after), false);
});

test('the first hand that is held has the robot until it lets go', () => {
  let { hold } = run(open, holding('keys', 0.3), 0, 3);
  const both = holding('stick', -0.3, 0, holding('keys', 0.3));
  const { hold: still, sent } = run(hold, both, 3 * PERIOD, 3);
  assert.equal(still.owner, 'keys');
  for (const s of sent) assert.deepEqual(s, { v: 0.3, w: 0 });
  hold = next(still, holding('stick', -0.3), true, 7 * PERIOD).hold;
  const { hold: waiting, sent: quiet } = run(hold, holding('stick', -0.3), 8 * PERIOD, 5);
  assert.equal(waiting.owner, null, 'the second hand has to press anew');
  assert.deepEqual(quiet, [zero, zero]);
  hold = next(waiting, nobody, true, 14 * PERIOD).hold;
  hold = next(hold, holding('stick', -0.3), true, 15 * PERIOD).hold;
  assert.equal(hold.owner, 'stick');
});

test('a lost hold ends in zero at once and needs a fresh press', () => {
  for (const source of ['keys', 'stick', 'pad', 'step'] as const) {
    const { hold } = run(open, holding(source, 0.3), 0, 5);
    const out = lose(hold, holding(source, 0.3), 0.3);
    assert.deepEqual(out.send, [zero, zero, zero]);
    const { hold: dead, sent } = run(out.hold, holding(source, 0.3), 0.35, 20);
    assert.deepEqual(sent, [], `${source} held on, and nothing moves`);
    assert.equal(busy(dead), false);
    const free = next(dead, nobody, true, 2).hold;
    assert.equal(next(free, holding(source, 0.3), true, 2.1).hold.owner, source);
  }
});

test('losing what was not held sends nothing', () => {
  assert.deepEqual(lose(open, nobody, 1).send, []);
  assert.deepEqual(lose(open, holding('keys', 0.3), 1).send, []);
});

test('what is still owed after letting go goes out when the page falls asleep', () => {
  const { hold } = run(open, holding('keys', 0.3), 0, 5);
  const released = next(hold, nobody, true, 0.3).hold;
  assert.deepEqual(lose(released, nobody, 0.31).send, [zero, zero]);
});

test('a page that may not drive sends nothing, and what it holds does not count later', () => {
  const { hold, sent } = run(open, holding('keys', 0.3), 0, 20, false);
  assert.deepEqual(sent, []);
  const { hold: later, sent: none } = run(hold, holding('keys', 0.3), 1, 20, true);
  assert.deepEqual(none, []);
  assert.equal(later.owner, null);
});

test('no permission while driving is a lost hold', () => {
  const { hold } = run(open, holding('pad', 0.3), 0, 5);
  assert.deepEqual(next(hold, holding('pad', 0.3), false, 0.26).send, [zero, zero, zero]);
});

test('whatever the hands do, motion is always led in by a neutral sample and led out by three', () => {
  // A small deterministic walk through presses, releases, losses and permission.
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  let hold = open;
  let hands: Hands = nobody;
  let may = true;
  const log: { s: Sample; owner: Source | null }[] = [];
  for (let k = 0; k < 20000; k++) {
    const t = k * 0.013;
    const source = (['keys', 'stick', 'pad', 'step'] as const)[Math.floor(random() * 4)] ?? 'keys';
    const what = random();
    if (what < 0.1) hands = holding(source, random() - 0.5, random() - 0.5, hands);
    else if (what < 0.2) hands = { ...hands, [source]: { held: false, v: 0, w: 0 } };
    else if (what < 0.22) may = !may;
    const out = what > 0.98 ? lose(hold, hands, t) : next(hold, hands, may, t);
    hold = out.hold;
    for (const s of out.send) log.push({ s, owner: hold.owner });
  }
  let led: Source | null = null;
  let zeros = 3;
  assert.ok(log.length > 1000);
  for (const { s, owner } of log) {
    const moves = s.v !== 0 || s.w !== 0;
    if (moves) assert.equal(led, owner, 'the first sample of a press is neutral');
    if (owner === null) {
      assert.equal(moves, false, 'nothing moves without a hand');
      zeros++;
    } else if (owner !== led) {
      zeros = 0;
    }
    assert.ok(zeros <= 3, 'silence after three neutral samples');
    led = owner;
  }
});
