// Keys: changing the world on the map by keys alone.
import type { WorldState } from './world-state.ts';
import { typesIn } from '../field.ts';
import { neat, nudge } from '../goto/aim.ts';
import type { Stage } from '../map/stage.ts';

// mountKeys handles the map's keys while the card is open. remove removes the chosen thing.
export function mountKeys(canvas: HTMLElement, state: WorldState, stage: Stage, remove: () => boolean): void {
  canvas.addEventListener(
    'keydown',
    (e) => {
      if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || state.model().dialog || typesIn(e.target)) return;
      if (state.takesInput() && press(e)) e.preventDefault();
    },
    { capture: true },
  );

  function press(e: KeyboardEvent): boolean {
    if (e.code === 'Delete' || e.code === 'Backspace') return remove();
    if (state.tool === 'hand') return moveChosen(e);
    return e.code === 'Enter' ? putAtCursor() : moveCursor(e);
  }

  function moveChosen(e: KeyboardEvent): boolean {
    const thing = state.steps?.thing === state.chosen ? state.steps : state.thing(state.chosen);
    const to = thing === null ? null : nudge([...thing.at, 0], e.code, e.shiftKey);
    if (thing === null || to === null || e.code === 'KeyQ' || e.code === 'KeyE') return false;
    stage.reveal([to[0], to[1]]);
    state.steps = { ...thing, at: [to[0], to[1]] };
    state.move(thing, [to[0], to[1]]);
    return true;
  }

  function putAtCursor(): boolean {
    const { cursor } = state;
    if (cursor === null) return false;
    const kind = state.sized();
    if (kind === null) state.carry(cursor);
    else state.put(kind, [cursor[0], cursor[1]]);
    state.cursor = null;
    return true;
  }

  function moveCursor(e: KeyboardEvent): boolean {
    const next = nudge(state.cursor ?? neat(state.model().state?.pose ?? [0, 0, 0]), e.code, e.shiftKey);
    if (next === null) return false;
    state.cursor = next;
    stage.reveal([next[0], next[1]]);
    stage.redraw();
    return true;
  }
}
