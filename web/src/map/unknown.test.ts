import assert from 'node:assert/strict';
import test from 'node:test';
import { contains, nameSpot } from './floor.ts';
import { distance, KEEP, linesOf, look, shown, type Thing } from './unknown.ts';
import type { Floorplan, Robot, State } from '../wire.ts';

// A room of 10 x 10 m with a table, and a robot with two sonars: ahead and to the left.
const plan: Floorplan = {
  name: 'room',
  bounds: [0, 0, 10, 10],
  walls: [
    [0, 0, 10, 0],
    [10, 0, 10, 10],
    [10, 10, 0, 10],
    [0, 10, 0, 0],
  ],
  rooms: [],
  free: [],
  doors: [{ hinge: [5, 0], length: 1, closed: 0, open: Math.PI / 2 }],
  furniture: [
    {
      outline: [
        [6, 6],
        [8, 6],
        [8, 7],
        [6, 7],
      ],
      radius: 0,
    },
    { outline: [[2, 2]], radius: 0.3 },
  ],
  via: [],
  edges: [],
  places: [],
  dock: null,
};
const robot: Robot = {
  name: 'r',
  place: 'p',
  length: 0.52,
  width: 0.45,
  height: 0.75,
  hull: [],
  safe: [0.5, 0.78],
  drive: [0.45, 0.7],
  slew: [0.4, 1.2],
  axle: 0.08,
  sonars: [
    [0.2, 0, 0],
    [0, 0.2, Math.PI / 2],
  ],
  beam: 0.35,
  range: 5,
  period_ms: 100,
  wheel_base: 0.42,
  parts: ['sonars'],
};
const lines = linesOf(plan);
const state = (t: number, ranges: (number | null)[], pose: [number, number, number] = [4, 5, 0], sigma = 0.02): State =>
  ({ t, pose, ranges, cov: [sigma ** 2, 0, sigma ** 2, 0.0002] }) as unknown as State;

function watch(states: State[]): readonly Thing[] {
  return states.reduce<readonly Thing[]>((things, s) => look(things, s, robot, lines), []);
}

test('a thing that is not on the map is shown where the echo comes from, once it was seen several times', () => {
  assert.equal(shown(watch([state(0, [1, null]), state(0.1, [1, null])])).length, 0);
  const [thing] = shown(watch([0, 1, 2].map((k) => state(k / 10, [1, null]))));
  assert.ok(thing && Math.abs(thing.x - 5.4) < 0.01 && Math.abs(thing.y - 5) < 0.01, JSON.stringify(thing));
});

test('a wall, a table, a barrel and a door on the map are not unknown', () => {
  const cases: [string, State][] = [
    ['wall', state(0, [1.8, null], [8, 3, 0])],
    ['wall seen at a slant, by the edge of the beam', state(0, [1.2, null], [8.5, 1, -0.3])],
    ['table', state(0, [1.8, null], [4, 6.5, 0])],
    ['barrel', state(0, [1.5, null], [0.1, 2, 0])],
    ['door', state(0, [1.3, null], [3.5, 0.5, 0])],
  ];
  for (const [name, s] of cases) {
    const again = [0, 1, 2, 3].map((k) => ({ ...s, t: k / 10 }) as State);
    assert.deepEqual(watch(again), [], name);
  }
});

test('what seems to stand behind a wall is an echo of an echo', () => {
  assert.deepEqual(watch([0, 1, 2, 3].map((k) => state(k / 10, [2.4, null], [8.9, 5, 0]))), []);
});

test('nothing is told from a position that is not known', () => {
  assert.deepEqual(watch([0, 1, 2, 3].map((k) => state(k / 10, [1, null], [4, 5, 0], 0.2))), []);
});

test('a thing is forgotten a few seconds after its last echo', () => {
  const things = watch([0, 1, 2].map((k) => state(k / 10, [1, null])));
  assert.equal(look(things, state(0.2 + KEEP - 0.1, [null, null]), robot, lines).length, 1);
  assert.equal(look(things, state(0.2 + KEEP + 0.1, [null, null]), robot, lines).length, 0);
});

test('a thing is gone when the sonar looks through it', () => {
  const things = watch([0, 1, 2].map((k) => state(k / 10, [1, null])));
  assert.equal(look(things, state(0.3, [4.9, null]), robot, lines).length, 0);
});

test('echoes that are far are too wide to place', () => {
  assert.deepEqual(watch([0, 1, 2, 3].map((k) => state(k / 10, [3, null], [2, 5, 0]))), []);
});

test('the same thing from the other side is the same thing', () => {
  const ahead = [0, 1, 2].map((k) => state(k / 10, [1, null]));
  const back = [3, 4, 5].map((k) => state(k / 10, [1, null], [6.8, 5, Math.PI]));
  assert.equal(watch([...ahead, ...back]).length, 1);
});

test('the distance from a line ends at its ends', () => {
  assert.equal(distance([3, 4], [0, 0, 0, 0]), 5);
  assert.equal(distance([5, 1], [0, 0, 2, 0]), Math.hypot(3, 1));
});

test('a name stays in the part of its room that can be seen', () => {
  const room: [number, number][] = [
    [-400, 100],
    [600, 100],
    [600, 500],
    [-400, 500],
  ];
  const free = { left: 80, top: 0, right: 0, bottom: 100 };
  assert.deepEqual(nameSpot(room, null, 40, 10, 1000, 700, free), [120, 300]);
  assert.equal(
    nameSpot(
      [
        [-400, 100],
        [90, 100],
        [90, 500],
        [-400, 500],
      ],
      null,
      40,
      10,
      1000,
      700,
      free,
    ),
    null,
  );
  assert.ok(contains(room, [0, 300]) && !contains(room, [601, 300]));
});
