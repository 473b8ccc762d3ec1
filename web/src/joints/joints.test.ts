import assert from 'node:assert/strict';
import test from 'node:test';
import vectors from '../../../robot/testdata/links.json';
import { driver, state, watcher, welcome } from '../testing.ts';
import { bodyOf, marksOf, type Outline, outlineOf, outlinesOf, placeLinks } from './kinematics.ts';
import { describe, type Joint, rangeOf, whyNot } from './view.ts';

test('links are where the robot has them', () => {
  for (const { links, joints, cases } of vectors)
    for (const { at, placed } of cases) {
      const got = placeLinks(links, joints as unknown as Parameters<typeof placeLinks>[1], at);
      assert.equal(got.length, placed.length);
      got.forEach((p, i) =>
        p.forEach((x, k) => assert.ok(Math.abs(x - (placed[i]?.[k] ?? NaN)) < 1e-9, `${links[i]?.name} ${k}`)),
      );
    }
});

test('the outline of points is convex and leaves nothing out', () => {
  const outline = outlineOf([
    [0, 0],
    [1, 0],
    [0.5, 0.5],
    [1, 1],
    [0, 1],
    [0.5, 0],
  ]);
  assert.deepEqual(outline, [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ]);
});

const box = { kind: 'box' as const, origin: [0, 0, 0, 0, 0, 0], size: [0.4, 0.2, 0.1], color: '#112233' };
const links = [
  { name: 'base_link', parent: '', origin: [0, 0, 0, 0, 0, 0], shapes: [box] },
  {
    name: 'ball',
    parent: 'base_link',
    origin: [1, 0, 2, 0, 0, 0],
    shapes: [{ ...box, kind: 'sphere' as const, size: [0.5] }],
  },
];

test('shapes are seen from above and from the side, the farthest first', () => {
  const extent = ({ points }: Outline) => [
    Math.min(...points.map((p) => p[0])),
    Math.max(...points.map((p) => p[0])),
    Math.min(...points.map((p) => p[1])),
    Math.max(...points.map((p) => p[1])),
  ];
  const placed = placeLinks(links, [], []);
  const [low, high] = outlinesOf(links, placed, false).map(extent);
  assert.deepEqual(low, [-0.2, 0.2, -0.1, 0.1]);
  assert.deepEqual(
    high?.map((x) => Math.round(1e6 * x) / 1e6),
    [0.5, 1.5, -0.5, 0.5],
  );
  assert.deepEqual(outlinesOf(links, placed, true).map(extent)[0], [-0.2, 0.2, -0.05, 0.05]);
});

test('sensors are where they sit, and the camera looks where the head does', () => {
  const head = { x: 0.1, z: 0.9, pan: [-2, 2], tilt: [-1, 1], speed: 1, forward: 0, width: 640, height: 480, field: 1 };
  const robot = {
    ...welcome().robot,
    wheel_radius: 0.1,
    sonars: [[0.2, 0, 0] as [number, number, number], [0, 0.2, Math.PI / 2] as [number, number, number]],
    sonar_heights: [null, 0.3],
    lidars: [{ pose: [0.1, 0, Math.PI] as [number, number, number], height: 0.6 }],
    head: head as unknown as NonNullable<ReturnType<typeof welcome>['robot']['head']>,
  };
  const seen = (side: boolean) =>
    marksOf(robot, [Math.PI / 2, 0.5], side).map(({ kind, at, to }) => [
      kind,
      ...[...at, ...to].map((x) => Math.round(100 * x) / 100 + 0),
    ]);
  assert.deepEqual(seen(false), [
    ['wheel', -0.08, 0.21, 1, 0],
    ['wheel', -0.08, -0.21, 1, 0],
    ['sonar', 0.2, 0, 1, 0],
    ['sonar', 0, 0.2, 0, 1],
    ['lidar', 0.1, 0, -1, 0],
    ['camera', 0.1, 0, 0, 0.88],
  ]);
  assert.deepEqual(seen(true), [
    ['wheel', -0.08, 0.1, 1, 0],
    ['sonar', 0, 0.3, 0, 0],
    ['lidar', 0.1, 0.6, -1, 0],
    ['camera', 0.1, 0.9, 0, 0.48],
  ]);
});

test('a robot whose links do not show its body is drawn by its hull, its height and its wheels', () => {
  const plain = welcome().robot;
  assert.deepEqual(bodyOf(plain, false)[0]?.points, plain.hull);
  assert.deepEqual(bodyOf(plain, true)[0]?.points, [
    [-0.26, 0],
    [0.26, 0],
    [0.26, 0.75],
    [-0.26, 0.75],
  ]);
  assert.deepEqual(
    marksOf(plain, [0, 0], true).map(({ kind, at }) => [kind, ...at.map((x) => x + 0)]),
    [['wheel', -0.08, 0]],
    'a wheel whose size is not known is where it touches the floor',
  );
  const bare = links.map((link) => ({ ...link, shapes: link.parent === '' ? [] : link.shapes }));
  assert.equal(bodyOf({ ...plain, links: bare }, true).length, 1, 'an arm that was added to it');
  assert.deepEqual([bodyOf({ ...plain, links }, true), marksOf({ ...plain, links }, [0, 0], false)], [[], []]);
});

const joint: Joint = { name: 'a', link: 'ball', kind: 'turn', axis: [0, 0, 1], min: -1, max: 2, speed: 1, home: 0 };
const at = { at: [0.5], to: [null], held: '', outside: '' };
const here = (patch: Parameters<typeof driver>[0] = {}) =>
  driver({ robot: { ...welcome().robot, links, joints: [joint] }, state: state({ joints: at }), ...patch });

test('who may not move a joint is told why', () => {
  const stop = { by: 'Ana', id: 1, at: '' };
  const base = { up: false, why: '', since: '', malformed: 0, restarts: 0, rtt_ms: null, gone: [] };
  assert.equal(whyNot(here(), 0), '');
  assert.equal(whyNot(here({ stop }), 0), 'The robot is stopped.');
  assert.equal(whyNot(here({ you: 2 }), 0), 'Ana has control.');
  assert.equal(whyNot(here({ holder: null }), 0), 'Take control to move it.');
  assert.equal(whyNot(here({ role: 'observer' }), 0), 'You are here as an observer.');
  assert.equal(whyNot(here({ passing: { to: 2 } }), 0), 'Control is changing hands.');
  assert.equal(whyNot(here({ conn: 'lost' }), 0), 'No contact with the robot.');
  assert.equal(whyNot(here({ state: state({ joints: at, base }) }), 0), 'Nothing comes from the base.');
  assert.equal(
    whyNot(here({ state: state({ joints: { ...at, at: [null] } }) }), 0),
    'The base does not say where it is.',
  );
  assert.notEqual(whyNot(watcher(), 0), '');
  const arm = [{ part: 'arm' as const, id: 2, loan: 3 }];
  assert.equal(whyNot(here({ you: 2, loans: arm }), 0), '', 'who has borrowed the arm moves it');
  assert.equal(whyNot(here({ you: 2, loans: arm, stop }), 0), 'The robot is stopped.');
});

test('a position has the unit that people read', () => {
  assert.equal(describe(joint, -Math.PI / 2), '−90°');
  assert.equal(describe({ ...joint, kind: 'slide' }, 0.0314), '0.031 m');
  assert.equal(describe(joint, null), '–');
  assert.deepEqual(rangeOf(joint), [-1, 2]);
  assert.deepEqual(rangeOf({ ...joint, min: null, max: null, home: 0 }), [-2 * Math.PI, 2 * Math.PI]);
});
