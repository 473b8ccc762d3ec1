import assert from 'node:assert/strict';
import test from 'node:test';
import { Camera, type Scene } from './camera.ts';
import type { SavedView } from './saved-view.ts';
import { toScreen } from './view.ts';

const scene: Scene = { bounds: [0, 0, 24, 16], robot: [3, 4, 0] };
const unseen: Scene = { ...scene, robot: null };

// cameraOn is a camera of a map of 1000 by 800 px whose changes are immediate, or eased with eases.
function cameraOn({ saved = null, eases = false }: { saved?: SavedView | null; eases?: boolean } = {}): Camera {
  const camera = new Camera(saved, () => eases);
  camera.resize(1000, 800);
  return camera;
}

function near(a: readonly number[], b: readonly number[]): void {
  assert.ok(
    a.length === b.length && a.every((n, i) => Math.abs(n - (b[i] ?? NaN)) < 1e-9),
    `${a.join()} is not ${b.join()}`,
  );
}

test('the map shows the whole floor until the robot is seen, then it follows the robot', () => {
  const camera = cameraOn();
  near([camera.step(0, unseen).scale], [1000 / 24]);
  camera.meetRobot(1);
  assert.equal(camera.mode, 'follow');
  near(toScreen(camera.step(1, scene), 3, 4), [420, 400]);
});

test('what a person chose before the robot was seen stays', () => {
  const camera = cameraOn();
  camera.choose('floor', 0);
  camera.meetRobot(1);
  assert.equal(camera.mode, 'floor');
});

test('a small map follows the robot from farther away', () => {
  const scales = [1000, 400].map((width) => {
    const camera = cameraOn();
    camera.resize(width, 500);
    camera.step(0, { ...unseen, bounds: [0, 0, 100, 50] });
    camera.meetRobot(0);
    return camera.step(0, scene).scale;
  });
  assert.deepEqual(scales, [92, 58]);
});

test('a follow keeps a scale that is near enough', () => {
  const camera = cameraOn();
  camera.step(0, { ...unseen, bounds: [0, 0, 10, 8] });
  camera.choose('follow', 0);
  assert.equal(camera.step(0, scene).scale, 100);
});

test('a drag ends the follow and moves the picture with the pointer', () => {
  const camera = cameraOn();
  camera.choose('follow', 0);
  const before = toScreen(camera.step(0, scene), 3, 4);
  camera.panBy(30, -20);
  assert.equal(camera.mode, 'free');
  near(toScreen(camera.step(1, scene), 3, 4), [before[0] + 30, before[1] - 20]);
});

test('a robot that is followed stays where it is while a person zooms', () => {
  const camera = cameraOn();
  camera.choose('follow', 0);
  const before = camera.step(0, scene);
  camera.zoomAt(1.5, 900, 700);
  const after = camera.step(0, scene);
  near(toScreen(after, 3, 4), toScreen(before, 3, 4));
  near([after.scale], [before.scale * 1.5]);
  camera.zoomMiddle(9, 0);
  near([camera.step(0, scene).scale], [250]); // the largest
  assert.equal(camera.mode, 'follow');
});

test('presses that zoom add up, in the middle of what lies free', () => {
  const camera = cameraOn({ eases: true });
  camera.free = { left: 200, top: 0, right: 0, bottom: 100 };
  const whole = camera.step(0, scene);
  const [x, y] = [whole.x + (600 - 500) / whole.scale, whole.y - (350 - 400) / whole.scale];
  camera.zoomMiddle(1.3, 0);
  camera.zoomMiddle(1.3, 0.05);
  const after = camera.step(1, scene);
  near([after.scale], [whole.scale * 1.69]);
  near(toScreen(after, x, y), [600, 350]);
  assert.equal(camera.mode, 'free');
});

test('a change eases for a fifth of a second and is not repeated', () => {
  const camera = cameraOn({ eases: true });
  camera.resize(1000, 800);
  const hall: Scene = { ...scene, bounds: [0, 0, 48, 32] };
  camera.step(0, hall);
  camera.choose('follow', 10);
  const start = camera.step(10, hall).scale;
  const middle = camera.step(10.1, hall).scale;
  assert.ok(camera.easing && middle > start, `${start} to ${middle}`);
  const end = camera.step(10.25, hall);
  assert.ok(!camera.easing && end.scale > middle);
  near(toScreen(end, 3, 4), [420, 400]);
});

test('a map that grows while it eases has its new size at once', () => {
  const camera = cameraOn({ eases: true });
  camera.step(0, scene);
  camera.choose('follow', 0);
  camera.resize(1200, 900);
  const { width, height } = camera.step(0.1, scene);
  assert.deepEqual([width, height], [1200, 900]);
});

test('an overview takes the place of a follow and gives it back', () => {
  const camera = cameraOn();
  camera.choose('follow', 0);
  assert.ok(camera.overview(true, 0));
  assert.equal(camera.mode, 'floor');
  assert.ok(!camera.overview(true, 0), 'it is shown already');
  assert.ok(camera.overview(false, 0));
  assert.equal(camera.mode, 'follow');
});

test('an overview leaves what a person chose alone', () => {
  const camera = cameraOn();
  camera.panBy(1, 1);
  assert.ok(!camera.overview(true, 0) && !camera.overview(false, 0));
  assert.equal(camera.mode, 'free');
  camera.choose('follow', 0);
  camera.overview(true, 0);
  camera.choose('floor', 0); // now a person selects the floor
  assert.ok(!camera.overview(false, 0));
  assert.equal(camera.mode, 'floor');
});

test('cards that come move the whole floor, and not what a person moved', () => {
  const camera = cameraOn();
  const before = camera.step(0, scene);
  camera.free = { left: 400, top: 0, right: 0, bottom: 0 };
  camera.refit(1);
  const fitted = camera.step(1, scene);
  assert.ok(fitted.scale < before.scale);
  camera.panBy(10, 0);
  const moved = camera.step(2, scene);
  camera.free = { left: 0, top: 0, right: 0, bottom: 0 };
  camera.refit(3);
  assert.deepEqual(camera.step(3, scene), moved);
});

test('a place that lies under cards or outside comes 40 px into what lies free', () => {
  const camera = cameraOn();
  camera.choose('follow', 0);
  camera.step(0, scene);
  camera.free = { left: 100, top: 0, right: 0, bottom: 300 };
  camera.reveal(scene, [3, 4]);
  assert.equal(camera.mode, 'follow', 'it was to be seen');
  camera.reveal(scene, [-20, -20]);
  near(toScreen(camera.step(1, scene), -20, -20), [140, 460]);
});

test('what is shown is stored and shown again', () => {
  const first = cameraOn();
  first.choose('follow', 0);
  first.zoomAt(0.5, 0, 0);
  first.step(0, scene);
  first.panBy(55, 66);
  const again = cameraOn({ saved: first.saved() });
  assert.deepEqual(again.step(0, scene), first.step(0, scene));
  again.meetRobot(1);
  assert.equal(again.mode, 'free', 'the robot does not take the view away');
});

test('a follow is stored with its scale', () => {
  const first = cameraOn();
  first.choose('follow', 0);
  first.zoomAt(3, 0, 0);
  first.step(0, scene);
  const again = cameraOn({ saved: first.saved() });
  assert.deepEqual(again.step(0, scene), first.step(0, scene));
});
