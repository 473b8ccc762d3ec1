// Preferences stored in this browser. Without storage they are lost with the page.
import type { Prefs } from './store.ts';

const KEY = 'mybot.prefs';

export const DEFAULTS: Prefs = { speedLimit: 0.3, stepMoves: false, letterKeys: true, sounds: false, theme: null };

export function loadPrefs(): Prefs {
  try {
    return readPrefs(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
  } catch {
    return DEFAULTS;
  }
}

export function savePrefs(prefs: Prefs): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // no storage here
  }
}

// readPrefs takes valid values from what was stored, and defaults for the rest.
export function readPrefs(stored: unknown): Prefs {
  const s = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<Record<keyof Prefs, unknown>>;
  const { speedLimit, stepMoves, letterKeys, sounds, theme } = s;
  return {
    speedLimit:
      typeof speedLimit === 'number' && speedLimit >= 0.05 && speedLimit <= 0.45 ? speedLimit : DEFAULTS.speedLimit,
    stepMoves: typeof stepMoves === 'boolean' ? stepMoves : DEFAULTS.stepMoves,
    letterKeys: typeof letterKeys === 'boolean' ? letterKeys : DEFAULTS.letterKeys,
    sounds: typeof sounds === 'boolean' ? sounds : DEFAULTS.sounds,
    theme: theme === 'dark' || theme === 'light' ? theme : DEFAULTS.theme,
  };
}
