import assert from 'node:assert/strict';
import test from 'node:test';
import { addPlace, undo } from './sketch.ts';
import { SketchState } from './sketch-state.ts';
import { readMapDraft } from '../context.ts';
import { Store } from '../store.ts';
import { driver } from '../testing.ts';

// editing returns an editor's state, and a function that puts the map of the robot into the page, with places.
function editing(): { state: SketchState; store: Store; plan: (...names: string[]) => void } {
  const store = new Store(driver());
  const state = new SketchState(store, () => undefined);
  store.subscribe((m, before) => {
    if (m.plan !== before.plan) state.takePlan(m, before);
  });
  const plan = (...names: string[]) =>
    store.set({ plan: { ...store.get().plan, places: names.map((name) => ({ name, pose: [1, 1, 0] })) } });
  return { state, store, plan };
}

test('edits are outdated once the robot has another map than the one that was edited, until they are saved or discarded', () => {
  const { state, store, plan } = editing();
  const outdated = () => state.isOutdated(store.get());
  plan('Sofa');
  state.change(addPlace(state.now(), [2, 2, 0], 'Place').sketch);
  assert.equal(outdated(), false);
  plan('Sofa', 'Desk');
  assert.equal(outdated(), true);
  state.change(addPlace(state.now(), [3, 3, 0], 'Place').sketch);
  assert.equal(outdated(), true);
  state.discard();
  assert.equal(outdated(), false);

  state.change(addPlace(state.now(), [2, 2, 0], 'Place').sketch);
  store.set({ plan: { ...store.get().plan, ...state.now() } }); // saved
  state.travel(undo);
  assert.equal(state.isDirty(), true);
  assert.equal(outdated(), false, 'undo behind the saved map overwrites nothing of others');
});

test('unsaved edits come back on the floor on which they were made, and on no other', () => {
  const kept = new Map<string, string>();
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    value: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    },
  });
  const { state, store } = editing();
  state.change(addPlace(state.now(), [2, 2, 0], 'Place').sketch);
  const { plan } = store.get();
  const attic = { ...plan, name: 'Attic' };
  for (const [floor, edits] of [
    [plan, 1],
    [attic, 0],
    [{ ...plan, bounds: [0, 0, 2, 1] as typeof plan.bounds }, 0],
    [plan, 1],
  ] as const) {
    assert.equal(readMapDraft(floor) !== null, edits === 1);
    assert.equal(new SketchState(new Store(driver({ plan: floor })), () => undefined).now().places.length, edits);
  }
  Reflect.deleteProperty(globalThis, 'sessionStorage');
});
