import assert from 'node:assert/strict';
import test from 'node:test';
import { type Aim, DIAL, drag, grasp, LIFT, neat, nudge } from './aim.ts';
import type { Touch } from '../map/stage.ts';
import type { Point, Pose } from '../wire.ts';

// The canvas of these tests shows 50 px/m with the world's origin in its lower left corner, 800 px down.
const at = (x: number, y: number): Point => [x / 50, (800 - y) / 50];
const touch = (x: number, y: number, more: Partial<Touch> = {}): Touch => ({
  x,
  y,
  at: at(x, y),
  shift: false,
  finger: false,
  ...more,
});
const deg = (theta: number) => Math.round((theta * 180) / Math.PI) + 0; // no -0
const pinOf = ([x, y]: Pose): Point => [x * 50, 800 - y * 50];
const held = (a: Aim | null): Aim => {
  assert.ok(a, 'the press did nothing');
  return a;
};

test('a press sets the place and a drag from there the heading', () => {
  const press = held(grasp(touch(600, 600), at, null, true, 0.5));
  assert.deepEqual([press.way, press.pose, press.far], ['place', [12, 4, 0.5], false]);
  for (const [dx, dy, want] of [
    [60, 0, 0],
    [0, -60, 90],
    [-60, 0, 180],
    [0, 60, -90],
    [-40, 40, -135],
  ] as const) {
    const { pose, far } = drag(press, touch(600 + dx, 600 + dy), pinOf(press.pose));
    assert.deepEqual([pose[0], pose[1], deg(pose[2]), far], [12, 4, want, true], `${dx} ${dy}`);
  }
});

test('a drag under 12 px keeps the heading', () => {
  const press = held(grasp(touch(600, 600), at, null, true, 0.5));
  assert.deepEqual(drag(press, touch(608, 608), pinOf(press.pose)), press);
  const far = drag(press, touch(640, 600), pinOf(press.pose));
  assert.equal(
    drag(far, touch(605, 595), pinOf(press.pose)).pose,
    far.pose,
    'back over the pin the direction is noise',
  );
});

test('Shift snaps to 15 degrees', () => {
  const press = held(grasp(touch(600, 600), at, null, true, 0));
  for (const [x, y, want] of [
    [700, 575, 15],
    [700, 590, 0],
    [590, 500, 90],
    [520, 640, -150],
  ] as const) {
    assert.equal(deg(drag(press, touch(x, y, { shift: true }), pinOf(press.pose)).pose[2]), want);
  }
});

test('the pin of a finger is above it', () => {
  const press = held(grasp(touch(600, 600, { finger: true }), at, null, true, 0));
  assert.deepEqual(press.pose.slice(0, 2), [12, Math.round((200 + LIFT) * 2) / 100]);
  assert.equal(deg(drag(press, touch(660, 600, { finger: true }), pinOf(press.pose)).pose[2]), 0);
});

test('without the tool only the pin, the arrow and the dial of what is shown can be grasped', () => {
  const pose: Pose = [12, 4, Math.PI / 2];
  const shown = { pose, pin: pinOf(pose) };
  const way = (x: number, y: number, tool: boolean) => grasp(touch(x, y), at, shown, tool, 0)?.way ?? null;
  assert.equal(way(605, 605, false), 'pin');
  assert.equal(way(600, 600 - DIAL, false), 'turn');
  assert.equal(way(600 + DIAL, 600, false), 'turn');
  assert.equal(way(640, 600, false), null, 'between pin and dial');
  assert.equal(way(900, 600, false), null);
  assert.equal(way(900, 600, true), 'place');
});

test('the pin is dragged by where it was taken, and keeps its heading', () => {
  const pose: Pose = [12, 4, 1];
  const aim = held(grasp(touch(605, 595), at, { pose, pin: pinOf(pose) }, false, 0));
  assert.deepEqual(drag(aim, touch(705, 545), pinOf(pose)).pose, [14, 5, 1]);
  assert.equal(drag(aim, touch(608, 599), pinOf(pose)), aim, 'a click moves nothing');
});

test('a click on the dial is a heading', () => {
  const pose: Pose = [12, 4, 0];
  const aim = held(grasp(touch(600, 600 - DIAL), at, { pose, pin: pinOf(pose) }, true, 0));
  assert.deepEqual([deg(aim.pose[2]), aim.far], [90, true]);
  assert.equal(deg(drag(aim, touch(600 - DIAL, 600), pinOf(pose)).pose[2]), 180);
});

test('the arrow is turned by its tip', () => {
  const pose: Pose = [12, 4, 0];
  const aim = held(grasp(touch(600 + DIAL + 5, 600), at, { pose, pin: pinOf(pose) }, false, 0));
  assert.equal(aim.far, false, 'a click on the tip changes nothing');
  assert.equal(deg(drag(aim, touch(600, 700), pinOf(pose)).pose[2]), -90);
});

test('keys move by 10 cm, with Shift by 1 m, and turn by 15 degrees', () => {
  const pose: Pose = [12, 4, 0];
  assert.deepEqual(nudge(pose, 'ArrowUp', false), [12, 4.1, 0]);
  assert.deepEqual(nudge(pose, 'ArrowLeft', true), [11, 4, 0]);
  assert.equal(deg(nudge(pose, 'KeyQ', false)?.[2] ?? NaN), 15);
  assert.equal(deg(nudge([12, 4, 0.3], 'KeyE', false)?.[2] ?? NaN), 0);
  assert.equal(nudge(pose, 'KeyW', false), null);
  let turned = pose;
  for (let i = 0; i < 24; i++) turned = nudge(turned, 'KeyQ', false) ?? pose;
  assert.ok(Math.abs(turned[2]) < 1e-9, 'a whole turn leads back');
});

test('what is shown is what is sent: whole centimetres and degrees', () => {
  const [x, y, theta] = neat([12.1049, 3.3451, 3.7524579]);
  assert.deepEqual([x, y, deg(theta)], [12.1, 3.35, -145]);
  assert.ok(Math.abs(theta + (145 * Math.PI) / 180) < 1e-9);
});
