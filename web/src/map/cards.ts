// Cards: how much of the map is covered.
import type { Insets } from './view.ts';

// CARDS may lie over the map.
const CARDS =
  '.tools, .legend, .hud, .release, .runbar, .joy, .viewer, .corner, .app:not([data-tab=drive]) .body, .app[data-work] .body';
const GAP = 14; // px, from the corner's cards to the edge of the map
const BACK = 24; // px of additional distance before the cards come back

// insets measures what covers the canvas: wide cards count at the top or the bottom, tall ones at the side.
export function insets(canvas: HTMLElement, region: HTMLElement): Insets {
  const all = canvas.getBoundingClientRect();
  const free: Insets = { left: 12, top: 12, right: 12, bottom: 12 };
  const cards = (region.parentElement ?? region).querySelectorAll(CARDS);
  for (const card of cards) {
    const r = card.getBoundingClientRect();
    const over =
      r.width > 0 &&
      r.height > 0 &&
      r.left < all.right &&
      r.right > all.left &&
      r.top < all.bottom &&
      r.bottom > all.top;
    if (!over) continue;
    const wide = card.matches('.corner, .body, .tools') ? 0.6 : 0.3;
    if (r.width > wide * all.width && r.width > r.height) {
      if (r.top + r.bottom > all.top + all.bottom) free.bottom = Math.max(free.bottom, all.bottom - r.top + 14);
      else free.top = Math.max(free.top, r.bottom - all.top + 14);
    } else if (r.height > 0.3 * all.height) {
      if (r.left + r.right < all.left + all.right) free.left = Math.max(free.left, r.right - all.left + 14);
      else free.right = Math.max(free.right, all.right - r.left + 14);
    }
  }
  return free;
}

// underCorner reports whether an object at (x, y) with a radius, in px of the canvas, is under cards of a
// given size in the map's top right corner. low: the cards have already moved away.
export function underCorner(
  size: { width: number; height: number },
  width: number,
  x: number,
  y: number,
  radius: number,
  low: boolean,
): boolean {
  const near = radius + (low ? BACK : 0);
  return size.height > 0 && x + near > width - GAP - size.width && y - near < GAP + size.height;
}
