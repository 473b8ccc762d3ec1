import assert from 'node:assert/strict';
import test from 'node:test';
import { addPlace, undo } from './sketch.ts';
import { SketchState } from './sketch-state.ts';
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
