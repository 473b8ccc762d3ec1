import assert from 'node:assert/strict';
import test from 'node:test';
import { misfitsOf, ClearanceMap } from './clearance.ts';
import { model } from '../testing.ts';
import type { Floorplan, Point } from '../wire.ts';

// A room of 4 x 3 m with a table and a column.
const plan: Floorplan = {
  ...model().plan,
  bounds: [0, 0, 4, 3],
  walls: [
    [0, 0, 4, 0],
    [4, 0, 4, 3],
    [4, 3, 0, 3],
    [0, 3, 0, 0],
  ],
  furniture: [
    {
      outline: [
        [3, 2],
        [3.5, 2],
        [3.5, 2.5],
        [3, 2.5],
      ],
      radius: 0,
    },
    { outline: [[1, 2]], radius: 0.3 },
  ],
};
const FIT = 0.36; // m, of Mybot
const clearance = new ClearanceMap(plan, FIT);
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('the clearance is the way to the nearest wall or thing', () => {
  near(clearance.clearance([2, 0.5]), 0.5);
  near(clearance.clearance([2.5, 2.2]), 0.5);
  near(clearance.clearance([2, 2]), 0.7);
  assert.ok(clearance.clearance([1, 2.1]) < 0, 'in the column');
  assert.ok(clearance.clearance([5, 1]) < 0, 'off the map');
  near(clearance.narrowest([0.5, 1], [3.5, 1]), 0.5);
  assert.ok(clearance.narrowest([0.5, 2], [2, 2]) < 0, 'through the column');
});

test('an edge looks at a wall far from it once or twice, and not at each of its steps', () => {
  let looks = 0;
  const far = new Proxy<Floorplan['walls'][0]>([0, 90, 4, 90], {
    get: (wall, key) => (key === Symbol.iterator && looks++, Reflect.get(wall, key)),
  });
  const large = new ClearanceMap({ ...plan, bounds: [0, 0, 4, 90], walls: [...plan.walls, far] }, FIT);
  near(large.narrowest([0.5, 1], [3.5, 1.2]), clearance.narrowest([0.5, 1], [3.5, 1.2]));
  assert.ok(looks <= 2, `${looks} looks`);
  near(large.narrowest([3.7, 0.2], [0.2, 2.8]), clearance.narrowest([3.7, 0.2], [0.2, 2.8]));
  near(large.narrowest([2, 1.2], [2, 2.99]), 0.01);
});

test('a hand is pushed off walls, and corners, to where the robot fits', () => {
  for (const p of [
    [0.1, 1],
    [3.9, 0.05],
    [2, 2.99],
    [1, 1.65],
  ] as Point[]) {
    const q = clearance.offWalls(p);
    assert.ok(clearance.clearance(q) >= FIT, `${p} came to ${q}, ${clearance.clearance(q)} m from a wall`);
    assert.ok(Math.hypot(q[0] - p[0], q[1] - p[1]) < 0.7, `${p} came as far as ${q}`);
  }
  assert.deepEqual(clearance.offWalls([2, 1]), [2, 1]);
  assert.deepEqual(clearance.offWalls([9, 9]), [9, 9], 'off the map there is nothing to be pushed to');
});

test('the middle of a large table is no free place, and nothing is pushed out of it', () => {
  const table = new ClearanceMap(
    {
      ...plan,
      bounds: [0, 0, 9, 9],
      furniture: [
        {
          outline: [
            [3, 3],
            [6, 3],
            [6, 6],
            [3, 6],
          ],
          radius: 0,
        },
      ],
    },
    FIT,
  );
  near(table.clearance([4.5, 4.5]), -1.5);
  near(table.clearance([2.5, 4.5]), 0.5);
  assert.deepEqual(table.offWalls([4.5, 4.5]), [4.5, 4.5]);
  const sketch = { via: [], edges: [], places: [{ name: 'Table', pose: [4.5, 4.5, 0] as [number, number, number] }] };
  assert.deepEqual(
    misfitsOf(sketch, table).map((m) => m.item),
    [{ kind: 'place', n: 0 }],
  );
});

test('what the robot does not fit to is told once', () => {
  const sketch = {
    via: [
      { id: 1, name: '', at: [0.5, 1] as Point },
      { id: 2, name: '', at: [3.5, 1] as Point },
      { id: 3, name: '', at: [0.2, 0.2] as Point },
      { id: 4, name: '', at: [0.5, 2.5] as Point },
      { id: 5, name: '', at: [1.5, 1.5] as Point },
    ],
    edges: [
      [1, 2],
      [2, 1],
      [1, 3],
      [4, 5],
    ] as [number, number][],
    places: [
      { name: 'Free', pose: [2, 1, 0] as [number, number, number] },
      { name: 'Table', pose: [3.2, 2.2, 0] as [number, number, number] },
    ],
  };
  assert.deepEqual(
    misfitsOf(sketch, clearance).map((m) => m.item),
    [
      { kind: 'via', id: 3 },
      { kind: 'edge', ends: [4, 5] },
      { kind: 'place', n: 1 },
    ],
  );
});
