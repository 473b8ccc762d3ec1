import assert from 'node:assert/strict';
import test from 'node:test';
import {
  after,
  type DraftView,
  drawnEdit,
  dropEdit,
  type Edit,
  freshName,
  has,
  hit,
  isArea,
  isTaken,
  type Item,
  itemsOf,
  labelOf,
  moveEdit,
  poseOf,
  renameEdits,
  replaces,
  titleOf,
  titleOfEdit,
} from './draft.ts';
import type { Point, Pose } from '../wire.ts';

const draft: DraftView = {
  rev: 1,
  cell: 0.05,
  origin: [0, 0],
  width: 200,
  height: 100,
  walls: [],
  via: [
    { id: 1, at: [1, 1], name: 'I' },
    { id: 2, at: [5, 1], name: 'II' },
  ],
  edges: [[1, 2]],
  rooms: [
    {
      id: 7,
      name: '',
      outline: [
        [0, 2],
        [4, 2],
        [4, 5],
        [0, 5],
      ],
    },
  ],
  places: [{ name: 'Start', pose: [6, 3, 0] }],
  dock: [8, 4, 1],
  keepouts: [
    [
      [5, 4],
      [9, 4],
      [9, 6],
      [5, 6],
    ],
  ],
  can_undo: false,
  can_redo: false,
  faults: [],
};
const every: Item[] = [
  { kind: 'room', id: 7 },
  { kind: 'keepout', id: 1 },
  { kind: 'place', name: 'Start' },
  { kind: 'dock' },
  { kind: 'via', id: 1 },
  { kind: 'via', id: 2 },
  { kind: 'edge', ends: [1, 2] },
];
const screen = ([x, y]: Point): Point => [50 * x, 500 - 50 * y];
const under = (at: Point, chosen: Item | null = null) => hit(draft, chosen, screen(at), at, false, screen);

test('Tab goes through rooms, areas to keep out of, places, the dock, via points and edges', () => {
  assert.deepEqual(itemsOf(draft), every);
  for (const item of every) assert.ok(has(draft, item) && poseOf(draft, item) !== null);
  assert.ok(!has(draft, { kind: 'via', id: 3 }) && !has(draft, null));
});

test('every item says what it is', () => {
  assert.deepEqual(
    every.map((i) => titleOf(draft, i)),
    ['Room 7', 'Keep-out area 1', 'Place Start', 'Dock', 'Via point I', 'Via point II', 'Edge I – II'],
  );
});

test('a pointer hits what is nearest: a heading, a point, an edge, and else the area', () => {
  assert.deepEqual(under([1.1, 1.1])?.item, { kind: 'via', id: 1 });
  assert.deepEqual(under([3, 1.05])?.item, { kind: 'edge', ends: [1, 2] });
  assert.deepEqual(under([2, 3])?.item, { kind: 'room', id: 7 });
  assert.deepEqual(under([6, 5])?.item, { kind: 'keepout', id: 1 });
  assert.equal(under([9.5, 0.5]), null);
  assert.deepEqual(under([6 + 34 / 50, 3], { kind: 'place', name: 'Start' }), {
    item: { kind: 'place', name: 'Start' },
    tip: true,
  });
  assert.equal(under([6 + 34 / 50, 3]), null);
});

test('what can be moved is moved as the robot will move it', () => {
  for (const item of every) {
    const edit = moveEdit(item, [2, 4, 0.5]);
    if (edit === null) assert.ok(item.kind === 'edge' || isArea(item));
    else assert.deepEqual(poseOf(after(draft, edit), item)?.slice(0, 2), [2, 4]);
  }
});

test('everything can be removed', () => {
  assert.deepEqual(
    every.map((i) => dropEdit(i)),
    [
      { op: 'room', drop: 7 },
      { op: 'keepout', drop: 1 },
      { op: 'place', drop: 'Start' },
      { op: 'dock', drop: true },
      { op: 'via', drop: 1 },
      { op: 'via', drop: 2 },
      { op: 'edge', drop: [1, 2] },
    ],
  );
});

