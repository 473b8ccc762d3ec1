// View: the texts of cards and run bar, from values alone.
import type { Doc } from './draft.ts';
import { MOST } from './draft.ts';
import { taken } from './api.ts';
import { jobs as words } from '../../strings.json';
import { heading, metres } from '../hud/figures.ts';
import { say } from '../words.ts';
import type { Pose, Run, RunState, State, Step } from '../wire.ts';

// duration formats seconds as "38 s" or "2 min 13 s".
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  return s < 60 ? say(words.seconds, { s }) : say(words.minutes, { m: Math.trunc(s / 60), s: s % 60 });
}

// countdown formats seconds as "0:24".
export function countdown(seconds: number): string {
  const s = Math.max(0, Math.ceil(seconds));
  return `${Math.trunc(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}

export function spot([x, y]: Pose): string {
  return say(words.spot, { x: metres(x), y: metres(y) });
}

// titleOf returns a step's main value.
export function titleOf(s: Step): string {
  switch (s.type) {
    case 'MOVE':
      return s.place || (s.pose ? spot(s.pose) : words.noPlace);
    case 'WAIT':
      return s.seconds === 1
        ? words.secondLong
        : s.seconds && s.seconds < 120
          ? say(words.secondsLong, { s: s.seconds })
          : duration(s.seconds ?? 0);
    default:
      return s.text?.trim() ? say(words.quote, { text: s.text.trim().replace(/\s+/g, ' ') }) : words.noText;
  }
}

// lineOf returns the line below it; size is the length of the path and the via points on it, once they are
// known.
export function lineOf(s: Step, size: { length: number; via: readonly string[] } | null, pose: Pose | null): string {
  switch (s.type) {
    case 'MOVE':
      if (size !== null)
        return say(size.via.length > 0 ? words.wayBy : words.way, {
          m: size.length.toFixed(1),
          via: size.via.join(', '),
        });
      return pose === null ? words.choosePlace : `${spot(pose)}  ${heading(pose[2])}°`;
    case 'VOICE':
      return say(words.voiceLine, { voice: voiceName(s.voice ?? 'en'), speed: speedName(s.speed ?? 1).toLowerCase() });
    case 'MESSAGE':
      if (!s.ok) return say(words.shownFor, { time: duration(s.seconds || SHOWN) });
      return s.seconds ? say(words.waitsOKMost, { time: duration(s.seconds) }) : words.waitsOK;
    case 'WAIT':
      return s.ok ? words.orOK : words.thenOn;
  }
}

const SHOWN = 5; // s for which a message without OK is shown by default

// voiceName returns the language of an espeak-ng voice: "Korean voice".
export function voiceName(voice: string): string {
  try {
    const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(voice);
    return say(words.voiceNamed, { name: name ?? voice });
  } catch {
    return say(words.voiceNamed, { name: voice }); // a voice that is no language
  }
}

export const SPEEDS = [0.75, 1, 1.25];

export function speedName(speed: number): string {
  return [words.slow, words.normal, words.fast][SPEEDS.indexOf(speed)] ?? say(words.speedTimes, { speed });
}

// ---- faults ----

export interface Fault {
  step: number; // index; -1: the job itself
  text: string; // why, on the card
  line: string; // with the step's number, in the bar
}

// faultsOf returns why a job cannot be run, as far as the page knows: the robot checks it again.
export function faultsOf(doc: Doc, places: readonly { name: string }[]): Fault[] {
  const out: Fault[] = [];
  if (doc.cards.length > MOST)
    out.push({ step: -1, text: '', line: say(words.tooMany, { n: doc.cards.length, most: MOST }) });
  doc.cards.forEach(({ step }, i) => {
    const text = faultOf(step, places);
    if (text !== null)
      out.push({ step: i, text: text.text, line: say(text.line, { n: i + 1, name: step.place ?? '' }) });
  });
  return out;
}

function faultOf(s: Step, places: readonly { name: string }[]): { text: string; line: string } | null {
  switch (s.type) {
    case 'MOVE':
      if (s.place && !places.some((p) => p.name === s.place))
        return { text: words.unknownPlace, line: words.needsKnown };
      return s.place || s.pose ? limit(s) : { text: words.choosePlace, line: words.needsPlace };
    case 'VOICE':
    case 'MESSAGE': {
      if (!s.text?.trim()) return { text: words.writeText, line: words.needsText };
      const most = s.type === 'VOICE' ? 200 : 140;
      const n = [...s.text].length;
      return n > most ? { text: say(words.longText, { have: n, most }), line: words.needsShort } : limit(s);
    }
    case 'WAIT':
      return within(s.seconds, 1, 3600) ? limit(s) : { text: words.waitRange, line: words.needsSeconds };
  }
}

function limit(s: Step): { text: string; line: string } | null {
  if (!within(s.seconds ?? 0, 0, 3600)) return { text: words.limitRange, line: words.needsLimit };
  const again = within(s.retries ?? 1, 1, 10) && Number.isInteger(s.retries ?? 1) && within(s.retry_after ?? 0, 0, 600);
  return again ? null : { text: words.retryRange, line: words.needsRetry };
}

function within(n: number | undefined, least: number, most: number): boolean {
  return n !== undefined && n >= least && n <= most;
}

// ---- a run ----

export type Look = 'todo' | 'current' | 'paused' | 'done' | 'skipped' | 'failed' | 'stuck';

export function underWay(run: Run | null): run is Run {
  return run !== null && run.phase !== 'ended';
}

// looksOf returns the look of each step's card.
export function looksOf(run: Run): Look[] {
  return run.steps.map((s, i) => {
    if (s.state === 'RETRIABLE') return 'stuck';
    if (s.skipped) return 'skipped';
    if (s.state === 'FINISHED') return 'done';
    if (s.state === 'FAILED') return 'failed';
    if (i !== run.step || run.phase === 'ended') return 'todo';
    return s.state === 'PAUSED' || run.phase === 'paused' ? 'paused' : 'current';
  });
}

// partOf returns the completed share of a run, 0 to 1, by the times of its steps.
export function partOf(run: Run, now: RunState | null): number {
  if (run.phase === 'ended') return taken(run.word) ? 1 : run.step / run.steps.length;
  const whole = run.steps.reduce((sum, s) => sum + s.expect, 0);
  const left = now?.run === run.n ? now.left : null;
  const part = left === null || whole <= 0 ? run.step / run.steps.length : 1 - left / whole;
  return Math.min(1, Math.max(0, part));
}

// stepPart returns the completed share of the current step.
export function stepPart(run: Run, now: RunState | null): number {
  const expect = run.steps[run.step]?.expect ?? 0;
  if (now?.run !== run.n || now.step !== run.step || now.step_left === null || expect <= 0) return 0;
  return Math.min(1, Math.max(0, 1 - now.step_left / expect));
}

// timeOf returns the countdown of the current step's card; empty if it waits for a person without a limit.
export function timeOf(run: Run, state: State | null): string {
  const step = run.steps[run.step];
  if (step === undefined || !state) return '';
  if (step.type === 'MESSAGE') return state.message?.left != null ? countdown(state.message.left) : '';
  const left = state.job?.run === run.n && state.job.step === run.step ? state.job.step_left : null;
  return left === null ? '' : countdown(left);
}

// whereOf returns the run bar's first line.
export function whereOf(run: Run, stopped: boolean): string {
  const at = say(words.stepOf, { n: Math.min(run.step + 1, run.steps.length), of: run.steps.length });
  if (run.phase === 'ended') return endOf(run);
  return stopped
    ? say(words.pausedByStop, { at })
    : run.phase === 'paused'
      ? say(words.pausedAt, { at })
      : run.phase === 'stuck'
        ? say(words.stuckAt, { at })
        : at;
}

export function endOf(run: Run): string {
  switch (run.word) {
    case 'SUCCESS':
      return words.endDone;
    case 'MODIFIED':
      return endChanged(run);
    case 'INTERRUPTED':
      return say(words.endEnded, { reason: run.reason });
    default:
      return say(words.endFailed, { reason: run.reason });
  }
}

// endChanged returns the message for the end of a job that was modified.
function endChanged(run: Run): string {
  const skipped = run.steps.flatMap((s, i) => (s.skipped ? [i + 1] : []));
  return skipped.length === 0 ? words.endModified : say(words.endSkipped, { n: skipped.join(', ') });
}

const DID: Readonly<Record<Step['type'], string>> = {
  MOVE: words.didMove,
  VOICE: words.didVoice,
  MESSAGE: words.didMessage,
  WAIT: words.didWait,
};

export interface News {
  text: string;
  word: 'SUCCESS' | 'ERROR' | 'MODIFIED' | null;
}

// newsOf returns the news of a run for all users: what was done, what failed, why it waits, how it ended.
// An arrival is reported with its goal, the last step with the end.
export function newsOf(run: Run | null, before: Run | null): News[] {
  if (run === null || before === null) return [];
  if (run.n !== before.n)
    return run.phase === 'ended' ? [] : [{ text: say(words.began, { name: run.name }), word: null }];
  const out: News[] = [];
  run.steps.forEach((s, i) => {
    const was = before.steps[i];
    const over = i === run.steps.length - 1 && s.state !== 'RETRIABLE';
    if (was === undefined || was.state === s.state || over || (run.phase === 'ended' && before.phase !== 'ended'))
      return;
    const n = i + 1;
    if (s.skipped) out.push({ text: say(words.stepSkipped, { n, reason: s.reason }), word: 'MODIFIED' });
    else if (s.state === 'FINISHED' && (s.type !== 'MOVE' || s.word === 'MODIFIED'))
      out.push({
        text: say(s.word === 'MODIFIED' ? words.stepModified : words.stepDone, {
          n,
          what: say(DID[s.type], { title: titleOf(s) }),
          reason: s.reason,
        }),
        word: s.word === 'MODIFIED' ? 'MODIFIED' : 'SUCCESS',
      });
    else if (s.state === 'RETRIABLE' || (s.state === 'FAILED' && run.word !== 'INTERRUPTED'))
      out.push({ text: say(words.stepFailed, { n, reason: s.reason }), word: 'ERROR' });
  });
  if (run.phase !== before.phase) {
    if (run.phase === 'paused') out.push({ text: say(words.pausedWhy, { reason: run.reason }), word: null });
    if (before.phase === 'paused' && run.phase === 'running') out.push({ text: words.resumed, word: null });
    if (run.phase === 'ended')
      out.push({ text: endOf(run), word: run.word === 'SUCCESS' ? 'SUCCESS' : run.word === 'ERROR' ? 'ERROR' : null });
  }
  return out;
}
