import assert from 'node:assert/strict';
import test from 'node:test';
import { undocking } from './announcements.ts';
import type { Model } from './store.ts';
import { driver, model, state } from './testing.ts';
import type { Goal, Pose } from './wire.ts';

const dock: Pose = [3, 4, Math.PI];
const to = (goal: Pose) => ({ goal, phase: 'driving' }) as Goal;

// said returns the times at which the page says that the robot has left its charger.
function said(...times: [t: number, charging: boolean, patch?: Parameters<typeof state>[0], conn?: Model['conn']][]) {
  const leaves = undocking();
  const plan = { ...model().plan, dock };
  return times
    .filter(([t, charging, patch, conn = 'live']) => {
      const battery = { ...state().battery, charging };
      return leaves(driver({ plan, conn, state: state({ mode: 'manual', battery, ...patch }) }), t);
    })
    .map(([t]) => t);
}

test('a robot that leaves its charger is said once to have left it', () => {
  assert.deepEqual(said([0, true, { mode: 'charging' }], [5, false], [5.1, false], [9, false]), [5]);
  const away = { mode: 'goal', goal: to([9, 9, 0]) } as const;
  assert.deepEqual(said([0, true], [5, false, away], [6, false, away]), [5]);
  assert.deepEqual(said([0, true], [5, false, { mode: 'ready' }], [9, false]), [], 'the charger has no power');
  assert.deepEqual(said([0, false], [5, false]), [], 'it was not charging when the page opened');
  assert.deepEqual(said([0, true], [5, false, {}, 'lost'], [6, true]), []);
});

test('contacts that flicker while the robot docks are no departure', () => {
  const docking = { mode: 'goal', goal: to([3.01, 4, -Math.PI]) } as const;
  assert.deepEqual(said([0, false, docking], [1, true, docking], [2.5, false, docking], [3, true, docking]), []);
  const paused = { mode: 'manual', goal: { ...docking.goal, phase: 'paused' } } as const;
  assert.deepEqual(said([1, true, docking], [2.5, false, docking], [4, false, paused]), [4], 'driven away after all');
});

test('contacts that flicker under a driver are told once a second at most', () => {
  assert.deepEqual(said([0, true], [1, false], [1.1, true], [1.2, false], [1.9, true], [1.95, false], [3, false]), [1]);
});
