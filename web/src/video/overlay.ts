// Overlay: drawings on the floor of the picture: the path already commanded, its continuation if the driver
// keeps holding, and the path to a goal.
import { band, type Cover, type View } from './view.ts';
import type { Point, Pose } from '../wire.ts';

const SPACING = 0.05; // m between points of a strip
const SEEN = 6; // m of a path that are shown

export interface Overlay {
  draw(
    view: View,
    cover: Cover,
    what: { committed: Pose[] | null; ahead: Pose[] | null; route: Point[] | null; width: number },
  ): boolean; // true: a lilac part is visible
  clear(): void;
}

export function mountOverlay(canvas: HTMLCanvasElement): Overlay {
  const g = canvas.getContext('2d');
  let empty = true;
  let paint = { theme: '', ghost: '', accent: '' };

  // colours returns those of the theme. Querying them in every frame would restyle the page.
  function colours(): typeof paint {
    const theme = document.documentElement.dataset['theme'] ?? '';
    if (paint.theme !== theme || paint.ghost === '') {
      const style = getComputedStyle(canvas);
      paint = {
        theme,
        ghost: style.getPropertyValue('--ghost').trim(),
        accent: style.getPropertyValue('--accent').trim(),
      };
    }
    return paint;
  }

  function size(w: number, h: number): void {
    const dpr = window.devicePixelRatio || 1;
    if (canvas.width === Math.round(w * dpr) && canvas.height === Math.round(h * dpr)) return;
    canvas.width = Math.round(w * dpr);
    canvas.height = Math.round(h * dpr);
  }

  function fill(
    view: View,
    line: readonly Point[],
    width: number,
    colour: string,
    alpha: number,
    end: number,
  ): boolean {
    const outline = g === null ? null : band(view, line, width);
    if (g === null || outline === null) return false;
    g.beginPath();
    for (const [x, y] of outline) g.lineTo(x, y);
    g.closePath();
    const ys = outline.map((p) => p[1]);
    const paint = g.createLinearGradient(0, Math.max(...ys), 0, Math.min(...ys));
    paint.addColorStop(0, mix(colour, alpha));
    paint.addColorStop(1, mix(colour, end));
    g.fillStyle = paint;
    g.fill();
    const half = outline.length / 2;
    g.lineWidth = 2.5;
    g.strokeStyle = mix(colour, Math.min(1, 1.5 * alpha));
    for (const edge of [outline.slice(0, half), outline.slice(half)]) {
      g.beginPath();
      for (const [x, y] of edge) g.lineTo(x, y);
      g.stroke();
    }
    return Math.min(...ys) < view.height;
  }

  return {
    draw(view, s, what) {
      if (g === null) return false;
      size(s.w, s.h);
      if (!empty) {
        g.setTransform(1, 0, 0, 1, 0, 0);
        g.clearRect(0, 0, canvas.width, canvas.height);
      }
      empty = what.committed === null && what.route === null;
      if (empty) return false;
      const k = (s.k * canvas.width) / s.w;
      g.setTransform(k, 0, 0, k, (s.x * canvas.width) / s.w, (s.y * canvas.height) / s.h);
      const { ghost, accent } = colours();
      if (what.route !== null) fill(view, ahead(view, even(what.route)), what.width, accent, 0.5, 0.25);
      let lilac = false;
      if (what.ahead !== null)
        lilac = fill(view, even(what.ahead.map(([x, y]) => [x, y])), what.width, ghost, 0.4, 0.15);
      if (what.committed !== null)
        lilac = fill(view, even(what.committed.map(([x, y]) => [x, y])), what.width, ghost, 0.6, 0.45) || lilac;
      return lilac;
    },
    clear() {
      if (empty || g === null) return;
      empty = true;
      g.setTransform(1, 0, 0, 1, 0, 0);
      g.clearRect(0, 0, canvas.width, canvas.height);
    },
  };
}

// even resamples the line with a point every few centimetres, so that it is a curve in the picture too.
export function even(line: readonly Point[]): Point[] {
  const points: Point[] = [];
  for (const [i, p] of line.entries()) {
    const q = line[i + 1];
    points.push(p);
    if (q === undefined) break;
    const n = Math.ceil(Math.hypot(q[0] - p[0], q[1] - p[1]) / SPACING);
    for (let j = 1; j < n; j++) points.push([p[0] + ((q[0] - p[0]) * j) / n, p[1] + ((q[1] - p[1]) * j) / n]);
  }
  return points.filter(
    (p, i) => i === 0 || Math.hypot(p[0] - (points[i - 1]?.[0] ?? 0), p[1] - (points[i - 1]?.[1] ?? 0)) > 1e-3,
  );
}

// ahead returns the part of a path from the point nearest to the camera.
export function ahead(v: View, line: readonly Point[]): Point[] {
  let best = 0;
  const off = (p: Point | undefined) => (p === undefined ? Infinity : Math.hypot(p[0] - v.eye[0], p[1] - v.eye[1]));
  for (let i = 1; i < line.length; i++) if (off(line[i]) < off(line[best])) best = i;
  return line.slice(best, best + Math.round(SEEN / SPACING));
}

// mix adds alpha to a colour of the tokens, #rrggbb.
function mix(colour: string, alpha: number): string {
  return (
    colour +
    Math.round(alpha * 255)
      .toString(16)
      .padStart(2, '0')
  );
}
