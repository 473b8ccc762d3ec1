import assert from 'node:assert/strict';
import test from 'node:test';
import type { Edit } from './draft.ts';
import { Edits } from './edits.ts';

// A robot that answers one request at a time, when the test says so.
function robot() {
  const asked: Edit[] = [];
  const told: string[] = [];
  let answer: (why: string) => void = () => {};
  const edits = new Edits(
    (edit) => {
      asked.push(edit);
      return new Promise((done) => (answer = done));
    },
    (why) => told.push(why),
  );
  // answers answers the request that is underway, and waits until the next one is there.
  const answers = async (why = ''): Promise<void> => {
    answer(why);
    await new Promise((done) => setTimeout(done));
  };
  return { asked, told, edits, answers };
}

const wall = (x: number): Edit => ({
  op: 'wall',
  line: [
    [x, 0],
    [x, 1],
  ],
});
const moved = (id: number, x: number): Edit => ({ op: 'via', move: id, at: [x, 0] });

test('edits go one at a time, in order, and of several that move the same item the last one', async () => {
  const { asked, edits, answers } = robot();
  for (const edit of [wall(1), moved(1, 5), moved(2, 5), moved(1, 6)]) edits.add(edit, '');
  assert.deepEqual(asked, [wall(1)]);
  while (edits.underway) await answers();
  assert.deepEqual(asked, [wall(1), moved(2, 5), moved(1, 6)]);
});

test('who waits for the edits waits for all, also for those drawn meanwhile', async () => {
  const { asked, edits, answers } = robot();
  assert.equal(await edits.settled(), '');
  edits.add(wall(1), '');
  edits.add(wall(2), '');
  let settled = false;
  const all = edits.settled().then((why) => {
    settled = true;
    return why;
  });
  await answers();
  edits.add(wall(3), '');
  await answers();
  assert.ok(!settled && edits.underway && !edits.waiting);
  await answers();
  assert.equal(await all, '');
  assert.deepEqual(asked, [wall(1), wall(2), wall(3)]);
  edits.add(wall(4), '');
  assert.deepEqual(asked.at(-1), wall(4));
});

test('after a refusal the edits that wait are not sent, and each of them is named', async () => {
  const { asked, told, edits, answers } = robot();
  for (const n of [1, 2, 3]) edits.add(wall(n), `Wall ${n}`);
  const all = edits.settled();
  await answers();
  await answers('It is too short.');
  assert.equal(await all, 'It is too short. Not done: Wall 2; Wall 3.');
  assert.deepEqual(told, [await all]);
  assert.deepEqual(asked, [wall(1), wall(2)]);
  assert.equal(await edits.settled(), '');
});

test('edits that are dropped are named, and the one that is underway is not', async () => {
  const { asked, told, edits, answers } = robot();
  for (const n of [1, 2, 3]) edits.add(wall(n), `Wall ${n}`);
  assert.equal(edits.drop(), 'Not done: Wall 2; Wall 3.');
  assert.equal(edits.drop(), '');
  await answers();
  assert.deepEqual(asked, [wall(1)]);
  assert.deepEqual(told, []);
});
