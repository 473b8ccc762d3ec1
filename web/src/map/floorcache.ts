// FloorCache caches the painted floor in a second canvas under the map's, a little larger, so that
// following the robot moves a finished picture and paints nothing. While the view turns, only moving things
// are drawn.
import { type Brush } from './brush.ts';
import { toScreen, type View } from './view.ts';

const MARGIN = 160; // px on each side

export class FloorCache {
  readonly #canvas = document.createElement('canvas');
  readonly #off = 'OffscreenCanvas' in window ? new OffscreenCanvas(1, 1) : null; // the canvas itself would be copied with every frame, even without a change
  readonly #c = (this.#off ?? this.#canvas).getContext('2d', { alpha: false }) as CanvasRenderingContext2D | null;
  readonly #shown = this.#off && this.#canvas.getContext('bitmaprenderer');
  #view: View | null = null; // of the cached picture with its margins; null: there is none
  #key: unknown[] = [];
  #moved = '';

  // The floor is directly below over.
  constructor(over: HTMLElement) {
    this.#canvas.className = 'floor';
    this.#canvas.ariaHidden = 'true';
    over.before(this.#canvas);
  }

  // show shows the floor in the view of b, and paints it first if it is missing. key has what the painting
  // depends on besides the view.
  show(b: Brush, ratio: number, key: unknown[], paint: (b: Brush) => void): void {
    const { v } = b;
    if (
      this.#view === null ||
      !fits(this.#view, v) ||
      key.length !== this.#key.length ||
      key.some((k, i) => k !== this.#key[i])
    ) {
      this.#view = { ...v, width: v.width + 2 * MARGIN, height: v.height + 2 * MARGIN };
      this.#key = key;
      this.#paint({ ...b, v: this.#view }, ratio, 0, paint);
    }
    const [x, y] = corner(this.#view, v);
    this.#move(Math.round(x * ratio) / ratio, Math.round(y * ratio) / ratio);
  }

  // zoom paints the visible floor, in a view that changes again with the next frame.
  zoom(b: Brush, ratio: number, paint: (b: Brush) => void): void {
    this.#view = null;
    this.#paint(b, ratio, MARGIN, paint);
    this.#move(-MARGIN, -MARGIN);
  }

  #paint(b: Brush, ratio: number, margin: number, paint: (b: Brush) => void): void {
    const c = this.#c;
    const off = this.#off;
    const painted = off ?? this.#canvas;
    const [width, height] = [b.v.width + 2 * margin, b.v.height + 2 * margin];
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (painted.width !== w || painted.height !== h) {
      Object.assign(painted, { width: w, height: h });
      Object.assign(this.#canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    if (c === null) return;
    c.setTransform(ratio, 0, 0, ratio, margin * ratio, margin * ratio);
    paint({ ...b, c });
    if (off !== null) this.#shown?.transferFromImageBitmap(off.transferToImageBitmap());
  }

  #move(x: number, y: number): void {
    const to = `translate(${x}px,${y}px)`;
    if (to !== this.#moved) this.#canvas.style.transform = this.#moved = to;
  }
}

function fits(kept: View, v: View): boolean {
  const [x, y] = corner(kept, v);
  return (
    kept.scale === v.scale &&
    kept.width === v.width + 2 * MARGIN &&
    kept.height === v.height + 2 * MARGIN &&
    x <= 0 &&
    y <= 0 &&
    x + kept.width >= v.width &&
    y + kept.height >= v.height
  );
}

// corner returns the upper left corner of the cached picture in a view, px.
function corner(kept: View, v: View): [x: number, y: number] {
  const [x, y] = toScreen(v, kept.x, kept.y);
  return [x - kept.width / 2, y - kept.height / 2];
}
