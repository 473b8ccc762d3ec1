// ViewModel: the contents of cards, pins and run bar, from the model and the state of this tab. It is pure.
import { type Doc, poseOfStep, sameSteps, stepsOf, viaOn } from './draft.ts';
import type { Row } from './list.ts';
import type { Pin } from './pins.ts';
import type { Bar } from './runbar.ts';
import {
  duration,
  type Fault,
  faultsOf,
  lineOf,
  type Look,
  looksOf,
  partOf,
  stepPart,
  timeOf,
  underWay,
  whereOf,
} from './view.ts';
import { jobs as words, parts } from '../../strings.json';
import { hindranceOf } from '../hindrance.ts';
import { quality, sureness } from '../hud/figures.ts';
import { hasControl, isHeld, isStopped, mayAct, type Model } from '../store.ts';
import { lacks } from '../parts/lacks.ts';
import { say } from '../words.ts';
import type { Point, Run } from '../wire.ts';

// Figures are the virtual robot's results for one step.
export interface Figures {
  time: number;
  length: number;
  via: string[];
  way: Point[];
  fault: string;
}

export interface ViewModel {
  m: Readonly<Model>;
  doc: Doc;
  figures: ReadonlyMap<number, Figures>; // by the card's key, if known
  whole: number | null; // s, of the whole job; null: not known
  says: { text: string; bad: boolean }; // the last message
  changing: boolean; // a change of the run is on its way
  preparing: boolean; // the run is being prepared
  ghost: { step: number; part: number } | null; // the step that the preview shows
  lit: number | null; // the card whose pin is highlighted
}

// mayWrite: this person may write and run jobs.
export function mayWrite(m: Readonly<Model>): boolean {
  return hasControl(m) && m.role !== 'observer';
}

// fixedOf returns the number of fixed steps at the beginning, which are done or underway.
export function fixedOf({ run }: Readonly<Model>): number {
  return underWay(run) ? Math.min(run.step + 1, run.steps.length) : 0;
}

// runOf returns the run of the shown document; null if the document was not run.
export function runOf({ m: { run }, doc }: Pick<ViewModel, 'm' | 'doc'>): Run | null {
  return run !== null && (run.phase !== 'ended' || sameSteps(stepsOf(doc), run.steps)) ? run : null;
}

// faultsIn returns the faults of the document: those that the page finds, and those of the virtual robot.
// Steps that the run has begun have none: they stay as they were prepared.
export function faultsIn({ m, doc, figures }: ViewModel): Fault[] {
  const own = faultsOf(doc, m.plan.places).filter(({ step }) => step < 0 || step >= fixedOf(m));
  doc.cards.forEach((c, i) => {
    const fault = figures.get(c.key)?.fault ?? '';
    if (fault === '' || own.some((f) => f.step === i) || underWay(m.run)) return;
    own.push({
      step: i,
      text: fault,
      line: say(c.step.type === 'MOVE' ? words.needsFree : words.fault, { n: i + 1, text: fault }),
    });
  });
  return own.sort((a, b) => a.step - b.step);
}

// blockedOf returns why the job cannot be started; empty if it can.
export function blockedOf(viewModel: ViewModel): string {
  const { m } = viewModel;
  const fault = faultsIn(viewModel)[0];
  if (fault !== undefined) return fault.line;
  if (isStopped(m)) return m.stop === null ? words.stopping : words.stopped;
  const hindered = hindranceOf(m);
  if (hindered !== '') return hindered;
  return m.state !== null && quality(sureness(m.state.cov)[0], m.state.trust) === 'lost' ? words.lost : '';
}

// takesOK: the current step waits for an OK that this page may give.
export function takesOK(m: Readonly<Model>): boolean {
  return (
    underWay(m.run) &&
    m.run.phase === 'running' &&
    !isStopped(m) &&
    m.state?.message?.ok === true &&
    m.state.job?.step === m.run.step
  );
}

export function rowsOf(viewModel: ViewModel): Row[] {
  const { m, doc, figures, ghost } = viewModel;
  const run = runOf(viewModel);
  const looks: (Look | null)[] = run === null ? [] : looksOf(run);
  const bad = faultsIn(viewModel);
  const first = fixedOf(m);
  return doc.cards.map((c, i): Row => {
    const step = run?.steps[i];
    const look =
      run !== null && step !== undefined && (i < first || sameSteps([c.step], [step])) ? (looks[i] ?? null) : null;
    const figure = figures.get(c.key);
    const way = run?.ways[i];
    const size =
      c.step.type !== 'MOVE' || look === 'done'
        ? null
        : run !== null && way !== undefined && way.length > 1
          ? { length: lengthOf(way), via: viaOn(way, m.plan.via) }
          : figure !== undefined && figure.fault === '' && figure.way.length > 1
            ? figure
            : null;
    const current = run !== null && i === run.step && underWay(run);
    const running = look === 'current' || look === 'paused';
    const fell = look === 'stuck' || look === 'failed' || look === 'skipped';
    const refused = fell ? (step?.reason ?? '') : '';
    const fault = i < first ? '' : (bad.find((f) => f.step === i)?.text ?? '');
    const expect =
      run !== null
        ? step?.expect
        : figure?.fault === ''
          ? figure.time
          : c.step.type === 'WAIT'
            ? c.step.seconds
            : undefined;
    return {
      key: c.key,
      step: c.step,
      look,
      fault,
      line:
        refused ||
        (step?.word === 'MODIFIED' && look === 'done' ? step.reason : '') ||
        lineOf(c.step, size, poseOfStep(c.step, m.plan.places)),
      time:
        look === 'stuck' && step !== undefined && step.tries > 1
          ? say(words.tries, { n: step.tries })
          : running && current
            ? timeOf(run, m.state)
            : fell || look === 'done' || expect === undefined || expect < 0.5
              ? ''
              : duration(expect),
      fixed: i < first,
      part: running && run !== null ? stepPart(run, m.state?.job ?? null) : ghost?.step === i ? ghost.part : 0,
      ok: current && takesOK(m),
      ghost: ghost?.step === i,
    };
  });
}

