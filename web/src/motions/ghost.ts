// Ghost: the chosen drive on the map, and the virtual robot that drives it.
import { drawMotion } from './marks.ts';
import { poseAt, type Waypoint } from './view.ts';
import type { Stage } from '../map/stage.ts';
import type { Point } from '../wire.ts';

export class Ghost {
  readonly #stage: Stage;
  readonly #ended: () => void;
  #points: readonly Waypoint[] = [];
  #line: Point[] = [];
  #began: number | null = null; // page time, ms; null: the virtual robot stands at the start

  // shown reports whether the card is open. ended is called when the virtual robot has reached the end.
  constructor(stage: Stage, shown: () => boolean, ended: () => void) {
    this.#stage = stage;
    this.#ended = ended;
    stage.layer('over', (b) => {
      if (!shown() || this.#line.length === 0) return;
      drawMotion(b, this.#line);
      const pose = poseAt(this.#points, this.#began === null ? 0 : (performance.now() - this.#began) / 1000);
      if (pose !== null) stage.drawGhost(b, pose);
    });
  }

  // show shows these points instead of the previous ones; none hides the drive.
  show(points: readonly Waypoint[]): void {
    this.#points = points;
    this.#line = points.map(({ pose }) => [pose.x, pose.y]);
    this.#began = null;
  }

  isReady(): boolean {
    return this.#points.length > 0;
  }

  drives(): boolean {
    return this.#began !== null;
  }

  // toggle starts the virtual robot, or ends its drive.
  toggle(): void {
    this.#began = this.#began === null ? performance.now() : null;
    this.#step();
  }

  end(): void {
    this.#began = null;
  }

  #step(): void {
    const last = this.#points[this.#points.length - 1];
    if (this.#began === null) return;
    if (last === undefined || performance.now() - this.#began > 1000 * (last.t + 1)) {
      this.#began = null;
      this.#ended();
      return;
    }
    this.#stage.redraw();
    requestAnimationFrame(() => this.#step());
  }
}
