import assert from 'node:assert/strict';
import test from 'node:test';
import {
  begin,
  blank,
  DEEP,
  docOf,
  done,
  edit,
  example,
  fresh,
  insert,
  move,
  placeOf,
  poseOfStep,
  readStored,
  readFile,
  redo,
  remove,
  same,
  sameStep,
  stepsOf,
  tidy,
  undo,
  unsaved,
  viaOn,
  type Doc,
} from './draft.ts';
import type { Step } from '../wire.ts';

const wait = (seconds: number): Step => ({ type: 'WAIT', seconds });

function docWith(...steps: Step[]): Doc {
  return docOf({ id: '', name: 'Job', revision: 0, steps });
}

const seconds = (doc: Doc) => stepsOf(doc).map((s) => s.seconds);

test('a step is put where it is wanted, and goes again', () => {
  const two = insert(insert(fresh('Job'), 0, wait(1)).doc, 1, wait(2)).doc;
  const three = insert(two, 1, wait(9));
  assert.deepEqual(seconds(three.doc), [1, 9, 2]);
  assert.equal(placeOf(three.doc, three.key), 1);
  assert.deepEqual(seconds(remove(three.doc, three.key)), [1, 2]);
});

test('a step is moved to every place, and never before what is done', () => {
  const doc = docWith(wait(1), wait(2), wait(3), wait(4));
  const key = doc.cards[2]?.key ?? 0;
  assert.deepEqual(seconds(move(doc, key, 0)), [3, 1, 2, 4]);
  assert.deepEqual(seconds(move(doc, key, 3)), [1, 2, 4, 3]);
  assert.deepEqual(seconds(move(doc, key, 99)), [1, 2, 4, 3]);
  assert.deepEqual(seconds(move(doc, key, -5)), [3, 1, 2, 4]);
});

test('what was moved is still the same card', () => {
  const doc = docWith(wait(1), wait(2));
  const key = doc.cards[1]?.key ?? 0;
  assert.equal(placeOf(move(doc, key, 0), key), 0);
});

test('every change is taken back and made again', () => {
  const first = docWith(wait(1));
  const second = insert(first, 1, wait(2)).doc;
  let h = done(begin(first), second);
  h = undo(h);
  assert.ok(same(h.now, first));
  h = redo(h);
  assert.ok(same(h.now, second));
  assert.equal(undo(undo(h)).now, first);
});

test('letters of one text are taken back together, another field is not', () => {
  let h = begin(docWith({ type: 'VOICE', text: '' }));
  const key = h.now.cards[0]?.key ?? 0;
  const write = (text: string, mark: string) => (h = done(h, edit(h.now, key, { type: 'VOICE', text }), mark));
  write('H', 'text');
  write('Hi', 'text');
  write('Hi!', 'other');
  assert.equal(h.past.length, 2);
  assert.equal(undo(h).now.cards[0]?.step.text, 'Hi');
  assert.equal(undo(undo(h)).now.cards[0]?.step.text, '');
});

test('fifty changes are remembered, no more', () => {
  let h = begin(docWith(wait(1)));
  for (let i = 2; i < 80; i++) h = done(h, docWith(wait(i)));
  assert.equal(h.past.length, DEEP);
});

test('what changes nothing is no change', () => {
  const doc = docWith(wait(1));
  const h = begin(doc);
  assert.equal(done(h, edit(doc, doc.cards[0]?.key ?? 0, wait(1))), h);
});

test('a step says only what its type has', () => {
  assert.deepEqual(tidy({ type: 'MOVE', place: 'Sofa', pose: [1, 2, 3], text: 'x', ok: true }), {
    type: 'MOVE',
    place: 'Sofa',
  });
  assert.deepEqual(tidy({ type: 'VOICE', text: 'Hi', seconds: 3 }), {
    type: 'VOICE',
    text: 'Hi',
    voice: 'en',
    speed: 1,
  });
  assert.deepEqual(tidy({ type: 'WAIT', seconds: 3, on_failure: 'stop', retries: 4 }), { type: 'WAIT', seconds: 3 });
  assert.deepEqual(tidy({ type: 'WAIT', seconds: 3, on_failure: 'retry', retries: 4, retry_after: 5 }), {
    type: 'WAIT',
    seconds: 3,
    on_failure: 'retry',
    retries: 4,
    retry_after: 5,
  });
});

test('poses that were written and read are the same, others are not', () => {
  assert.ok(sameStep({ type: 'MOVE', pose: [1, 2, Math.PI] }, { type: 'MOVE', pose: [1.0001, 2, -3.1415] }));
  assert.ok(!sameStep({ type: 'MOVE', pose: [1, 2, 0] }, { type: 'MOVE', pose: [1.01, 2, 0] }));
  assert.ok(!sameStep({ type: 'MOVE', pose: [1, 2, 0] }, { type: 'MOVE', place: 'Sofa' }));
});

