// What a script did on the virtual robot, as the page shows it. Pure.
import { scriptTry as words } from '../../strings.json';
import { say } from '../words.ts';
import type { Pose } from '../wire.ts';

export type LaneKind = 'tag' | 'goal' | 'speech' | 'message';

export interface Lane {
  kind: LaneKind;
  name: string;
  begin: number; // s
  end: number; // s
  frozen: boolean;
}

export interface TrialLine {
  t: number; // s
  by: 'script' | 'what_if' | 'robot';
  tag: string;
  text: string;
  fault: boolean;
  line?: number; // of a fault, from 1
  column?: number; // from 1, in characters
}

// Trial is the robot's answer.
export interface Trial {
  time: number; // s, of virtual time
  ended: boolean; // all of the script was over before
  why: string;
  at: Pose;
  lines: TrialLine[];
  lanes: Lane[]; // by their beginning
  path: [t: number, x: number, y: number, theta: number][];
  left_out: number;
}

export interface Span {
  begin: number; // s
  end: number; // s
  frozen: boolean;
}

// Row is all lanes of one tag or goal, or of what the robot says or shows.
export interface Row {
  kind: LaneKind;
  label: string;
  spans: Span[];
}

const MAX_ROWS = 40;
const MAX_SPOKEN = 6; // spans of a row, for screen readers

// rowsOf returns the rows by their beginning, and how many there are beyond the most that are shown.
export function rowsOf(lanes: readonly Lane[]): { rows: Row[]; more: number } {
  const rows = new Map<string, Row>();
  for (const { kind, name, begin, end, frozen } of lanes) {
    const label = labelOf(kind, name);
    const row = rows.get(kind + label) ?? { kind, label, spans: [] };
    row.spans.push({ begin, end, frozen });
    rows.set(kind + label, row);
  }
  const all = [...rows.values()];
  return { rows: all.slice(0, MAX_ROWS), more: Math.max(0, all.length - MAX_ROWS) };
}

function labelOf(kind: LaneKind, name: string): string {
  switch (kind) {
    case 'tag':
      return name;
    case 'goal':
      return say(words.laneGoal, { name });
    case 'speech':
      return words.laneSpeech;
    case 'message':
      return words.laneMessage;
  }
}

// rowText is a row as a screen reader says it.
export function rowText({ label, spans }: Row): string {
  const times = spans
    .slice(0, MAX_SPOKEN)
    .map((s) => say(s.frozen ? words.spanFrozen : words.span, { begin: clockText(s.begin), end: clockText(s.end) }));
  if (spans.length > MAX_SPOKEN) times.push(say(words.spansMore, { n: spans.length - MAX_SPOKEN }));
  return `${label}: ${times.join(', ')}`;
}

// clockText is a time of a trial, such as 0:15.9 or 1:02:05.0.
export function clockText(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const s = Math.floor(tenths / 10);
  const two = (n: number) => String(n).padStart(2, '0');
  const rest = `${two(s % 60)}.${tenths % 10}`;
  const minutes = Math.floor(s / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

const LEAST_SHOWN = 10; // s

// shownEnd is until when a trial is shown, in s: a little longer than something happens in it.
export function shownEnd({ time, lines, lanes, path }: Trial): number {
  let last = 0;
  for (const l of lines) last = Math.max(last, l.t);
  for (const l of lanes) last = Math.max(last, l.end < time ? l.end : l.begin);
  for (const [i, p] of path.entries()) {
    const before = path[i - 1];
    if (before !== undefined && (p[1] !== before[1] || p[2] !== before[2] || p[3] !== before[3]))
      last = Math.max(last, p[0]);
  }
  return Math.min(time, Math.max(LEAST_SHOWN, Math.ceil(last * 1.05)));
}

// endText says why and when a trial ended.
export function endText(t: Trial): string {
  const parts = [say(words.ended, { time: clockText(t.time), why: t.why })];
  const until = shownEnd(t);
  if (until < t.time) parts.push(say(words.quiet, { begin: clockText(until), end: clockText(t.time) }));
  if (t.left_out > 0) parts.push(say(words.leftOut, { n: t.left_out }));
  return parts.join(' ');
}

// linesUntil is how many lines were said by a time.
export function linesUntil(lines: readonly TrialLine[], t: number): number {
  const later = lines.findIndex((l) => l.t > t);
  return later < 0 ? lines.length : later;
}
