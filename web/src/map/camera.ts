// Camera: the part of the floor that the map shows, and easing between parts. It has no clock: times are
// arguments, in s.
import type { SavedView } from './saved-view.ts';
import type { Mode } from './tools.ts';
import { between, follow, type Insets, pan, toScreen, type View, whole, type Bounds, zoom } from './view.ts';
import type { Point } from '../wire.ts';

// Scene is what the camera may show.
export interface Scene {
  bounds: Bounds; // of the floor
  robot: readonly [x: number, y: number, ...rest: unknown[]] | null; // null: unknown
}

const EASE = 0.2; // s
const CLOSE = 92; // px/m, scale while following the robot
const CLOSE_NARROW = 58; // px/m, on a small map
const NARROW = 600; // px
const TOO_FAR = 40; // px/m; from this scale on, a follow keeps the scale
const EDGE = 40; // px from the edge of the free part

export class Camera {
  free: Insets = { left: 0, top: 0, right: 0, bottom: 0 };
  readonly #eases: () => boolean; // false: the person wants no motion
  #mode: Mode = 'floor';
  #view: View = { x: 0, y: 0, scale: 40, width: 0, height: 0 };
  #chosen = false; // a person chose the view
  #overviewed = false; // the whole floor is shown instead of following
  #scale = CLOSE; // while following
  #wanted: View | null = null; // target of a free view
  #ease: { from: View; start: number } | null = null;

  constructor(saved: SavedView | null, eases: () => boolean) {
    this.#eases = eases;
    if (saved === null) return;
    this.#mode = saved.mode;
    this.#overviewed = saved.overviewed;
    this.#scale = saved.scale;
    this.#chosen = true;
    if (saved.mode === 'free') this.#view = { ...this.#view, ...saved.at };
  }

  get mode(): Mode {
    return this.#mode;
  }

  get view(): View {
    return this.#view;
  }

  get easing(): boolean {
    return this.#ease !== null;
  }

  saved(): SavedView {
    const { x, y, scale } = this.#view;
    return { mode: this.#mode, overviewed: this.#overviewed, scale: this.#scale, at: { x, y, scale } };
  }

  // resize sets the size of the canvas, in px.
  resize(width: number, height: number): void {
    this.#view = { ...this.#view, width, height };
  }

  // step moves the view to its state at time t.
  step(t: number, scene: Scene): View {
    const to = this.#target(scene);
    const f = this.#ease === null ? 1 : Math.min(1, (t - this.#ease.start) / EASE);
    if (this.#ease === null || f === 1) {
      this.#view = to;
      this.#ease = null;
      this.#wanted = null;
    } else {
      const { width, height } = to;
      this.#view = { ...between(this.#ease.from, to, 1 - (1 - f) ** 3), width, height };
    }
    return this.#view;
  }

  // meetRobot follows the robot when it is seen for the first time, unless a person has chosen the view.
  meetRobot(t: number): void {
    if (!this.#chosen) this.#show('follow', t);
  }

  choose(mode: Mode, t: number): void {
    this.#chosen = true;
    this.#overviewed = false;
    this.#show(mode, t);
  }

  // refit eases to the right view after the free part of the canvas has changed.
  refit(t: number): void {
    if (this.#mode !== 'free') this.#show(this.#mode, t);
  }

  // overview shows the whole floor instead of following the robot, or follows it again; false: nothing to
  // do.
  overview(on: boolean, t: number): boolean {
    if (on ? this.#mode !== 'follow' : !this.#overviewed || this.#mode !== 'floor') return false;
    this.#overviewed = on;
    this.#show(on ? 'floor' : 'follow', t);
    return true;
  }

  // zoomAt zooms at a point of the canvas; a followed robot stays in place.
  zoomAt(factor: number, sx: number, sy: number): void {
    if (this.#mode === 'follow') this.#zoomFollow(factor);
    else this.#setFree(zoom(this.#wanted ?? this.#view, factor, sx, sy));
  }

  // zoomMiddle eases to a view that is zoomed at the middle of the free part.
  zoomMiddle(factor: number, t: number): void {
    if (this.#mode === 'follow') {
      this.#startEase(t);
      this.#zoomFollow(factor);
      return;
    }
    const { left, right, top, bottom } = this.free;
    const { width, height } = this.#view;
    const to = zoom(this.#wanted ?? this.#view, factor, (left + width - right) / 2, (top + height - bottom) / 2);
    this.#chosen = true;
    this.#show('free', t, to);
  }

  // panBy moves the picture by a number of px, and stops following.
  panBy(dx: number, dy: number): void {
    this.#setFree(pan(this.#view, dx, dy));
  }

  // reveal moves the picture if a place of the floor is not visible.
  reveal(scene: Scene, place: Point): void {
    const to = this.#target(scene);
    const { left, right, top, bottom } = this.free;
    const [x, y] = toScreen(to, ...place);
    const dx = Math.max(0, left + EDGE - x) - Math.max(0, x - to.width + right + EDGE);
    const dy = Math.max(0, top + EDGE - y) - Math.max(0, y - to.height + bottom + EDGE);
    if (dx !== 0 || dy !== 0) this.#setFree(pan(to, dx, dy));
  }

  #target({ bounds, robot }: Scene): View {
    if (this.#mode === 'follow' && robot !== null)
      return follow({ ...this.#view, scale: this.#scale }, robot[0], robot[1], this.free);
    if (this.#mode === 'floor') return whole(this.#view, bounds, this.free);
    return this.#wanted ?? this.#view;
  }

  #show(mode: Mode, t: number, to: View | null = null): void {
    this.#startEase(t);
    const { scale, width } = this.#view;
    if (mode === 'follow' && this.#mode !== 'follow')
      this.#scale = scale >= TOO_FAR ? scale : width < NARROW ? CLOSE_NARROW : CLOSE;
    this.#mode = mode;
    this.#wanted = to;
  }

  #startEase(t: number): void {
    this.#ease = this.#eases() ? { from: this.#view, start: t } : null;
  }

  #zoomFollow(factor: number): void {
    this.#chosen = true;
    this.#scale = zoom({ ...this.#view, scale: this.#scale }, factor, 0, 0).scale;
  }

  #setFree(to: View): void {
    this.#chosen = true;
    this.#ease = null;
    this.#wanted = null;
    this.#mode = 'free';
    this.#view = to;
  }
}
