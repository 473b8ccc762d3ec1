// Hindrance: what prevents the robot from driving, for every user. Pure.
import { base as words } from '../strings.json';
import { isBaseLost, type Model } from './store.ts';
import { say } from './words.ts';

// hindranceOf returns why the robot does not drive now, for every user; empty: nothing but a stop.
export function hindranceOf(m: Readonly<Model>): string {
  if (isBaseLost(m)) return words.off;
  if (m.state?.estop) return words.estop;
  return m.state?.refuses ? say(words.refuses, { why: m.state.refuses }) : '';
}
