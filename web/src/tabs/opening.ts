// Opening: which tab a page shows when it opens. It depends only on the model.
import { underWay } from '../goto/view.ts';
import type { Model, Tab } from '../store.ts';

// tabOf returns the tab of the robot's goal or job; null: the robot has none. After a reload it counts only
// what moves the robot, because this person may have paused it in order to drive.
export function tabOf(m: Readonly<Model>, reloaded: boolean): Tab | null {
  const { mode, job } = m.state ?? { mode: 'ready', job: null };
  if (reloaded && mode !== 'goal' && mode !== 'job') return null;
  if (job !== null && job.phase !== 'ended') return 'jobs';
  return underWay(m) === null ? null : 'goto';
}
