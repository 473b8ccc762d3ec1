// Aim: the press, drag and release that choose a pose on the map. It is pure: it gets pointers and poses
// and returns poses. A press gives the position, a drag from there the heading; pin and tip of an existing
// pose can be dragged.
import type { Touch } from '../map/stage.ts';
import { wrap } from '../virtualrobot/step.ts';
import type { Point, Pose } from '../wire.ts';

export const DIAL = 92; // px, the dial's radius
export const TICK = Math.PI / 12; // rad between its ticks
export const SAID_MS = 600; // what arrow keys move is announced when it rests this long
export const LIFT = 44; // px that the pin is above a finger, so that it can be seen
const DRAG = 12; // px; a shorter drag is a click
const PIN = 20; // px from the pin's centre
const TIP = 22; // px from the arrow's tip
const RING = 26; // px on both sides of the dial
const CLUMSY = 10; // px more for a finger

export interface Aim {
  way: 'place' | 'pin' | 'turn';
  pose: Pose;
  press: Point; // px, where the pointer went down
  off: Point; // m, from the pointer to the pin
  far: boolean; // it has moved farther than a click
}

// grasp returns what a press starts, or null: shown is the pose on the map and pin its place in px, tool
// means that a press gives a new position, and heading is its first heading.
export function grasp(
  touch: Touch,
  at: (x: number, y: number) => Point,
  shown: { pose: Pose; pin: Point } | null,
  tool: boolean,
  heading: number,
): Aim | null {
  const more = touch.finger ? CLUMSY : 0;
  const press: Point = [touch.x, touch.y];
  if (shown !== null) {
    const { pose, pin } = shown;
    const [x, y] = [touch.x - pin[0], touch.y - pin[1]];
    const tip = Math.hypot(x - DIAL * Math.cos(pose[2]), y + DIAL * Math.sin(pose[2]));
    if (tip <= TIP + more) return { way: 'turn', pose, press, off: [0, 0], far: false };
    const away = Math.hypot(x, y);
    if (away <= PIN + more)
      return { way: 'pin', pose, press, off: [pose[0] - touch.at[0], pose[1] - touch.at[1]], far: false };
    if (Math.abs(away - DIAL) <= RING + more)
      return { way: 'turn', pose: turned(pose, x, y, touch.shift), press, off: [0, 0], far: true };
  }
  if (!tool) return null;
  const [px, py] = touch.finger ? at(touch.x, touch.y - LIFT) : touch.at;
  return { way: 'place', pose: [centi(px), centi(py), heading], press, off: [0, 0], far: false };
}

// drag follows the pointer; pin is the present place of the pose on the canvas, in px.
export function drag(aim: Aim, touch: Touch, pin: Point): Aim {
  const way = Math.hypot(touch.x - aim.press[0], touch.y - aim.press[1]);
  const far = aim.far || way >= DRAG;
  if (!far) return aim;
  switch (aim.way) {
    case 'place':
      // Within the distance of a click the direction is noise, so the heading remains.
      if (way < DRAG) return { ...aim, far };
      return { ...aim, far, pose: turned(aim.pose, touch.x - aim.press[0], touch.y - aim.press[1], touch.shift) };
    case 'pin':
      return { ...aim, far, pose: [centi(touch.at[0] + aim.off[0]), centi(touch.at[1] + aim.off[1]), aim.pose[2]] };
    case 'turn':
      return { ...aim, far, pose: turned(aim.pose, touch.x - pin[0], touch.y - pin[1], touch.shift) };
  }
}

// nudge moves a pose by a key: 10 cm, with Shift 1 m; Q and E turn it by 15 degrees. Null: the key does
// nothing.
export function nudge([x, y, theta]: Pose, code: string, shift: boolean): Pose | null {
  const way = ARROWS[code];
  const step = shift ? 1 : 0.1;
  if (way !== undefined) return [centi(x + way[0] * step), centi(y + way[1] * step), theta];
  if (code === 'KeyQ' || code === 'KeyE')
    return [x, y, whole(Math.round(theta / TICK + (code === 'KeyQ' ? 1 : -1)) * TICK)];
  return null;
}

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function turned([x, y]: Pose, dx: number, dy: number, snap: boolean): Pose {
  const theta = Math.atan2(-dy, dx);
  return [x, y, whole(snap ? Math.round(theta / TICK) * TICK : theta)];
}

// neat rounds a pose to whole centimetres and degrees, so that the page sends what it shows.
export function neat([x, y, theta]: Pose): Pose {
  return [centi(x), centi(y), whole(theta)];
}

function whole(theta: number): number {
  return wrap((Math.round((theta * 180) / Math.PI) * Math.PI) / 180);
}

function centi(metres: number): number {
  return Math.round(metres * 100) / 100;
}
