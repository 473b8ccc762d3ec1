// Opening: which tab a page shows that opens, from the model alone.
import { underWay } from '../goto/view.ts';
import type { Model, Tab } from '../store.ts';

// tabOf is where the robot's goal or job is shown; null: it has none. After a reload only what moves it counts, for this person
// may have paused the rest to drive.
export function tabOf(m: Readonly<Model>, reloaded: boolean): Tab | null {
  const { mode, job } = m.state ?? { mode: 'ready', job: null };
  if (reloaded && mode !== 'goal' && mode !== 'job') return null;
  if (job !== null && job.phase !== 'ended') return 'jobs';
  return underWay(m) === null ? null : 'goto';
}
