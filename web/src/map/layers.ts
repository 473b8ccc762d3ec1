// Layers: the visible layers of the map, stored in this browser.

export const LAYERS = ['names', 'via', 'trail', 'sonar', 'unknown', 'estimate'] as const;
export type Layer = (typeof LAYERS)[number];
export type Layers = Readonly<Record<Layer, boolean>>;

const KEY = 'mybot.layers';

// readLayers returns the stored layers, or by default all.
export function readLayers(): Layers {
  let hidden: string[] = [];
  try {
    hidden = (localStorage.getItem(KEY) ?? '').split(' ');
  } catch {
    // A browser without storage shows all.
  }
  return Object.fromEntries(LAYERS.map((l) => [l, !hidden.includes(l)])) as Layers;
}

export function keepLayers(layers: Layers): void {
  try {
    localStorage.setItem(KEY, LAYERS.filter((l) => !layers[l]).join(' '));
  } catch {
    // The choice is lost with the page.
  }
}
