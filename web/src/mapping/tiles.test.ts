import assert from 'node:assert/strict';
import test from 'node:test';
import { boxOf, classify, cornersOf, rgb } from './tiles.ts';
import type { Tile } from '../wire.ts';

const tile: Tile = {
  tile: 0,
  rev: 1,
  pose: [10, 5, Math.PI / 2],
  origin: [-1, 0],
  width: 40,
  height: 20,
  cell: 0.05,
};

test("the corners of a tile turn with its frame's pose", () => {
  // 2 m by 1 m, from (-1, 0): a quarter turn to the left maps x to y and y to -x.
  const want = [
    [10, 4],
    [10, 6],
    [9, 6],
    [9, 4],
  ];
  cornersOf(tile).forEach(([x, y], i) => {
    assert.ok(Math.hypot(x - want[i]![0]!, y - want[i]![1]!) < 1e-9, `corner ${i} is at ${x}, ${y}`);
  });
});

test('the box holds all tiles and points', () => {
  assert.equal(boxOf([], []), null);
  const box = boxOf([tile], [[12, 0]])!;
  [9, 0, 12, 6].forEach((v, i) => assert.ok(Math.abs(box[i]! - v) < 1e-9));
});

test('a pixel is unknown where it is transparent, and occupied where it is dark', () => {
  const rgba = new Uint8ClampedArray([255, 255, 255, 0, 250, 250, 250, 255, 20, 20, 20, 255, 0, 0, 0, 0]);
  assert.deepEqual([...classify(rgba)], [0, 1, 2, 0]);
});

test('colours are read as the page writes them', () => {
  assert.deepEqual(rgb('#1a2637'), [26, 38, 55]);
  assert.deepEqual(rgb('#fff'), [255, 255, 255]);
});
