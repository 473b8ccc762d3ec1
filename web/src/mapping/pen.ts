// Pen: drawing on the draft by pointer and keys: lines, rectangles, outlines and poses. It knows corners,
// not edits.
import { boxBetween, shapeOf, type Tool } from './draft.ts';
import { nudge, TICK } from '../goto/aim.ts';
import type { Touch } from '../map/stage.ts';
import type { Point } from '../wire.ts';

const CLICK = 5; // px
const CLOSE = 14; // px from the first corner, at which an outline is closed
const SAME = 0.05; // m from the last corner, at which Enter closes it

export class Pen {
  corners: Point[] = [];
  next: Point | null = null; // after them: the pointer
  cross: Point | null = null; // the cursor of the keys
  box = false; // a rectangle is dragged
  #press: Touch | null = null;

  // drawing: a shape is begun.
  get drawing(): boolean {
    return this.corners.length > 0;
  }

  clear(): void {
    this.corners = [];
    this.next = null;
    this.box = false;
    this.#press = null;
  }

  down(touch: Touch): void {
    this.#press = touch;
    this.cross = null;
  }

  // move follows a drag: a line or a rectangle from the press to the pointer.
  move(tool: Tool, touch: Touch): void {
    if (this.#press === null || !far(this.#press, touch)) return;
    if (this.corners.length === 0) {
      this.corners = [this.#press.at];
      this.box = shapeOf(tool) !== 'line';
    }
    this.next = this.#straight(tool, touch);
  }

  // up ends a press: it returns the corners of a finished shape, or null while more are to come. screen
  // returns the place of a point, in px.
  up(tool: Tool, touch: Touch, screen: (p: Point) => Point): Point[] | null {
    const press = this.#press;
    this.#press = null;
    if (press === null) return null;
    const first = this.corners[0];
    if (far(press, touch) && first !== undefined && this.next !== null) {
      const last = this.next;
      this.next = null;
      if (this.box) return this.#done(shapeOf(tool) === 'outline' ? boxBetween(first, last) : [first, last]);
      if (shapeOf(tool) === 'line') return this.#done([first, last]);
      return this.#set(tool, touch.at); // an outline of clicks, one of them with a slip
    }
    if (first !== undefined && shapeOf(tool) === 'outline' && this.corners.length > 2) {
      const [x, y] = screen(first);
      if (Math.hypot(touch.x - x, touch.y - y) <= CLOSE) return this.#done(this.corners);
    }
    return this.#set(tool, this.#straight(tool, touch));
  }

  // key moves the cross, or sets a corner there; start is its initial position. Undefined: the key has no
  // meaning here.
  key(tool: Tool, code: string, shift: boolean, start: Point): Point[] | null | undefined {
    const at = this.cross ?? start;
    if (code === 'Enter') {
      this.cross = at;
      const last = this.corners[this.corners.length - 1];
      const here = last !== undefined && Math.hypot(last[0] - at[0], last[1] - at[1]) < SAME;
      if (here && shapeOf(tool) === 'outline') return this.corners.length > 2 ? this.#done(this.corners) : null;
      return here ? null : this.#set(tool, at);
    }
    const to = code.startsWith('Arrow') ? nudge([...at, 0], code, shift) : null;
    if (to === null) return undefined;
    this.cross = [to[0], to[1]];
    this.next = this.drawing ? this.cross : null;
    return null;
  }

  #set(tool: Tool, at: Point): Point[] | null {
    this.corners = [...this.corners, at];
    return shapeOf(tool) !== 'outline' && this.corners.length === 2 ? this.#done(this.corners) : null;
  }

  #done(corners: Point[]): Point[] {
    this.clear();
    return corners;
  }

  // straight returns the pointer's position; with Shift a line snaps to steps of 15 degrees.
  #straight(tool: Tool, { at, shift }: Touch): Point {
    const first = this.corners[0];
    if (!shift || shapeOf(tool) !== 'line' || first === undefined) return at;
    const [dx, dy] = [at[0] - first[0], at[1] - first[1]];
    const theta = Math.round(Math.atan2(dy, dx) / TICK) * TICK;
    const way = Math.hypot(dx, dy);
    return [first[0] + way * Math.cos(theta), first[1] + way * Math.sin(theta)];
  }
}

function far(press: Touch, { x, y }: Touch): boolean {
  return Math.hypot(x - press.x, y - press.y) > CLICK;
}
