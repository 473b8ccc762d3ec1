import assert from 'node:assert/strict';
import test from 'node:test';
import {
  addPlace,
  addVia,
  begin,
  connect,
  DEEP,
  done,
  has,
  itemsOf,
  moveTo,
  pairsOf,
  pointOf,
  readHistory,
  redo,
  remove,
  rename,
  roman,
  sameSketch,
  setWay,
  type Sketch,
  split,
  turnTo,
  undo,
  wayOf,
} from './sketch.ts';

const two: Sketch = {
  via: [
    { id: 3, name: 'I', at: [1, 1] },
    { id: 7, name: 'II', at: [3, 1] },
  ],
  edges: [
    [3, 7],
    [7, 3],
  ],
  places: [{ name: 'Sofa', pose: [2, 2, 0] }],
};

test('a new via point has a number and a name that no other one has', () => {
  const { sketch, item } = addVia(addVia(two, [5, 5]).sketch, [6.004, -0.001]);
  assert.deepEqual(sketch.via.at(-1), { id: 9, name: 'IV', at: [6, 0] });
  assert.deepEqual(item, { kind: 'via', id: 9 });
  assert.equal(
    addVia(
      { ...two, via: [...two.via, { id: 1, name: 'III', at: [0, 0] }, { id: 2, name: 'V', at: [0, 0] }] },
      [0, 0],
    ).sketch.via.at(-1)?.name,
    'VI',
  );
  assert.equal(addVia({ via: [], edges: [], places: [] }, [0, 0]).sketch.via[0]?.id, 1);
});

test('roman numerals', () => {
  assert.deepEqual([1, 4, 9, 14, 40, 99, 1990].map(roman), ['I', 'IV', 'IX', 'XIV', 'XL', 'XCIX', 'MCMXC']);
});

test('a new place has a name that no other one has, and a heading in whole degrees', () => {
  const { sketch } = addPlace(
    { ...two, places: [...two.places, { name: 'Place 3', pose: [0, 0, 0] }] },
    [1, 2, -Math.PI],
    'Place',
  );
  assert.deepEqual(sketch.places.at(-1), { name: 'Place 4', pose: [1, 2, 3.1416] });
});

test('an edge is made both ways, once, and never to itself or to nothing', () => {
  const three = addVia(two, [5, 1]).sketch;
  const made = connect(three, 8, 3);
  assert.deepEqual(made?.item, { kind: 'edge', ends: [3, 8] });
  assert.deepEqual(made?.sketch.edges, [
    [3, 7],
    [7, 3],
    [3, 8],
    [8, 3],
  ]);
  assert.equal(connect(three, 7, 3)?.sketch, three);
  assert.equal(connect(three, 3, 3), null);
  assert.equal(connect(three, 3, 99), null);
});

test('a via point on an edge makes two of it, driven as the one was', () => {
  const both = split(two, [3, 7], [2, 1]);
  assert.deepEqual(both.item, { kind: 'via', id: 8 });
  assert.deepEqual(
    pairsOf(both.sketch).map((p) => [p, wayOf(both.sketch, p)]),
    [
      [[3, 8], 'both'],
      [[7, 8], 'both'],
    ],
  );
  const back = split(setWay(two, [3, 7], 'back'), [3, 7], [2, 1]);
  assert.deepEqual(back.sketch.edges, [
    [7, 8],
    [8, 3],
  ]);
});

test('an edge can lead one way', () => {
  assert.equal(wayOf(two, [3, 7]), 'both');
  const forth = setWay(two, [3, 7], 'forth');
  assert.deepEqual([forth.edges, wayOf(forth, [3, 7])], [[[3, 7]], 'forth']);
  const back = setWay(forth, [3, 7], 'back');
  assert.deepEqual([back.edges, wayOf(back, [3, 7])], [[[7, 3]], 'back']);
  assert.deepEqual(pairsOf(back), [[3, 7]]);
  assert.equal(connect(back, 3, 7)?.sketch, back);
});