test('cards stay the same when a run is read over them', () => {
  const doc = docWith(wait(1), wait(2));
  const read = docOf({ id: 'a', name: 'Job', revision: 1, steps: [wait(1), wait(5)] }, doc);
  assert.deepEqual(
    read.cards.map((c) => c.key),
    doc.cards.map((c) => c.key),
  );
});

test('a job is not saved when anything of it differs', () => {
  const doc = docWith(wait(1));
  assert.ok(unsaved(doc, null));
  assert.ok(!unsaved(doc, doc));
  assert.ok(unsaved({ ...doc, name: 'Other' }, doc));
  assert.ok(!unsaved(fresh('Job'), null));
});

test('what this tab kept is read again, and nonsense is not', () => {
  const h = done(begin(docWith(wait(1))), docWith(wait(2)));
  const read = readStored(JSON.parse(JSON.stringify({ history: h, saved: null })));
  assert.ok(read && same(read.history.now, h.now));
  assert.equal(read.history.past.length, 1);
  const newest = insert(read.history.now, 0, wait(9));
  assert.equal(new Set(newest.doc.cards.map((c) => c.key)).size, 2);
  for (const bad of [
    null,
    5,
    {},
    { history: {} },
    {
      history: {
        past: [],
        now: { id: '', name: '', revision: 0, cards: [{ key: 1, step: { type: 'FLY' } }] },
        future: [],
      },
    },
  ])
    assert.equal(readStored(bad), null);
});

test('a file is a job or nothing', () => {
  assert.equal(readFile({ name: 'A', steps: [{ type: 'WAIT', seconds: 3 }] })?.cards.length, 1);
  for (const bad of ['', null, [], { name: 'A' }, { name: 'A', steps: [{ type: 'FLY' }] }, { steps: [] }])
    assert.equal(readFile(bad), null);
});

test('a file with a step that the page could not show is none', () => {
  const all = { type: 'MOVE', place: 'A', text: '', voice: 'en', speed: 1, seconds: 3, ok: true, on_failure: 'retry' };
  for (const good of [
    { ...all, retries: 2, retry_after: 5 },
    { type: 'MOVE', pose: [1, 2, 3] },
  ])
    assert.ok(readFile({ name: 'A', steps: [good] }));
  for (const bad of [
    { type: 'toString' },
    { type: ['WAIT'], seconds: 3 },
    { type: 'WAIT', seconds: 3, on_failur: 'retry' }, // it would be dropped without a word
    { type: 'VOICE', text: 5 },
    { type: 'VOICE', text: null },
    { type: 'WAIT', seconds: '30' },
    { type: 'MESSAGE', text: 'Hello', ok: 'no' },
    { type: 'MOVE', place: 7 },
    { type: 'MOVE', pose: 'x' },
    { type: 'MOVE', pose: [1, 2] },
    { type: 'MOVE', pose: [1, 2, null] },
  ])
    assert.equal(readFile({ name: 'A', steps: [bad] }), null, JSON.stringify(bad));
});

test('the example goes to the places of the paper, or to those there are', () => {
  const moves = (names: string[]) =>
    stepsOf(
      example(
        names.map((name) => ({ name })),
        'Dock',
      ),
    )
      .filter((s) => s.type === 'MOVE')
      .map((s) => s.place);
  assert.deepEqual(moves(['Dock', 'Desk', 'Sofa', 'Copy room']), ['Sofa', 'Copy room', 'Desk']);
  assert.deepEqual(moves(['Dock', 'Here', 'There']), ['Here', 'There', 'Here']);
  assert.equal(stepsOf(example([], 'Dock')).length, 7);
});

test('the via points of a way are named in its order', () => {
  const via = [
    { name: 'II', at: [4, 0] },
    { name: 'I', at: [1, 0.1] },
    { name: 'far', at: [2, 3] },
  ] as { name: string; at: [number, number] }[];
  assert.deepEqual(
    viaOn(
      [
        [0, 0],
        [5, 0],
      ],
      via,
    ),
    ['I', 'II'],
  );
  assert.deepEqual(viaOn([], via), []);
});

test('a MOVE leads to its pose or to the pose of its place', () => {
  const places = [{ name: 'Sofa', pose: [1, 2, 3] as [number, number, number] }];
  assert.deepEqual(poseOfStep({ type: 'MOVE', place: 'Sofa' }, places), [1, 2, 3]);
  assert.equal(poseOfStep({ type: 'MOVE', place: 'Moon' }, places), null);
  assert.equal(poseOfStep(blank('WAIT'), places), null);
});
