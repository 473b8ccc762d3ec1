// The texts of the viewer's panel, from the model alone.
import { shortTime } from '../format.ts';
import { duration, nameOfGoal, underWay } from '../goto/view.ts';
import { holderName, type Model } from '../store.ts';
import { pillOf } from '../topbar/view.ts';
import { say, words } from '../words.ts';

// isViewer: this person was invited to watch, and may only stop the robot.
export function isViewer(m: Readonly<Model>): boolean {
  return m.you !== null && m.role === 'observer';
}

export interface Told {
  who: string; // who has control
  does: string; // what the robot does
  unshared: boolean; // there is a camera, but not for this person
}

export function toldOf(m: Readonly<Model>): Told {
  const name = holderName(m);
  const who =
    name === ''
      ? words.banner.nobody
      : m.freeAt !== null
        ? say(words.banner.left, { name })
        : say(words.banner.since, { name, time: shortTime(m.since) });
  return { who, does: doesOf(m), unshared: m.sees && !m.camera };
}

function doesOf(m: Readonly<Model>): string {
  const state = pillOf(m).text;
  const goal = underWay(m);
  if (m.conn === 'lost' || m.stop !== null) return state;
  if (m.state?.job && m.state.job.phase !== 'ended' && m.run !== null)
    return say(words.viewer.job, { state, name: m.run.name });
  if (goal === null) return state;
  return goal.phase === 'driving'
    ? say(words.viewer.going, { state, name: nameOfGoal(goal), time: duration(goal.time) })
    : say(words.viewer.goal, { state, name: nameOfGoal(goal) });
}
