import assert from 'node:assert/strict';
import test from 'node:test';
import { alarm, heading, metres, quality, rangersOf, rangesOf, side, spread, sureness, turn } from './figures.ts';
import { ellipse } from '../map/marks.ts';
import { greyed, grey } from '../map/palette.ts';
import type { Robot, State } from '../wire.ts';

test('a missing number is a dash and minus is a minus', () => {
  assert.equal(metres(null), '–');
  assert.equal(metres(-0.2), '−0.20');
  assert.equal(metres(-0.001), '0.00');
});

test('a turn has its sign, left is plus', () => {
  assert.equal(turn(0.2443), '+14');
  assert.equal(turn(-0.2443), '−14');
  assert.equal(turn(0.005), '0');
});

test('a heading is 0 to 359', () => {
  assert.equal(heading(-0.1222), '353');
  assert.equal(heading(-0.001), '0');
  assert.equal(heading(Math.PI), '180');
});

test('the place is good below 8, fair below 20, poor below 50 cm of two sigma', () => {
  assert.deepEqual(
    [0.079, 0.08, 0.199, 0.2, 0.499, 0.5].map((s) => quality(s, 'OK')),
    ['good', 'fair', 'fair', 'poor', 'poor', 'lost'],
  );
});

test('the word and the number of a doubted place agree', () => {
  assert.deepEqual(
    [0.04, 0.3, 0.6].map((s) => quality(s, 'UNSURE')),
    ['unsure', 'unsure', 'lost'],
  );
  assert.equal(quality(0.04, 'LOST'), 'lost');
  assert.equal(spread(0.08, 0.05, 'UNSURE'), '±8 cm if right');
  assert.equal(spread(1.24, 0.05, 'LOST'), '±1.2 m if right');
  assert.equal(spread(0.08, 0.05, 'OK'), '±8 cm, ±2.9°');
});

test('two sigma is taken along the long axis of the ellipse', () => {
  const [place, angle] = sureness([0.0004, 0, 0.0001, 0.0004]);
  assert.ok(Math.abs(place - 0.04) < 1e-12 && Math.abs(angle - 0.04) < 1e-12);
  const [major, minor, dir] = ellipse(0.0025, 0.0015, 0.0025);
  assert.ok(
    Math.abs(major - Math.sqrt(0.004)) < 1e-12 &&
      Math.abs(minor - Math.sqrt(0.001)) < 1e-12 &&
      Math.abs(dir - Math.PI / 4) < 1e-12,
  );
});

test('a side is named by its direction', () => {
  assert.deepEqual([0, -Math.PI / 2, Math.PI, Math.PI / 3, null].map(side), [
    'front',
    'right',
    'rear',
    'left front',
    '',
  ]);
});

test('without sonars the nearest echo of the lidar in each sector counts', () => {
  const at = (scan: number[], ranges: (number | null)[] = []) =>
    rangesOf({ ranges, scan, pose: [1, 2, Math.PI / 2] } as unknown as State);
  assert.deepEqual(
    at([100, 500, 102, 350, -100, 200, 99, 100]).map((r) => r && Number(r.toFixed(2))),
    [1.5, null, null, 2, null, null, 1, null, null, null, null, null],
  );
  assert.deepEqual(at([100, 500], [2.31, null]), [2.31, null]);
});

test('the sensors of the position are the lidar, or else the sonars', () => {
  const robot = { sonars: Array(12).fill([0, 0, 0]) } as unknown as Robot;
  const made = { wheels: true, compass: true, sonars: 9 };
  assert.equal(rangersOf(made, robot), 'Sonar 9/12');
  assert.equal(rangersOf({ ...made, sonars: 0 }, robot), '');
  assert.equal(rangersOf({ ...made, lidars: 1 }, robot), 'Lidar');
  assert.equal(rangersOf({ ...made, sonars: 0, lidars: 1 }, robot), 'Lidar');
});

test('near is amber, nearer is red', () => {
  assert.deepEqual(
    [null, 1.25, 1.2, 0.75, 0.7].map((r) => alarm(r, 1.25, 0.75)),
    ['', '', 'warn', 'warn', 'danger'],
  );
});

test('grey takes the colour and keeps the alpha', () => {
  assert.match(grey('#2bd9c2'), /^#(..)\1\1$/);
  assert.match(grey('#ffffff08'), /^#(..)\1\1(?:08)$/);
  assert.match(grey('#fff'), /^#(..)\1\1$/);
  assert.equal(grey('red'), 'red');
  assert.notEqual(greyed({ robot: '#2bd9c2' } as never).robot, '#2bd9c2');
});
