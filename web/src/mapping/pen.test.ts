import assert from 'node:assert/strict';
import test from 'node:test';
import { Pen } from './pen.ts';
import type { Tool } from './draft.ts';
import type { Touch } from '../map/stage.ts';
import type { Point } from '../wire.ts';

// A touch at (x, y) m, on a canvas of 100 px/m with y up.
const at = (x: number, y: number, shift = false): Touch => ({
  x: 100 * x,
  y: -100 * y,
  at: [x, y],
  shift,
  finger: false,
});
const screen = ([x, y]: Point): Point => [100 * x, -100 * y];

function drag(pen: Pen, tool: Tool, from: Touch, to: Touch): Point[] | null {
  pen.down(from);
  pen.move(tool, to);
  return pen.up(tool, to, screen);
}

function click(pen: Pen, tool: Tool, x: number, y: number): Point[] | null {
  pen.down(at(x, y));
  return pen.up(tool, at(x, y), screen);
}

test('a drag draws a line, and with Shift one in steps of 15 degrees', () => {
  assert.deepEqual(drag(new Pen(), 'wall', at(0, 0), at(2, 0.1)), [
    [0, 0],
    [2, 0.1],
  ]);
  const [, end] = drag(new Pen(), 'wall', at(0, 0), at(2, 0.1, true))!;
  assert.ok(Math.abs(end![1]) < 1e-9 && end![0] > 2);
});

test('a drag draws a rectangle around what is erased, and two corners of what is kept', () => {
  assert.deepEqual(drag(new Pen(), 'erase', at(0, 0), at(2, 1)), [
    [0, 0],
    [2, 0],
    [2, 1],
    [0, 1],
  ]);
  assert.deepEqual(drag(new Pen(), 'crop', at(0, 0), at(2, 1)), [
    [0, 0],
    [2, 1],
  ]);
});

test('clicks set corners until the first one is clicked again', () => {
  const pen = new Pen();
  for (const [x, y] of [
    [0, 0],
    [2, 0],
    [2, 1],
  ] as const)
    assert.equal(click(pen, 'keepout', x, y), null);
  assert.deepEqual(click(pen, 'keepout', 0.05, 0.05), [
    [0, 0],
    [2, 0],
    [2, 1],
  ]);
  assert.ok(!pen.drawing);
});

test('two clicks draw a line', () => {
  const pen = new Pen();
  assert.equal(click(pen, 'glass', 1, 1), null);
  assert.deepEqual(click(pen, 'glass', 1, 3), [
    [1, 1],
    [1, 3],
  ]);
});

test('the keys draw the same: arrows move a cross, Enter sets a corner, and a second Enter there ends an outline', () => {
  const pen = new Pen();
  const key = (tool: Tool, code: string, shift = false) => pen.key(tool, code, shift, [1, 1]);
  assert.equal(key('wall', 'Enter'), null);
  assert.equal(key('wall', 'ArrowRight', true), null);
  assert.deepEqual(key('wall', 'Enter'), [
    [1, 1],
    [2, 1],
  ]);
  pen.cross = null;
  for (const code of ['Enter', 'ArrowRight', 'Enter', 'ArrowUp', 'Enter']) assert.equal(key('erase', code, true), null);
  assert.deepEqual(key('erase', 'Enter'), [
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
  assert.equal(key('erase', 'KeyX'), undefined);
});

test('Enter twice in one place draws no line', () => {
  const pen = new Pen();
  assert.equal(pen.key('wall', 'Enter', false, [1, 1]), null);
  assert.equal(pen.key('wall', 'Enter', false, [1, 1]), null);
  assert.equal(pen.corners.length, 1);
});
