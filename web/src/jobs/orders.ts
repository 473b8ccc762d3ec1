// Orders: what the buttons of a running job request from the robot, and the meaning of its keys. Pure.
import { underWay } from './view.ts';
import type { Deed } from './runbar.ts';
import type { Order } from '../link/index.ts';
import type { Model } from '../store.ts';

export type JobOrder = Extract<Order, { type: 'job' }>;

// orderOf returns the request of a button about the run that the page shows, with its step and message.
// null: no run is underway.
export function orderOf(deed: Exclude<Deed, 'run' | 'preview'>, { run, state }: Readonly<Model>): JobOrder | null {
  if (!underWay(run)) return null;
  if (deed === 'skip' || deed === 'retry') return { type: 'job', action: deed, step: run.step };
  if (deed === 'ok') return { type: 'job', action: deed, message: state?.message?.n ?? 1 };
  return { type: 'job', action: deed === 'pause' && run.phase !== 'running' ? 'resume' : deed };
}

export type Shortcut = 'save' | 'redo' | 'undo' | 'duplicate' | 'up' | 'down' | 'delete';

// shortcutOf returns what a key does in the tab; typing: it is pressed in a field, which has its own keys.
export function shortcutOf(
  e: Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
  typing: boolean,
): Shortcut | null {
  const ctrl = (e.ctrlKey || e.metaKey) && !e.altKey;
  if (ctrl && e.code === 'KeyS') return 'save';
  if (typing) return null;
  if (ctrl && (e.code === 'KeyY' || (e.code === 'KeyZ' && e.shiftKey))) return 'redo';
  if (ctrl && e.code === 'KeyZ') return 'undo';
  if (ctrl && e.code === 'KeyD') return 'duplicate';
  if (e.altKey && e.code === 'ArrowUp') return 'up';
  if (e.altKey && e.code === 'ArrowDown') return 'down';
  return e.code === 'Delete' && !ctrl && !e.altKey ? 'delete' : null;
}
