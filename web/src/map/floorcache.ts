// FloorCache keeps the painted floor in a canvas a little larger than the map, so that following the robot costs one
// copy and not a painting.
import { type Brush } from './brush.ts';
import { toScreen, type View } from './view.ts';

const MARGIN = 160; // px on each side

export class FloorCache {
  readonly #canvas = document.createElement('canvas');
  #view: View | null = null;
  #key: unknown[] = [];

  // draw copies the floor onto b; paint paints it first where it is missing. key names what the painting hangs on
  // besides the view.
  draw(b: Brush, ratio: number, key: unknown[], paint: (b: Brush) => void): void {
    const { v } = b;
    if (
      this.#view === null ||
      !this.#fits(v) ||
      key.length !== this.#key.length ||
      key.some((k, i) => k !== this.#key[i])
    ) {
      this.#view = { ...v, width: v.width + 2 * MARGIN, height: v.height + 2 * MARGIN };
      this.#key = key;
      this.#canvas.width = Math.round(this.#view.width * ratio);
      this.#canvas.height = Math.round(this.#view.height * ratio);
      const c = this.#canvas.getContext('2d', { alpha: false });
      if (c === null) return;
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint({ ...b, c, v: this.#view });
    }
    const [x, y] = this.#corner(this.#view, v);
    b.c.save();
    b.c.setTransform(1, 0, 0, 1, 0, 0);
    b.c.drawImage(this.#canvas, Math.round(x * ratio), Math.round(y * ratio));
    b.c.restore();
  }

  #fits(v: View): boolean {
    const kept = this.#view;
    if (
      kept === null ||
      kept.scale !== v.scale ||
      kept.width !== v.width + 2 * MARGIN ||
      kept.height !== v.height + 2 * MARGIN
    )
      return false;
    const [x, y] = this.#corner(kept, v);
    return x <= 0 && y <= 0 && x + kept.width >= v.width && y + kept.height >= v.height;
  }

  #corner(kept: View, v: View): [x: number, y: number] {
    const [x, y] = toScreen(v, kept.x, kept.y);
    return [x - kept.width / 2, y - kept.height / 2];
  }
}
