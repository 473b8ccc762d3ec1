// What the robot does while this page receives nothing from it, according to its last state. Pure.
import { after } from './goto/line.ts';
import { nameOfGoal, underWay } from './goto/view.ts';
import { hasControl, holderName, type Model } from './store.ts';
import { say, words } from './words.ts';
import type { Point, Pose } from './wire.ts';

const KEPT = 10; // s that the robot keeps control for a person who has lost contact

// alone returns the sentence about that; empty before the first state.
export function alone(m: Readonly<Model>): string {
  const w = words.alone;
  if (m.state === null) return '';
  if (m.stop !== null) return w.stopped;
  if (m.state.mode === 'job') return m.run === null ? w.someJob : say(w.job, { name: m.run.name });
  const goal = underWay(m);
  if (m.state.mode === 'goal' && goal !== null) return say(w.goal, { name: nameOfGoal(goal) });
  if (m.state.play?.policy === 'playback') return w.replay;
  if (hasControl(m)) return m.bye === '' && m.silence < KEPT ? w.byHand : w.anyone;
  return m.holder === null ? w.nobody : say(w.other, { name: holderName(m) });
}

const FAR = 0.3; // m; within this distance, its last known place is enough

// mayBeAt returns how far the robot may have come on its route so far; null if it is not known to drive
// one.
export function mayBeAt(m: Readonly<Model>): Pose | null {
  const goal = underWay(m);
  if (
    m.conn !== 'lost' ||
    m.stop !== null ||
    goal === null ||
    goal.phase !== 'driving' ||
    m.route === null ||
    m.route.n !== goal.route ||
    m.robot === null
  )
    return null;
  const ahead = Math.min(goal.left, m.robot.safe[0] * m.silence);
  if (ahead < FAR) return null;
  const [at, next] = after(m.route.line, goal.done + ahead);
  if (at === undefined || next === undefined) return goal.goal;
  return facing(at, next);
}

function facing(at: Point, next: Point): Pose {
  return [at[0], at[1], Math.atan2(next[1] - at[1], next[0] - at[0])];
}
