// LiveRehearsal: the virtual robot's results for the job being written: paths, times and faults.
import { type Doc, stepsOf, viaOn } from './draft.ts';
import { type Rehearsal, rehearse, taken } from './api.ts';
import type { Figures } from './view-model.ts';
import { faultsOf, underWay } from './view.ts';
import { mayAct, type Model, type Store } from '../store.ts';
import type { Pose } from '../wire.ts';

const THINK_MS = 450; // without edits before a rehearsal is requested
const STRAY = 0.5; // m that the robot may move before it is requested again

export interface LiveRehearsal {
  figures: ReadonlyMap<number, Figures>; // by the card's key
  whole: Rehearsal | null; // of the present document
  changed(was: Doc): void; // keeps the results of steps that are equal
  think(): void; // requests a rehearsal after a pause of the edits
  strayed(m: Readonly<Model>): void; // requests one if the robot has moved away
}

// mountRehearsal: told is called for every answer, or with why there is none.
export function mountRehearsal(store: Store, now: () => Doc, told: (refused: string) => void): LiveRehearsal {
  let from: Pose | null = null; // the robot's pose at the request
  let asked = 0; // counts the requests
  let timer = 0;
  let request = new AbortController(); // of the newest request

  async function question(n: number): Promise<void> {
    const { state, plan } = store.get();
    const doc = now();
    if (faultsOf(doc, plan.places).length > 0) return;
    request = new AbortController();
    const { value, faults, status, reason } = await rehearse(stepsOf(doc), request.signal);
    if (n !== asked || now() !== doc) return;
    const figures = new Map<number, Figures>();
    const note = (i: number, figure: Partial<Figures>) =>
      figures.set(doc.cards[i]?.key ?? 0, { time: 0, length: 0, way: [], via: [], fault: '', ...figure });
    value?.steps.forEach(({ time, length, way, word, reason: why }, i) =>
      note(i, { time, length, way: way ?? [], via: viaOn(way ?? [], plan.via), fault: taken(word) ? '' : why }),
    );
    for (const f of faults) note(f.step, { fault: f.text });
    from = state?.pose ?? null;
    rehearsal.whole = value;
    rehearsal.figures = figures;
    told(value === null && faults.length === 0 && status !== 0 ? reason : '');
  }

  const rehearsal: LiveRehearsal = {
    figures: new Map(),
    whole: null,
    changed(was) {
      const steps = new Map(now().cards.map((c) => [c.key, c.step]));
      const figures = new Map(rehearsal.figures);
      for (const { key, step } of was.cards) if (steps.get(key) !== step) figures.delete(key);
      rehearsal.figures = figures;
      rehearsal.whole = null;
      rehearsal.think();
    },
    think() {
      clearTimeout(timer);
      request.abort(); // the robot computes a few rehearsals at a time and refuses more
      const n = ++asked;
      const m = store.get();
      if (m.tab === 'jobs' && mayAct(m) && !underWay(m.run) && now().cards.length > 0)
        timer = window.setTimeout(() => void question(n), THINK_MS);
    },
    strayed({ state }) {
      if (
        from === null ||
        state === null ||
        state.twist[0] !== 0 ||
        Math.hypot(state.pose[0] - from[0], state.pose[1] - from[1]) <= STRAY
      )
        return;
      from = null;
      rehearsal.think();
    },
  };
  return rehearsal;
}
