import type { Theme } from '../store.ts';

export const QUERY = '(prefers-color-scheme: light)';

// shown is what was chosen, or what the system has.
export function shown(chosen: Theme | null): Theme {
  return chosen ?? (matchMedia(QUERY).matches ? 'light' : 'dark');
}
