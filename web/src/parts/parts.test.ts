import assert from 'node:assert/strict';
import test from 'node:test';
import { isBlind, lacksOf, whyByHand } from './lacks.ts';
import { rowsOf } from './list.ts';
import { hintOf } from '../drive/hint.ts';
import { driver, state, welcome } from '../testing.ts';
import type { Part, Robot } from '../wire.ts';

const all: Part[] = [
  'sonars',
  'lidars',
  'compass',
  'bumper',
  'ok_switch',
  'head',
  'speaker',
  'display',
  'battery',
  'encoder',
  'camera',
  'map',
];
const robot = (parts: Part[]): Robot => ({ ...welcome().robot, parts });
const but = (...parts: Part[]) => robot(all.filter((p) => !parts.includes(p)));

test('nothing is hidden before the robot is known, nor of one that has everything', () => {
  for (const r of [null, robot(all)]) {
    assert.equal(lacksOf(r), '');
    assert.equal(whyByHand(r), '');
  }
});

test('one kind of range finder is enough to drive by itself', () => {
  assert.equal(lacksOf(but('lidars')), 'lidars');
  assert.equal(lacksOf(but('sonars', 'compass')), 'sonars compass');
  assert.equal(isBlind(but('sonars')), false);
});

test('a robot that sees nothing, or knows no map, is driven by hand, and says why', () => {
  assert.equal(lacksOf(but('sonars', 'lidars')), 'sonars lidars ranges goto');
  assert.match(whyByHand(but('sonars', 'lidars')), /sees no obstacles/);
  assert.equal(lacksOf(but('map')), 'map goto');
  assert.match(whyByHand(but('map')), /no map/);
  const car = { ...but(), turning_radius: 0.8 };
  assert.equal(lacksOf(car), 'goto');
  assert.match(whyByHand(car), /like a car/);
  const idle = hintOf(driver({ robot: but('sonars', 'lidars') }), null, null, false);
  assert.match(`${idle.strong} ${idle.text}`, /^This robot sees no obstacles\. Hold W A S D/);
});

test('the list says of each part whether it is there, and what is different without it', () => {
  const bare = rowsOf(driver({ robot: robot([]) }));
  assert.equal(bare.length, all.length);
  for (const row of bare) assert.ok(row.state === 'lacking' && /\.$/.test(row.note), row.name);
  const full = rowsOf(driver({ robot: robot(all) }));
  assert.ok(full.every((row) => row.state === 'here' && row.note === ''));
  const names = rowsOf(driver({ robot: but('lidars', 'battery') })).map((r) => `${r.name} ${r.state}`);
  assert.ok(!names.some((n) => n.startsWith('Lidar')), 'who has sonars misses no lidar');
  assert.ok(names.includes('Battery lacking'));
});

test('a part of a composite robot that is out of reach stands first', () => {
  const base = { up: true, why: '', since: '', malformed: 0, restarts: 0, rtt_ms: null, gone: ['front lidar'] };
  const [first] = rowsOf(driver({ robot: robot(all), state: state({ base }) }));
  assert.deepEqual(first, { name: 'front lidar', state: 'gone', note: 'Out of reach.' });
});
