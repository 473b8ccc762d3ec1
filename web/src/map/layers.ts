// Layers: what of the map is shown, kept in this browser.

export const LAYERS = ['names', 'via', 'trail', 'sonar', 'unknown', 'estimate'] as const;
export type Layer = (typeof LAYERS)[number];
export type Layers = Readonly<Record<Layer, boolean>>;

const KEY = 'mybot.layers';

// readLayers returns what was kept; everything is shown where nothing was.
export function readLayers(): Layers {
  let hidden: string[] = [];
  try {
    hidden = (localStorage.getItem(KEY) ?? '').split(' ');
  } catch {
    // A browser that keeps nothing shows everything.
  }
  return Object.fromEntries(LAYERS.map((l) => [l, !hidden.includes(l)])) as Layers;
}

export function keepLayers(layers: Layers): void {
  try {
    localStorage.setItem(KEY, LAYERS.filter((l) => !layers[l]).join(' '));
  } catch {
    // Then it is asked again next time.
  }
}
