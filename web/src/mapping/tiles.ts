// Tiles: the pictures of a map in progress. Each revision of a tile is fetched once; a loop closure moves
// tiles without fetching them. They are composed on one canvas, which the map draws with every frame.
import { type Brush } from '../map/brush.ts';
import { toScreen } from '../map/view.ts';
import type { Tile } from '../wire.ts';

export type Box = [x0: number, y0: number, x1: number, y1: number]; // m, in map

const AT_ONCE = 4; // number of pictures fetched at the same time
const MOST = 4096; // px, the longer side of the canvas
const FINEST = 20; // px/m on it: one cell

interface Picture {
  tile: Tile; // the revision of the picture
  walls: Uint8Array; // 0 unknown, 1 free, 2 occupied
  canvas: HTMLCanvasElement | null; // painted; null: not with the present colours
}

// cornersOf returns the corners of a tile's picture, in map.
export function cornersOf({ pose: [x, y, theta], origin, width, height, cell }: Tile): [x: number, y: number][] {
  const [cos, sin] = [Math.cos(theta), Math.sin(theta)];
  return [
    [origin[0], origin[1]],
    [origin[0] + width * cell, origin[1]],
    [origin[0] + width * cell, origin[1] + height * cell],
    [origin[0], origin[1] + height * cell],
  ].map(([u = 0, v = 0]) => [x + cos * u - sin * v, y + sin * u + cos * v]);
}

// boxOf returns the bounding box of tiles and further points; null: there is nothing.
export function boxOf(
  tiles: readonly Tile[],
  points: readonly (readonly [number, number, ...unknown[]])[],
): Box | null {
  let box: Box | null = null;
  const take = (x: number, y: number) => {
    box = box ? [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)] : [x, y, x, y];
  };
  for (const tile of tiles) for (const [x, y] of cornersOf(tile)) take(x, y);
  for (const [x, y] of points) take(x, y);
  return box;
}

// classify classifies the pixels of a picture: transparent is unknown, dark is occupied.
export function classify(rgba: Uint8ClampedArray): Uint8Array {
  const cells = new Uint8Array(rgba.length / 4);
  for (let i = 0; i < cells.length; i++) {
    const [r = 0, g = 0, b = 0, a = 0] = rgba.subarray(4 * i, 4 * i + 4);
    cells[i] = a < 128 ? 0 : r + g + b < 384 ? 2 : 1;
  }
  return cells;
}

export class Tiles {
  readonly #address: (tile: Tile) => string;
  readonly #redraw: () => void;
  readonly #pictures = new Map<number, Picture>();
  readonly #fetching = new Set<number>();
  #wanted: readonly Tile[] = [];
  #canvas: HTMLCanvasElement | null = null; // all tiles; null: to be composed
  #box: Box = [0, 0, 0, 0]; // its part of the map
  #scale = FINEST; // its px/m
  #colours = '';

  // address returns the URL of a tile's picture; redraw is called when one has loaded.
  constructor(address: (tile: Tile) => string, redraw: () => void) {
    this.#address = address;
    this.#redraw = redraw;
  }

