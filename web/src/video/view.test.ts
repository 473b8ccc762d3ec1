import assert from 'node:assert/strict';
import test from 'node:test';
import { applied, band, clampAngles, coverOf, css, homography, project, turned, viewOf } from './view.ts';
import type { Head } from '../wire.ts';

const head: Head = {
  x: 0.1,
  z: 0.95,
  pan: [-2, 2],
  tilt: [-0.8, 0.5],
  speed: 1,
  forward: 0.05,
  width: 640,
  height: 480,
  field: (80 * Math.PI) / 180,
};

test('a point of the floor straight ahead is seen below the middle by the camera height over its distance', () => {
  const v = viewOf(head, [0, 0], [2, 3, Math.PI / 2]);
  const p = project(v, [2, 3 + 0.15 + 4]);
  assert.ok(p !== null);
  assert.ok(Math.abs(p[0] - 320) < 1e-9);
  assert.ok(Math.abs(p[1] - (240 + (v.focal * 0.95) / 4)) < 1e-9);
});

test('what is to the left is seen left, and what is behind is not seen', () => {
  const v = viewOf(head, [0, 0], [0, 0, 0]);
  assert.ok((project(v, [3, 1])?.[0] ?? 640) < 320);
  assert.equal(project(v, [-1, 0]), null);
});

test('panning left moves the picture to the right by as much as the robot turning left', () => {
  const pan = project(viewOf({ ...head, x: 0, forward: 0 }, [0.3, 0], [0, 0, 0]), [3, 1]);
  const turn = project(viewOf({ ...head, x: 0, forward: 0 }, [0, 0], [0, 0, 0.3]), [3, 1]);
  assert.deepEqual(
    pan?.map((x) => x.toFixed(6)),
    turn?.map((x) => x.toFixed(6)),
  );
});

test('a turned picture shows every point of the floor where the turned camera sees it', () => {
  const v = viewOf(head, [0.2, -0.3], [1, 2, 0.7]);
  const to = turned(v, [0.2, -0.3], { yaw: 0.25, tilt: 0.1 });
  const m = homography(v, to);
  for (const at of [
    [3, 4],
    [2, 5],
    [4, 3.5],
  ] as [number, number][]) {
    const a = project(v, at);
    const b = project(to, at);
    assert.ok(a !== null && b !== null);
    const c = applied(m, a);
    assert.ok(Math.hypot(c[0] - b[0], c[1] - b[1]) < 1e-6, `${c} is not ${b}`);
  }
});

test('no turn is no transform', () => {
  const v = viewOf(head, [0.2, -0.3], [1, 2, 0.7]);
  const m = homography(v, turned(v, [0.2, -0.3], { yaw: 0, tilt: 0 }));
  for (const p of [
    [0, 0],
    [640, 480],
    [100, 300],
  ] as [number, number][])
    assert.ok(Math.hypot(applied(m, p)[0] - p[0], applied(m, p)[1] - p[1]) < 1e-6);
  assert.match(css(m, 0.5), /^matrix3d\(1\.0+,-?0\.0+,0\.0+,/);
});

test('a band of the floor is as wide as it is, and is cut where it passes under the camera', () => {
  const v = viewOf(head, [0, -0.2], [0, 0, 0]);
  const line = Array.from({ length: 41 }, (_, i): [number, number] => [-1 + i * 0.1, 0]);
  const outline = band(v, line, 0.45);
  assert.ok(outline !== null);
  const far = outline[outline.length / 2 - 1];
  const near = outline[0];
  assert.ok(far !== undefined && near !== undefined && near[1] > far[1]);
  assert.deepEqual(
    far.map((x) => x.toFixed(3)),
    project(v, [3, 0.225])?.map((x) => x.toFixed(3)),
  );
  assert.equal(
    band(
      v,
      [
        [-3, 0],
        [-2, 0],
      ],
      0.45,
    ),
    null,
  );
});

test('a picture covers the glass and is cut evenly where the glass is narrower or lower', () => {
  assert.deepEqual(coverOf({ w: 320, h: 480 }, head), { k: 1, x: -160, y: 0, w: 320, h: 480 });
  assert.deepEqual(coverOf({ w: 1280, h: 480 }, head), { k: 2, x: 0, y: -240, w: 1280, h: 480 });
});

test('the head is asked for no angle that it cannot reach', () => {
  assert.deepEqual(clampAngles([3, -1], head), [2, -0.8]);
  assert.deepEqual(clampAngles([-0.5, 0.2], head), [-0.5, 0.2]);
});
