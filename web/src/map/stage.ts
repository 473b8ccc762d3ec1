// Stage: the map as other widgets use it. They draw layers of their own and take presses; the map keeps the view.
import type { Brush } from './brush.ts';
import type { Thing } from './unknown.ts';
import type { Insets } from './view.ts';
import type { Point, Pose } from '../wire.ts';

// Touch is where a pointer is.
export interface Touch {
  x: number; // px, from the canvas's top left corner
  y: number;
  at: Point; // m, in map
  shift: boolean;
  finger: boolean; // it hides what is under it
}

// Grip may take a press of the first pointer on the map. A second finger takes it away again: then the two zoom.
export interface Grip {
  take(touch: Touch): boolean; // true: what this pointer does until its end belongs to the grip
  move(touch: Touch): void;
  end(touch: Touch | null): void; // null: it was taken away
}

// Where a layer lies: on the floor under the driven way, over what the sonar sees and under the robot, or over everything.
export type Height = 'floor' | 'path' | 'over';

export interface Stage {
  layer(height: Height, draw: (b: Brush) => void): void; // drawn with every frame, in the order they came
  grip(grip: Grip): void; // asked in the order they came
  redraw(): void;
  // Both are handed on as functions, so they are bound to their map.
  readonly screen: (at: readonly [x: number, y: number, ...rest: unknown[]]) => Point; // where a place or a pose is on the canvas, in px
  readonly at: (x: number, y: number) => Point; // the place under a point of the canvas, in px
  turn(angle: number): void; // draws the robot and what it senses turned about the origin of map: what a layer shows has another frame
  drawGhost(b: Brush, pose: Pose): void; // draws the virtual robot there
  free(): Insets; // what of the canvas lies under cards, in px
  overview(on: boolean): void; // shows the whole floor in place of following the robot, and follows it again
  things(): readonly Thing[]; // what the sonar has seen and the map does not have
  reveal(at: Point): void; // moves the map when the place is not to be seen
}
