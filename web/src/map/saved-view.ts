// SavedView: the shown part of the floor, stored in this tab over a reload.
import { isMode, type Mode } from './tools.ts';
import { MAX_SCALE } from './view.ts';
import { readTabItem } from '../tab-storage.ts';

export const SAVED_VIEW = 'mybot.sight';

export interface SavedView {
  mode: Mode;
  overviewed: boolean; // the whole floor is shown instead of following
  scale: number; // px/m, while following
  at: { x: number; y: number; scale: number }; // of a free view: its centre, m, and px/m
}

// readSavedView returns null if nothing valid is stored.
export function readSavedView(): SavedView | null {
  const s = (readTabItem(SAVED_VIEW) ?? {}) as Partial<SavedView>;
  const numbers = [s.scale, s.at?.scale, s.at?.x, s.at?.y];
  if (!isMode(s.mode) || !numbers.every(Number.isFinite) || !fits(s.scale) || !fits(s.at?.scale)) return null;
  return { ...(s as SavedView), overviewed: s.overviewed === true };
}

const fits = (scale: number | undefined) => scale !== undefined && scale > 0 && scale <= MAX_SCALE;
