// Kinematics: the poses of the robot's links at given joint positions, like robot.PlaceLinks; the tests
// compare both to 1e-9 with robot/testdata/links.json. And the outlines of their shapes from above and from
// the side. Lengths are metres, angles radians. Pure.
import { boxOf } from '../hull.ts';
import type { Point, Pose, Robot } from '../wire.ts';

type Links = NonNullable<Robot['links']>;
type Joints = NonNullable<Robot['joints']>;
type Shape = Links[number]['shapes'][number];
export type Vector = [x: number, y: number, z: number];

// Placement is a rotation by rows, then a place.
export type Placement = number[];

const UNPLACED: Placement = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

export function apply(p: Placement, [x, y, z]: Vector): Vector {
  const row = (i: number) => (p[3 * i] ?? 0) * x + (p[3 * i + 1] ?? 0) * y + (p[3 * i + 2] ?? 0) * z + (p[9 + i] ?? 0);
  return [row(0), row(1), row(2)];
}

function compose(p: Placement, q: Placement): Placement {
  const out: Placement = [];
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      out.push([0, 1, 2].reduce((sum, k) => sum + (p[3 * i + k] ?? 0) * (q[3 * k + j] ?? 0), 0));
  return [...out, ...apply(p, [q[9] ?? 0, q[10] ?? 0, q[11] ?? 0])];
}

export function placementOf(origin: readonly number[]): Placement {
  const [x = 0, y = 0, z = 0, roll = 0, pitch = 0, yaw = 0] = origin;
  const p = compose(compose(turn([0, 0, 1], yaw), turn([0, 1, 0], pitch)), turn([1, 0, 0], roll));
  return [...p.slice(0, 9), x, y, z];
}

// turn is Rodrigues' rotation formula.
function turn([x, y, z]: Vector, angle: number): Placement {
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const d = 1 - c;
  return [
    c + d * x * x,
    d * x * y - s * z,
    d * x * z + s * y,
    d * x * y + s * z,
    c + d * y * y,
    d * y * z - s * x,
    d * x * z - s * y,
    d * y * z + s * x,
    c + d * z * z,
    0,
    0,
    0,
  ];
}

// placeLinks returns the poses of the links in base_link, in order. A joint with an unknown position is at
// home.
export function placeLinks(
  links: readonly Pick<Links[number], 'name' | 'parent' | 'origin'>[],
  joints: readonly Pick<Joints[number], 'link' | 'kind' | 'axis' | 'home'>[],
  at: readonly (number | null)[],
): Placement[] {
  const placed = new Map<string, Placement>();
  const place = (name: string): Placement => {
    const done = placed.get(name);
    if (done) return done;
    const link = links.find((l) => l.name === name);
    if (!link) return UNPLACED;
    let p = link.parent === '' ? UNPLACED : compose(place(link.parent), placementOf(link.origin));
    const i = joints.findIndex((j) => j.link === name);
    const joint = joints[i];
    if (joint) {
      const by = at[i] ?? joint.home;
      const [x, y, z] = joint.axis;
      p = compose(p, joint.kind === 'turn' ? turn([x, y, z], by) : [...UNPLACED.slice(0, 9), x * by, y * by, z * by]);
    }
    placed.set(name, p);
    return p;
  };
  return links.map((l) => place(l.name));
}

const ROUND = Array.from({ length: 24 }, (_, i): Point => [Math.cos((i * Math.PI) / 12), Math.sin((i * Math.PI) / 12)]);

// cornersOf returns points of a shape in its own frame, whose hull contains it.
function cornersOf({ kind, size }: Shape): Vector[] {
  const [a = 0, b = 0, c = 0] = size;
  if (kind === 'box')
    return [-a, a].flatMap((x) => [-b, b].flatMap((y) => [-c, c].map((z): Vector => [x / 2, y / 2, z / 2])));
  if (kind === 'cylinder') return ROUND.flatMap(([x, y]) => [-b, b].map((z): Vector => [a * x, a * y, z / 2]));
  return [];
}

// Outline is a shape in a view: convex, with its nearness to the viewer.
export interface Outline {
  points: Point[];
  near: number;
  color: string;
}

