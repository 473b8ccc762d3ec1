// Stage: the interface of the map for other widgets. They draw their own layers and take presses; the map
// owns the view.
import type { Brush } from './brush.ts';
import type { Thing } from './unknown.ts';
import type { Insets } from './view.ts';
import type { Point, Pose } from '../wire.ts';

// Touch is the state of a pointer.
export interface Touch {
  x: number; // px, from the canvas's top left corner
  y: number;
  at: Point; // m, in map
  shift: boolean;
  finger: boolean; // it hides what is under it
}

// Grip may take a press of the first pointer on the map. A second finger cancels it: then the two zoom.
export interface Grip {
  take(touch: Touch): boolean; // true: the pointer belongs to the grip until its end
  move(touch: Touch): void;
  end(touch: Touch | null): void; // null: it was cancelled
}

// Where a layer lies: on the floor under the driven path, over what the sonar sees and under the robot, or
// over everything.
export type Height = 'floor' | 'path' | 'over';

export interface Stage {
  layer(height: Height, draw: (b: Brush) => void): void; // drawn with every frame, in the order of registration
  grip(grip: Grip): void; // asked in the order of registration
  redraw(): void;
  // Both are passed on as functions, so they are bound to their map.
  readonly screen: (at: readonly [x: number, y: number, ...rest: unknown[]]) => Point; // place of a point or pose on the canvas, in px
  readonly at: (x: number, y: number) => Point; // point of the floor under a place on the canvas, in px
  turn(angle: number): void; // draws the robot and what it senses turned about the origin of map, for a layer with another frame
  drawGhost(b: Brush, pose: Pose): void; // draws the virtual robot at a pose
  free(): Insets; // the covered part of the canvas, in px
  overview(on: boolean): void; // shows the whole floor instead of following the robot, or follows it again
  things(): readonly Thing[]; // obstacles that the sonar has seen and the map does not have
  reveal(at: Point): void; // moves the map if the point is not visible
}