  show(tiles: readonly Tile[]): void {
    this.#wanted = tiles;
    const there = new Set(tiles.map((t) => t.tile));
    for (const n of this.#pictures.keys()) if (!there.has(n)) this.#pictures.delete(n);
    this.#canvas = null;
    this.#fetch();
  }

  // draw draws the tiles below everything else, with the map's colours for free floor and walls.
  draw(b: Brush): void {
    const colours = `${b.p['map-corr']} ${b.p['map-wall']}`;
    if (colours !== this.#colours) {
      this.#colours = colours;
      this.#canvas = null;
      for (const picture of this.#pictures.values()) picture.canvas = null;
    }
    this.#canvas ??= this.#compose(b.p['map-corr'], b.p['map-wall']);
    if (this.#canvas === null) return;
    const [x, y] = toScreen(b.v, this.#box[0], this.#box[3]);
    const k = b.v.scale / this.#scale;
    b.c.imageSmoothingEnabled = k < 2; // at close range cells have sharp edges
    b.c.drawImage(this.#canvas, x, y, this.#canvas.width * k, this.#canvas.height * k);
    b.c.imageSmoothingEnabled = true;
  }

  // compose composes all pictures at their poses. Where two overlap, a wall in one of them remains a wall.
  #compose(free: string, wall: string): HTMLCanvasElement | null {
    const shown = this.#wanted.filter((t) => this.#pictures.has(t.tile));
    const box = boxOf(
      shown.map((t) => this.#placed(t)),
      [],
    );
    if (box === null) return null;
    this.#box = box;
    this.#scale = Math.min(FINEST, MOST / Math.max(box[2] - box[0], box[3] - box[1], 1));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.ceil((box[2] - box[0]) * this.#scale));
    canvas.height = Math.max(1, Math.ceil((box[3] - box[1]) * this.#scale));
    const c = canvas.getContext('2d');
    if (c === null) return null;
    c.globalCompositeOperation = brightness(wall) > brightness(free) ? 'lighten' : 'darken';
    for (const tile of shown) {
      const picture = this.#pictures.get(tile.tile)!;
      picture.canvas ??= paint(picture, free, wall);
      const { pose, origin, width, height, cell } = this.#placed(tile);
      c.setTransform(
        this.#scale,
        0,
        0,
        this.#scale,
        (pose[0] - box[0]) * this.#scale,
        (box[3] - pose[1]) * this.#scale,
      );
      c.rotate(-pose[2]);
      c.drawImage(picture.canvas, origin[0], -origin[1] - height * cell, width * cell, height * cell);
    }
    return canvas;
  }

  // placed returns a tile with the size of its loaded picture and the newest pose.
  #placed(tile: Tile): Tile {
    return { ...(this.#pictures.get(tile.tile)?.tile ?? tile), pose: tile.pose };
  }

  #fetch(): void {
    for (const tile of this.#wanted) {
      if (this.#fetching.size >= AT_ONCE) return;
      if (this.#fetching.has(tile.tile) || this.#pictures.get(tile.tile)?.tile.rev === tile.rev) continue;
      this.#fetching.add(tile.tile);
      void this.#get(tile);
    }
  }

  async #get(tile: Tile): Promise<void> {
    let got = false;
    try {
      const answer = await fetch(this.#address(tile));
      if (answer.ok) {
        const walls = classify(await pixelsOf(await answer.blob(), tile));
        if (this.#wanted.some((t) => t.tile === tile.tile)) {
          this.#pictures.set(tile.tile, { tile, walls, canvas: null });
          this.#canvas = null;
          this.#redraw();
        }
        got = true;
      }
    } catch {
      // Without contact, the next event shows what is missing.
    }
    this.#fetching.delete(tile.tile);
    if (got) this.#fetch();
  }
}

async function pixelsOf(blob: Blob, { width, height }: Tile): Promise<Uint8ClampedArray> {
  const picture = await createImageBitmap(blob);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const c = canvas.getContext('2d', { willReadFrequently: true });
  if (c === null) throw new Error('this browser has no canvas');
  c.drawImage(picture, 0, 0);
  picture.close();
  return c.getImageData(0, 0, width, height).data;
}

function paint({ walls, tile: { width, height } }: Picture, free: string, wall: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const c = canvas.getContext('2d');
  if (c === null) return canvas;
  const data = c.createImageData(width, height);
  const colours = [
    [0, 0, 0, 0],
    [...rgb(free), 255],
    [...rgb(wall), 255],
  ];
  walls.forEach((w, i) => data.data.set(colours[w] ?? [], 4 * i));
  c.putImageData(data, 0, 0);
  return canvas;
}

// rgb parses #rgb and #rrggbb, the formats of the map's colours.
export function rgb(colour: string): [r: number, g: number, b: number] {
  const hex = colour.replace('#', '');
  const long = hex.length < 6 ? [...hex].map((d) => d + d).join('') : hex;
  const part = (i: number) => Number.parseInt(long.slice(i, i + 2), 16) || 0;
  return [part(0), part(2), part(4)];
}

function brightness(colour: string): number {
  const [r, g, b] = rgb(colour);
  return r + g + b;
}
