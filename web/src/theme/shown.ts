import type { Theme } from '../store.ts';

export const QUERY = '(prefers-color-scheme: light)';

// shown returns the chosen theme, or else the system's.
export function shown(chosen: Theme | null): Theme {
  return chosen ?? (matchMedia(QUERY).matches ? 'light' : 'dark');
}
