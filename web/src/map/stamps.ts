// Stamps: the texts of the map. A halo is slow to draw and the same texts are in every frame, so each is
// drawn once and then copied.

interface Stamp {
  picture: CanvasImageSource;
  width: number; // px
  height: number;
}

const STAMPS = 200; // size of the cache

export class Stamps {
  readonly #kept = new Map<string, Stamp>();
  readonly #widths = new Map<string, number>();
  #fonts = '';

  // put writes text on c, a canvas of the given size in px of the page, centred at (x, y).
  put(
    c: CanvasRenderingContext2D,
    wide: number,
    text: string,
    x: number,
    y: number,
    font: string,
    colour: string,
    around: string,
    halo: number,
  ): void {
    const ratio = c.canvas.width / wide || 1;
    const { picture, width, height } = this.#stamp(text, font, colour, around, halo, Math.min(4, Math.max(1, ratio)));
    c.drawImage(
      picture,
      Math.round((x - width / 2) * ratio) / ratio,
      Math.round((y - height / 2) * ratio) / ratio,
      width,
      height,
    );
  }

  // widthOf returns the width of a text, px. Measuring restyles the page first, so widths are cached.
  widthOf(c: CanvasRenderingContext2D, text: string, font: string): number {
    const key = `${text},${font},${document.fonts.status}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      if (this.#widths.size >= 5 * STAMPS) this.#widths.clear();
      c.font = font;
      this.#widths.set(key, (width = c.measureText(text).width));
    }
    return width;
  }

  #stamp(text: string, font: string, colour: string, around: string, halo: number, ratio: number): Stamp {
    if (this.#fonts !== document.fonts.status) this.#kept.clear();
    this.#fonts = document.fonts.status;
    const key = `${text},${font},${colour},${around},${halo},${ratio}`;
    const old = this.#kept.get(key);
    if (old !== undefined) return old;
    if (this.#kept.size >= STAMPS) this.#kept.clear();
    const off = 'OffscreenCanvas' in window ? new OffscreenCanvas(1, 1) : null; // it is faster to copy than a canvas
    const canvas = off ?? document.createElement('canvas');
    const c = canvas.getContext('2d') as CanvasRenderingContext2D | null;
    const size = Number(/(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? 12);
    if (c !== null) c.font = font;
    const width = Math.ceil((c?.measureText(text).width ?? 0) + 2 * halo + 2);
    const height = Math.ceil(1.5 * size + 2 * halo);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    if (c !== null) {
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      c.font = font;
      c.textAlign = 'center';
      c.textBaseline = 'middle';
      c.lineJoin = 'round';
      c.strokeStyle = around;
      c.lineWidth = halo;
      c.strokeText(text, width / 2, height / 2);
      c.fillStyle = colour;
      c.fillText(text, width / 2, height / 2);
    }
    const stamp = { picture: off?.transferToImageBitmap() ?? (canvas as HTMLCanvasElement), width, height };
    this.#kept.set(key, stamp);
    return stamp;
  }
}
