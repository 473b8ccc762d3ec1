// Palette: the map's colours, taken from the page's tokens.

const NAMES = [
  'map-void',
  'map-floor',
  'map-corr',
  'map-grid',
  'map-wall',
  'map-furn',
  'map-furn-line',
  'map-label',
  'map-via',
  'map-edge',
  'robot',
  'robot-ink',
  'ghost',
  'accent',
  'accent-2',
  'warn',
  'danger',
  'text',
  'text-2',
  'surface-1',
  'surface-3',
  'line-2',
] as const;

export type Paint = (typeof NAMES)[number];
export type Palette = Readonly<Record<Paint, string>>;

// readPalette reads the present tokens.
export function readPalette(style: { getPropertyValue(name: string): string }): Palette {
  return Object.fromEntries(NAMES.map((n) => [n, style.getPropertyValue(`--${n}`).trim()])) as Palette;
}

// greyed returns the palette without colour, a little darker, for old data.
export function greyed(p: Palette): Palette {
  return Object.fromEntries(NAMES.map((n) => [n, grey(p[n])])) as Palette;
}

// grey removes the colour from #rgb, #rrggbb and the forms with alpha; other values remain.
export function grey(colour: string): string {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(colour)?.[1];
  if (hex === undefined) return colour;
  const long = hex.length <= 4 ? [...hex].map((c) => c + c).join('') : hex;
  const part = (i: number) => Number.parseInt(long.slice(i, i + 2), 16);
  const luma = Math.round((0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)) * 0.9);
  const two = luma.toString(16).padStart(2, '0');
  return `#${two}${two}${two}${long.slice(6)}`;
}