test('with a via point go its edges', () => {
  const s = remove(two, { kind: 'via', id: 7 });
  assert.deepEqual([s.via.length, s.edges.length, s.places.length], [1, 0, 1]);
  assert.equal(remove(two, { kind: 'edge', ends: [3, 7] }).edges.length, 0);
  assert.equal(remove(two, { kind: 'place', n: 0 }).places.length, 0);
});

test('what is moved is in whole centimetres, and a place keeps its heading', () => {
  assert.deepEqual(moveTo(two, { kind: 'via', id: 3 }, [1.234, 5.678]).via[0]?.at, [1.23, 5.68]);
  const turned = turnTo(two, { kind: 'place', n: 0 }, Math.PI / 2);
  assert.deepEqual(moveTo(turned, { kind: 'place', n: 0 }, [9, 9]).places[0]?.pose, [9, 9, 1.5708]);
  assert.equal(moveTo(two, { kind: 'edge', ends: [3, 7] }, [9, 9]), two);
});

test('every item is found, named and where it is', () => {
  const items = itemsOf(two);
  assert.deepEqual(
    items.map((i) => i.kind),
    ['via', 'via', 'edge', 'place'],
  );
  assert.deepEqual(
    items.map((i) => pointOf(two, i)),
    [
      [1, 1],
      [3, 1],
      [2, 1],
      [2, 2],
    ],
  );
  for (const item of items) {
    assert.ok(has(two, item));
    assert.ok(!has(remove(two, item), item));
  }
  assert.equal(
    rename(rename(two, { kind: 'via', id: 7 }, 'Door'), { kind: 'place', n: 0 }, 'Bed').places[0]?.name,
    'Bed',
  );
});

test('undo restores, redo does it again, and a new change forgets what was taken back', () => {
  const one = addVia(two, [5, 5]).sketch;
  let h = done(done(begin(two), one), remove(one, { kind: 'via', id: 3 }));
  h = undo(h);
  assert.equal(h.now, one);
  h = undo(undo(h));
  assert.equal(h.now, two);
  h = redo(h);
  assert.equal(h.now, one);
  h = done(h, two);
  assert.equal(redo(h), h);
  assert.equal(done(h, { ...two }), h, 'what changes nothing is not remembered');
});

test('the last fifty changes can be taken back', () => {
  let h = begin(two);
  for (let i = 1; i <= 60; i++) h = done(h, moveTo(two, { kind: 'via', id: 3 }, [i, 0]));
  for (let i = 0; i < 60; i++) h = undo(h);
  assert.deepEqual([h.past.length, h.future.length], [0, DEEP]);
  assert.deepEqual(h.now.via[0]?.at, [10, 0]);
});

test('what a browser kept is read again, and nonsense is not', () => {
  const h = undo(done(begin(two), addVia(two, [5, 5]).sketch));
  assert.deepEqual(readHistory(JSON.parse(JSON.stringify(h))), h);
  const { base: _, ...earlier } = h;
  assert.deepEqual(
    readHistory({ ...earlier, past: [two] })?.base,
    two,
    'the first sketch stands for a base that was not stored',
  );
  for (const bad of [
    null,
    3,
    {},
    { ...h, now: null },
    { ...h, base: {} },
    { ...h, past: [1] },
    { ...h, future: {} },
    { ...h, now: { ...two, via: [{ id: 1 }] } },
    { ...h, now: { ...two, edges: [[1]] } },
    { ...h, now: { ...two, places: [{ name: '', pose: [1, 2, null] }] } },
  ]) {
    assert.equal(readHistory(bad), null, JSON.stringify(bad));
  }
});

test('two sketches are the same when they say the same', () => {
  assert.ok(sameSketch(two, { ...two, via: [...two.via] }));
  assert.ok(!sameSketch(two, moveTo(two, { kind: 'via', id: 3 }, [1, 1.01])));
});