test('every edit says what it does and where', () => {
  const [a, b, c]: [Point, Point, Point] = [
    [1, 2.04],
    [3, 2],
    [3, 4],
  ];
  assert.deepEqual(
    (
      [
        { op: 'straighten' },
        { op: 'undo' },
        { op: 'wall', line: [a, b] },
        { op: 'keepout', outline: [b, c, a] },
        { op: 'crop', low: a, high: c },
        { op: 'via', add: b },
        { op: 'via', move: 2, at: b },
        { op: 'edge', add: [1, 2] },
        { op: 'room', id: 7, name: 'Kitchen' },
        { op: 'place', name: 'Sofa', pose: [1, 2, 3] },
        { op: 'dock', pose: [1, 2, 3] },
      ] satisfies Edit[]
    ).map((edit) => titleOfEdit(draft, edit)),
    [
      'Straighten',
      'Undo',
      'Wall at 1.0, 2.0',
      'Keep out at 3.0, 2.0',
      'Crop at 1.0, 2.0',
      'Via point at 3.0, 2.0',
      'Via point II',
      'Edge I – II',
      'Room 7',
      'Place Sofa',
      'Dock',
    ],
  );
  for (const item of every) assert.equal(titleOfEdit(draft, dropEdit(item)), `Remove ${titleOf(draft, item)}`);
});

test('a place with another name is put before the old one is removed, and an empty name changes nothing', () => {
  assert.deepEqual(renameEdits(draft, { kind: 'place', name: 'Start' }, 'Sofa'), [
    { op: 'place', name: 'Sofa', pose: [6, 3, 0] },
    { op: 'place', drop: 'Start' },
  ]);
  assert.deepEqual(renameEdits(draft, { kind: 'room', id: 7 }, 'Kitchen'), [{ op: 'room', id: 7, name: 'Kitchen' }]);
  for (const name of ['', 'Start']) assert.deepEqual(renameEdits(draft, { kind: 'place', name: 'Start' }, name), []);
});

test('a name that another place has is taken, but not for a room or for the place itself', () => {
  const two = { ...draft, places: [...draft.places, { name: 'Sofa', pose: [1, 1, 0] as Pose }] };
  assert.equal(isTaken(two, { kind: 'place', name: 'Start' }, 'Sofa'), true);
  assert.equal(isTaken(two, { kind: 'place', name: 'Start' }, 'Start'), false);
  assert.equal(isTaken(two, { kind: 'place', name: 'Start' }, 'Desk'), false);
  assert.equal(isTaken(two, { kind: 'room', id: 7 }, 'Sofa'), false);
});

test('a new place gets a name that is free', () => {
  assert.equal(freshName(draft), 'Place 2');
  assert.equal(freshName({ ...draft, places: [{ name: 'Place 2', pose: [0, 0, 0] }] }), 'Place 3');
});

test('of several moves of one thing that wait the last one counts', () => {
  const move = (id: number) => ({ op: 'via', move: id, at: [0, 0] as Point }) as const;
  assert.ok(replaces(move(1), move(1)));
  assert.ok(!replaces(move(1), move(2)));
  assert.ok(!replaces(move(1), { op: 'via', drop: 1 }));
  assert.ok(!replaces({ op: 'undo' }, { op: 'undo' }));
});

test('corners become the edit of their tool, in whole centimetres', () => {
  const [a, b, c]: Point[] = [
    [3.001, 1],
    [1, 2.499],
    [2, 2],
  ];
  assert.deepEqual(drawnEdit('wall', [a!, b!]), {
    op: 'wall',
    line: [
      [3, 1],
      [1, 2.5],
    ],
  });
  assert.deepEqual(drawnEdit('crop', [a!, b!]), { op: 'crop', low: [1, 1], high: [3, 2.5] });
  assert.equal(drawnEdit('erase', [a!, b!]), null);
  assert.equal(drawnEdit('keepout', [a!, b!, c!])?.op, 'keepout');
  assert.equal(drawnEdit('wall', [a!]), null);
});

test('the name of a room stands in the room, also when it bends', () => {
  assert.deepEqual(labelOf(draft.rooms[0]!.outline), [2, 3.5]);
  const bent: Point[] = [
    [0, 0],
    [6, 0],
    [6, 1],
    [1, 1],
    [1, 6],
    [0, 6],
  ];
  assert.deepEqual(labelOf(bent), [1, 1]);
  assert.equal(labelOf([]), null);
});
