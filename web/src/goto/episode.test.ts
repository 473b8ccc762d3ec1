import assert from 'node:assert/strict';
import test from 'node:test';
import { type Episode, episodeOf, OVER } from './episode.ts';
import type { Goal } from '../wire.ts';

test('a blocked way is one episode from its first moment, also while the robot tries another way', () => {
  const goal = (phase: Goal['phase'], n = 1) => ({ n, phase }) as Goal;
  let e: Episode | null = null;
  const at = (t: number, g: Goal | null) => (e = episodeOf(e, g, t));
  assert.equal(at(0, goal('driving')), null);
  assert.equal(at(1, goal('blocked'))?.tries, 0, 'at once');
  assert.notEqual(at(5, goal('driving')), null, 'it tries another way');
  assert.equal(at(8, goal('blocked'))?.tries, 1);
  assert.equal(at(9, goal('driving'))?.driving, 9);
  assert.notEqual(at(9 + OVER, goal('driving')), null);
  assert.equal(at(9.1 + OVER, goal('driving')), null, 'it drives on');
  at(20, goal('blocked'));
  assert.equal(at(21, goal('blocked', 2))?.n, 2, 'another goal is another one');
  assert.equal(at(22, goal('paused', 2)), null);
});