// pinsOf returns the goals of the remaining steps, and the highlighted one.
export function pinsOf(viewModel: ViewModel): Pin[] {
  const { m, doc, lit } = viewModel;
  const { run } = m;
  const active = underWay(run) ? run : null;
  const bad = faultsIn(viewModel);
  const next = active === null ? -1 : doc.cards.findIndex((c, i) => i >= active.step && c.step.type === 'MOVE');
  return doc.cards.flatMap((c, i): Pin[] => {
    const pose = poseOfStep(c.step, m.plan.places);
    const over = active !== null && (i < active.step || active.steps[i]?.state === 'FINISHED');
    if (pose === null || (over && c.key !== lit)) return [];
    const movable = i >= fixedOf(m);
    const kind = bad.some((f) => f.step === i) && movable ? 'bad' : active !== null && i !== next ? 'later' : 'next';
    return [{ key: c.key, n: i + 1, pose, kind }];
  });
}

// waysOf returns the paths between them; Go to draws the one that is driven.
export function waysOf({ m, doc, figures }: ViewModel): { way: readonly Point[]; driven: boolean }[] {
  const { run } = m;
  if (!underWay(run))
    return doc.cards
      .map((c) => ({ way: figures.get(c.key)?.way ?? [], driven: false }))
      .filter(({ way }) => way.length > 0);
  const first = run.steps.findIndex((s, i) => i >= run.step && s.type === 'MOVE');
  const going = first === run.step && m.state?.goal?.phase !== 'ended' && m.state?.goal != null;
  return run.ways.flatMap((way, i) =>
    way.length < 2 || i < first || first < 0 || (i === first && going) ? [] : [{ way, driven: i === first }],
  );
}

export function barOf(viewModel: ViewModel): Bar {
  const { m, doc, says, whole, preparing, ghost } = viewModel;
  const run = runOf(viewModel);
  const can = mayAct(m);
  const n = doc.cards.length;
  const bad = faultsIn(viewModel)[0];
  const none: Bar = {
    kind: 'none',
    where: '',
    bad: false,
    left: '',
    part: null,
    quiet: false,
    says: says.text,
    wrong: says.bad,
    buttons: mayWrite(m),
    run: words.run,
    canRun: false,
    previewing: false,
    canPreview: false,
    resume: false,
    canPause: false,
    canSkip: false,
    stuck: false,
    ok: false,
  };
  if (n === 0) return says.text === '' ? none : { ...none, kind: 'compose', buttons: false };
  if (underWay(run)) {
    const left = m.state?.job?.run === run.n ? m.state.job.left : null;
    const says0 =
      says.text !== ''
        ? says.text
        : bad !== undefined
          ? bad.line
          : viewModel.changing
            ? words.changing
            : run.phase === 'paused'
              ? run.reason
              : takesOK(m) && lacks(m.robot, 'ok_switch') && lacks(m.robot, 'display')
                ? parts.okHere
                : ''; // the card of a stuck step says why
    return {
      ...none,
      kind: 'run',
      where: whereOf(run, m.stop !== null),
      left: left === null ? '' : say(words.left, { time: duration(left) }),
      part: partOf(run, m.state?.job ?? null),
      quiet: run.phase !== 'running' || isHeld(m),
      says: says0,
      wrong: says.bad || bad !== undefined || run.phase === 'stuck',
      resume: run.phase !== 'running',
      canPause: can && !(run.phase !== 'running' && isHeld(m)),
      canSkip: can && !isHeld(m),
      stuck: run.phase === 'stuck',
      ok: can && takesOK(m),
    };
  }
  if (!mayWrite(m))
    return run === null
      ? none
      : { ...none, kind: 'run', where: whereOf(run, false), part: partOf(run, null), quiet: true };
  const why = blockedOf(viewModel);
  const long = whole === null ? '' : duration(whole);
  const size =
    long === ''
      ? say(n === 1 ? words.countOne : words.count, { n })
      : say(n === 1 ? words.wholeOne : words.whole, { n, time: long });
  const ended = run !== null && why === '' ? whereOf(run, false) : '';
  return {
    ...none,
    kind: 'compose',
    where: preparing
      ? words.preparing
      : ghost !== null
        ? say(words.previewing, { n: ghost.step + 1, of: n })
        : bad !== undefined
          ? bad.line
          : why || ended,
    bad: bad !== undefined && !preparing,
    left: size,
    canRun: can && why === '' && !preparing,
    run: preparing ? words.preparing : words.run,
    previewing: ghost !== null,
    canPreview: can && whole !== null && why === '' && !preparing,
  };
}

function lengthOf(way: readonly (readonly [x: number, y: number])[]): number {
  return way.reduce((sum, [x, y], i) => sum + Math.hypot(x - (way[i - 1]?.[0] ?? x), y - (way[i - 1]?.[1] ?? y)), 0);
}
