import assert from 'node:assert/strict';
import test from 'node:test';
import { noPad, type PadState, readPad } from './pad.ts';
import { DEAD, deflect } from './stick.ts';

test('up is forward and left is left', () => {
  assert.deepEqual(deflect(0, -60, 60), { forward: 1, left: 0 });
  assert.deepEqual(deflect(-60, 0, 60), { forward: 0, left: 1 });
});

test('a resting thumb asks for nothing, and beyond it the stick begins softly', () => {
  assert.deepEqual(deflect(0, -DEAD * 100, 100), { forward: 0, left: 0 });
  const { forward } = deflect(0, -(DEAD + 0.01) * 100, 100);
  assert.ok(forward > 0 && forward < 0.02, String(forward));
});

test('the stick stays within its circle', () => {
  const d = deflect(300, -400, 60);
  assert.ok(Math.abs(Math.hypot(d.forward, d.left) - 1) < 1e-12);
  assert.ok(Math.abs(d.forward - 0.8) < 1e-12);
});

const pad = (axes: number[], ...down: number[]): PadState => ({
  connected: true,
  axes,
  buttons: Array.from({ length: 16 }, (_, i) => ({ pressed: down.includes(i) })),
});

test('a gamepad drives only while a bumper is held', () => {
  assert.deepEqual(readPad([pad([0, -1])], noPad), { ...noPad, here: true, forward: 1 });
  assert.equal(readPad([pad([0, -1], 5)], noPad).held, true);
  assert.equal(readPad([pad([0, -1], 4)], noPad).held, true);
});

test('B stops, on whichever pad', () => {
  assert.equal(readPad([pad([0, 0], 4), pad([0, 0], 1)], noPad).stop, true);
});

test('the pad whose bumper is held is the one that counts', () => {
  const read = readPad([pad([0, -1]), null, pad([-1, 0], 4)], noPad);
  assert.deepEqual(read, { ...noPad, here: true, held: true, by: 2, left: 1 });
});

test('another pad does not take over, and drives by a new press only', () => {
  const back = pad([0, 1], 4);
  const one = readPad([pad([0, 0]), pad([0, -1], 5)], noPad);
  const two = readPad([back, pad([0, -1], 5)], one);
  assert.deepEqual([two.held, two.by, two.forward], [true, 1, 1]);
  for (const gone of [null, pad([0, -1])]) {
    const over = readPad([back, gone], two);
    assert.equal(over.held, false, 'the pad that drove let go or is unplugged');
    assert.equal(readPad([back, gone], over).held, false, 'a bumper that is still held');
    const free = readPad([pad([0, 1]), gone], over);
    assert.deepEqual([free.held, free.waits], [false, false]);
    assert.equal(readPad([back, gone], free).by, 0, 'a new press');
  }
});

test('no pad, a lost pad and a pad of another make ask for nothing', () => {
  assert.deepEqual(readPad([], noPad), noPad);
  assert.deepEqual(readPad([null, { ...pad([0, -1], 4), connected: false }], noPad), noPad);
  assert.deepEqual(readPad([{ connected: true, axes: [], buttons: [] }], noPad), { ...noPad, here: true });
});
