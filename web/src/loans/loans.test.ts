import assert from 'node:assert/strict';
import test from 'node:test';
import { lendable } from './lendable.ts';
import { rowsOf } from './view.ts';
import type { Model } from '../store.ts';
import { driver, state, watcher, welcome } from '../testing.ts';
import type { Loan, Robot } from '../wire.ts';

const head = { x: 0, z: 1, pan: [-2, 2], tilt: [-1, 1], speed: 2, forward: 0, width: 640, height: 360, field: 1 };
const joint = { name: 'a', link: 'b', kind: 'turn', axis: [0, 0, 1], min: -1, max: 1, speed: 1, home: 0 };
const robot = { ...welcome().robot, head, joints: [joint] } as unknown as Robot;
const all = { robot, sees: true, hears: true };
const loans: Loan[] = [{ part: 'head', id: 2, loan: 7 }];
const told = (m: Model, t = 10) =>
  rowsOf(m, t).map(({ text, note, presses }) =>
    [text, ...(note ? [note] : []), ...presses.map((p) => p.text)].join(' | '),
  );

test('who has control answers who asks, and lends by choice', () => {
  const wishes = [{ part: 'head' as const, id: 2, until: 34 }];
  assert.deepEqual(told(driver({ ...all, wishes })), [
    'Jin asks: may I look around? | Declined automatically in 24 s. | Lend | No',
  ]);
  assert.deepEqual(told(driver(all)), []);
  assert.deepEqual(told(driver({ ...all, lendTo: 2 })), ['Lend to Jin: | Head | Voice | Arm | Cancel']);
  assert.deepEqual(told(driver({ ...all, loans, lendTo: 2 }))[1], 'Lend to Jin: | Voice | Arm | Cancel');
  assert.deepEqual(told(driver({ ...all, lendTo: 9 })), [], 'who has left is lent nothing');
});

test('all see who has a part; who has control takes it back, and its borrower gives it back', () => {
  assert.deepEqual(told(driver({ ...all, loans })), ['Head: Jin | Look ahead | Take back']);
  assert.match(told(watcher({ ...all, loans }))[0] ?? '', /^Head: you \| Drag the large picture.* \| Give back$/);
  assert.equal(told(driver({ ...all, loans, you: 3 }))[0], 'Head: Jin');
  const arm: Loan[] = [{ part: 'arm', id: 2, loan: 8 }];
  assert.deepEqual(told(driver({ ...all, loans: arm })), ['Arm: Jin | Take back']);
});

test('who does not have control may ask for what is not lent yet', () => {
  assert.deepEqual(told(watcher(all)), ['May I | look around? | speak? | move the arm?']);
  const asked = watcher({ ...all, wishes: [{ part: 'head', id: 2, until: 34 }] });
  assert.deepEqual(told(asked), [
    'You asked to look around. | Declined automatically in 24 s.',
    'May I | speak? | move the arm?',
  ]);
  assert.deepEqual(told(driver({ ...all, loans, you: 3 }))[1], 'May I | speak? | move the arm?');
  assert.deepEqual(told(watcher({ ...all, role: 'observer', camera: true })), ['May I | look around?']);
  assert.deepEqual(told(watcher({ ...all, role: 'observer', camera: false })), []);
  assert.deepEqual(told(watcher({ ...all, holder: null })), [], 'there is nobody to ask');
  assert.deepEqual(told(watcher({ ...all, stop: { by: 'Ana', id: 1, at: '' } })), []);
  assert.deepEqual(told(watcher({ ...all, conn: 'lost', loans })), []);
});

test('who drives is told that a hand drives slowly, and because of whom', () => {
  const slowed = (lent?: 'head' | 'arm') =>
    state({
      hand_limit: { speed: 0.2, why: 'The arm is lent and out of its home: at most 0.2 m/s.', ...(lent && { lent }) },
    });
  const slow = slowed('head');
  assert.equal(
    told(driver({ ...all, loans, state: slow }))[1],
    'Jin looks aside: driving by hand is limited to 0.2 m/s.',
  );
  assert.equal(
    told(watcher({ ...all, loans, state: slow }))[1],
    'You look aside: driving by hand is limited to 0.2 m/s.',
  );
  const arm: Loan[] = [{ part: 'arm', id: 2, loan: 8 }];
  assert.equal(
    told(driver({ ...all, loans: arm, state: slowed('arm') }))[1],
    'The arm is lent and out of its home: at most 0.2 m/s.',
  );
  const failed = slowed(); // no sensor measures anything
  assert.deepEqual(told(driver({ ...all, loans: arm, state: failed })).length, 1);
});

test('a robot lends what it has, and who only watches borrows the head alone', () => {
  assert.deepEqual(lendable(driver(all), { role: 'operator' }), ['head', 'voice', 'arm']);
  assert.deepEqual(lendable(driver(all), { role: 'observer' }), ['head']);
  assert.deepEqual(lendable(driver({ robot: welcome().robot }), { role: 'admin' }), []);
  assert.deepEqual(lendable(driver({ ...all, sees: false }), { role: 'operator' }), ['arm']);
});