// outlinesOf returns the shapes of the robot from above (x, y) or from its right side (x, z), the farthest
// first.
export function outlinesOf(links: Links, placed: readonly Placement[], side: boolean): Outline[] {
  const flat = ([x, y, z]: Vector): Point => (side ? [x, z] : [x, y]);
  const all = links.flatMap((link, i) =>
    link.shapes.map((shape): Outline => {
      const p = compose(placed[i] ?? UNPLACED, placementOf(shape.origin));
      const middle: Vector = apply(p, [0, 0, 0]);
      const [cx, cy] = flat(middle);
      const [radius = 0] = shape.size;
      const points =
        shape.kind === 'sphere'
          ? ROUND.map(([x, y]): Point => [cx + radius * x, cy + radius * y])
          : outlineOf(cornersOf(shape).map((corner) => flat(apply(p, corner))));
      return { points, near: side ? -middle[1] : middle[2], color: shape.color ?? '' };
    }),
  );
  return all.sort((a, b) => a.near - b.near);
}

// isBodyShown: no link has a shape, so the hull and the height are shown.
function isBodyShown({ links = [] }: Robot): boolean {
  return !links.some((link) => link.parent === '' && link.shapes.length > 0);
}

// bodyOf returns the body from above or from the right side if no link has a shape: it fills its hull from
// the floor up.
export function bodyOf(robot: Robot, side: boolean): Outline[] {
  if (!isBodyShown(robot)) return [];
  const { hull, height } = robot;
  const { back, front } = boxOf(hull);
  const beside: Point[] = [
    [back, 0],
    [front, 0],
    [front, height],
    [back, height],
  ];
  return [{ points: side ? beside : hull, near: -Infinity, color: '' }];
}

// Mark is a sensor or a wheel in a view: its position and its viewing or rolling direction, of length 1 at
// most.
export interface Mark {
  kind: 'sonar' | 'lidar' | 'camera' | 'wheel';
  at: Point;
  to: Point;
  radius?: number; // of a wheel; 0: unknown
}

// wheelsOf returns the wheels of the robot if no link shows them. From the side one hides the other.
function wheelsOf(robot: Robot, side: boolean): Mark[] {
  if (!isBodyShown(robot)) return [];
  const { axle, wheel_base: base, wheel_radius: radius = 0 } = robot;
  const places: Point[] = side
    ? [[-axle, radius]]
    : [
        [-axle, base / 2],
        [-axle, -base / 2],
      ];
  return places.map((at) => ({ kind: 'wheel', at, to: [1, 0], radius }));
}

// marksOf returns the sensors of the robot from above or from its right side, with the head at angles, and
// wheels that are no links. From the side there are only sensors with a known height.
export function marksOf(robot: Robot, [pan, tilt]: readonly [number, number], side: boolean): Mark[] {
  const look = (kind: Mark['kind'], [x, y, theta]: Pose, z: number | null, up = 0): Mark[] => {
    if (side && z === null) return [];
    const [cos, sin] = [Math.cos(theta) * Math.cos(up), Math.sin(theta) * Math.cos(up)];
    return [side ? { kind, at: [x, z ?? 0], to: [cos, Math.sin(up)] } : { kind, at: [x, y], to: [cos, sin] }];
  };
  const { sonars, sonar_heights: heights = [], lidars = [], head } = robot;
  return [
    ...wheelsOf(robot, side),
    ...sonars.flatMap((pose, i) => look('sonar', pose, heights[i] ?? null)),
    ...lidars.flatMap(({ pose, height }) => look('lidar', pose, height)),
    ...(head ? look('camera', [head.x, 0, pan], head.z, tilt) : []),
  ];
}

// outlineOf returns the convex hull of points (Andrew's monotone chain).
export function outlineOf(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (all: readonly Point[]) => {
    const line: Point[] = [];
    for (const p of all) {
      for (;;) {
        const [o, a] = [line.at(-2), line.at(-1)];
        if (!o || !a || (a[0] - o[0]) * (p[1] - o[1]) - (a[1] - o[1]) * (p[0] - o[0]) > 1e-12) break;
        line.pop();
      }
      line.push(p);
    }
    return line.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
