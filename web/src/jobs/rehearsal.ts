// LiveRehearsal: what the virtual robot says of the job that is written: ways, times, and what cannot be done.
import { type Doc, stepsOf, viaOn } from './draft.ts';
import { type Rehearsal, rehearse, taken } from './api.ts';
import type { Figures } from './view-model.ts';
import { faultsOf, underWay } from './view.ts';
import { mayAct, type Model, type Store } from '../store.ts';
import type { Pose } from '../wire.ts';

const THINK_MS = 450; // of rest before the virtual robot is asked
const STRAY = 0.5; // m that the robot may go before it is asked again

export interface LiveRehearsal {
  figures: ReadonlyMap<number, Figures>; // by the card's key
  whole: Rehearsal | null; // of the document as it is
  changed(was: Doc): void; // what was said of steps that are the same still holds
  think(): void; // asks when nothing has changed for a while
  strayed(m: Readonly<Model>): void; // asks when the robot stands elsewhere
}

// mountRehearsal: told hears of every answer, and why there is none.
export function mountRehearsal(store: Store, now: () => Doc, told: (refused: string) => void): LiveRehearsal {
  let from: Pose | null = null; // where the robot was
  let asked = 0; // counts the questions
  let timer = 0;

  async function question(n: number): Promise<void> {
    const { state, plan } = store.get();
    const doc = now();
    if (faultsOf(doc, plan.places).length > 0) return;
    const { value, faults, status, reason } = await rehearse(stepsOf(doc));
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
