import assert from 'node:assert/strict';
import test from 'node:test';
import { WorldState } from './world-state.ts';
import type { Context } from '../context.ts';
import type { Order } from '../link/index.ts';
import { driver } from '../testing.ts';

const box = { thing: 3, kind: 'obstacle' as const, at: [1, 2] as [number, number], radius: 0.25 };

// table is a world with one obstacle, and a robot with a given answer.
function table(word: string, reason = '') {
  const m = { ...driver(), world: { things: [box], doors: [] } };
  const asked: Order[] = [];
  const said: string[] = [];
  const state = new WorldState(
    {
      store: { get: () => m },
      link: {
        ask: (order: Order) => {
          asked.push(order);
          return Promise.resolve({ word, reason });
        },
      },
      voice: { say: (text: string) => said.push(text) },
    } as unknown as Context,
    () => undefined,
  );
  state.open = true;
  return { m, asked, said, state };
}

test('a thing that the robot refuses to move goes back to where it is, with the reason', async () => {
  const { asked, said, state } = table('ERROR', 'It would stand in the robot.');
  state.held = { thing: { ...box, at: [4, 4] }, off: [0, 0] };
  state.move(box, [4, 4]);
  await Promise.resolve();
  assert.deepEqual(asked, [{ type: 'world', action: 'move', thing: 3, at: [4, 4] }]);
  assert.equal(state.held, null);
  assert.equal(state.fault, 'It would stand in the robot.');
  assert.deepEqual(said, ['It would stand in the robot.']);
});

test('a thing that was moved by keys is shown where the keys have it until the world tells', async () => {
  const { m, state } = table('SUCCESS');
  state.chosen = 3;
  state.steps = { ...box, at: [1.1, 2] };
  state.move(box, [1.1, 2]);
  await Promise.resolve();
  state.meet();
  assert.deepEqual(state.steps?.at, [1.1, 2]);
  m.world.things = [{ ...box, at: [1.1, 2] }];
  state.meet();
  assert.equal(state.steps, null);
});

test('a thing that is gone is no longer chosen', () => {
  const { m, state } = table('SUCCESS');
  state.chosen = 3;
  m.world.things = [];
  state.meet();
  assert.equal(state.chosen, null);
});

test('who only watches changes nothing and holds nothing', () => {
  const { m, asked, state } = table('SUCCESS');
  m.holder = 2;
  state.held = { thing: box, off: [0, 0] };
  state.move(box, [4, 4]);
  assert.deepEqual(asked, []);
  assert.equal(state.held, null);
  assert.equal(state.takesInput(), false);
});

test('the battery is set by a percentage', async () => {
  const { asked, said, state } = table('SUCCESS');
  state.charge(29);
  await Promise.resolve();
  assert.deepEqual(asked, [{ type: 'world', action: 'battery', charge: 0.29 }]);
  assert.deepEqual(said, ['Battery set to 29%.']);
});
