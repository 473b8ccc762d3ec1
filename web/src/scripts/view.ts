// What the tab shows. Pure.
import { type Act, mayLast, type Rule, type When } from './rule.ts';
import type { Entry, Line } from './api.ts';
import { hasControl, isStopped, mayAct, type Model } from '../store.ts';
import type { Scripts, ScriptUnit } from '../wire.ts';
import { say } from '../words.ts';
import { scripts as words, scriptSides as sides } from '../../strings.json';

// Card is a script in the list, or a connected program after them.
export interface Card {
  id: string;
  name: string;
  saved: boolean; // false: a connection, or a script that was deleted while it runs
  unit: ScriptUnit | null; // null: not running
  says: string;
  last: string; // the last line of its output
}

export function cardsOf(list: readonly Entry[], now: Scripts | null, lines: readonly Line[]): Card[] {
  const units = now?.units ?? [];
  const card = (id: string, name: string, saved: boolean): Card => {
    const unit = units.find((u) => u.name === id) ?? null;
    return {
      id,
      name,
      saved,
      unit,
      says: unit === null ? words.off : saysOf(unit, now?.held ?? ''),
      last: lastOf(lines, id),
    };
  };
  const others = units.filter((u) => !list.some((s) => s.id === u.name));
  return [...list.map((s) => card(s.id, s.name, true)), ...others.map((u) => card(u.name, u.name, false))];
}

// saysOf omits the reason for a hold if the tab already shows it for all scripts.
function saysOf(u: ScriptUnit, shown: string): string {
  const by = u.by ? say(words.by, { name: u.by }) : words.running;
  if (!u.held) return by;
  return `${by} ${u.why === shown ? words.unitHeld : say(words.unitHeldWhy, { why: u.why })}`;
}

// lastOf returns the last line of a unit, even if an earlier run of its script wrote it.
export function lastOf(lines: readonly Line[], unit: string): string {
  const line = lines.findLast((l) => l.unit === unit);
  return line === undefined ? '' : lineText(line);
}

// lineText returns a line without the marks of the line protocol.
export function lineText(l: Line): string {
  const text = l.text.replace(/^(?:\*\*\*|!!!) /, '');
  return l.tag === 'notag' || l.tag === 'error' ? text : `${l.tag}: ${text}`;
}

export const isFault = (l: Line): boolean => l.text.startsWith('!!! ');

// heldOf returns why the motion of scripts is held and whether this person may resume it; null: it is not
// held.
export function heldOf(m: Readonly<Model>): { why: string; may: boolean; how: string } | null {
  const why = m.scripts?.held || (m.scripts?.units.find((u) => u.held && !isConnection(u.name))?.why ?? '');
  if (why === '') return null;
  return { why, may: mayAct(m) && !isStopped(m), how: howToResume(m) };
}

// isConnection: the unit is a connected program. Until its command motoron its motion is held as a matter of course, so
// that alone does not make the tab show Resume.
export const isConnection = (unit: string): boolean => /^U\d+$/.test(unit);

// howToResume returns what has to happen before Resume works; empty: the robot cannot be reached, or this
// person is passing control on.
function howToResume(m: Readonly<Model>): string {
  if (!m.socket || m.conn === 'lost') return '';
  if (!hasControl(m)) return words.resumeControl;
  if (isStopped(m)) return words.resumeStop;
  return mayAct(m) ? words.resumeNow : '';
}

// leaseOf returns the lease under which this page starts a script. It is 0 without control or while the
// robot is stopped: then the robot holds the script's motion until the person in control resumes it.
export const leaseOf = (m: Readonly<Model>): number => (mayAct(m) && !isStopped(m) ? m.epoch : 0);

export const mayChange = (m: Readonly<Model>): boolean => m.socket && m.conn !== 'lost' && m.role !== 'observer';

// ---- rules as sentences ----------------------------------------------------

export function describeWhen(r: Rule): string {
  const sentence = whenSentence(r.when);
  return r.lasts > 0 && mayLast(r.when.kind)
    ? say(words.lasting, { what: sentence, time: timeText(r.lasts) })
    : sentence;
}

function whenSentence(w: When): string {
  switch (w.kind) {
    case 'battery':
      return say(words.whenBattery, { n: w.below });
    case 'close':
      return say(words.whenClose, { n: w.below, side: sides[w.side] });
    case 'blocked':
      return words.whenBlocked;
    case 'ok':
      return words.whenOk;
    case 'arrived':
      return w.place === '' ? words.whenArrived : say(words.whenArrivedAt, { place: w.place });
    case 'clock':
      return say(words.whenClock, { time: clockText(w.hour, w.minute) });
    case 'every':
      return say(words.whenEvery, { time: timeText(w.seconds) });
    case 'people':
      return words.whenPeople;
  }
}

export function describeActs(acts: readonly Act[]): string {
  return acts.map(actSentence).join(words.andThen);
}

function actSentence(a: Act): string {
  switch (a.do) {
    case 'goto':
      return say(words.actGoto, { place: a.place });
    case 'dock':
      return words.actDock;
    case 'job':
      return say(words.actJob, { name: a.name });
    case 'wait':
      return say(words.actWait, { time: timeText(a.seconds) });
    case 'say':
      return say(words.actSay, { text: a.text });
    case 'show':
      return say(words.actShow, { text: a.text });
    case 'alert':
      return say(words.actAlert, { text: a.text });
  }
}

export function clockText(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

// readClock reads a time of day, such as 22:05; null: the text is not one.
export function readClock(text: string): [hour: number, minute: number] | null {
  const m = /^\s*(\d{1,2})[:.](\d\d)\s*$/.exec(text);
  const [hour, minute] = [Number(m?.[1]), Number(m?.[2])];
  return hour <= 23 && minute <= 59 ? [hour, minute] : null;
}

export type TimeUnit = 's' | 'min' | 'h';

export const SECONDS: Record<TimeUnit, number> = { s: 1, min: 60, h: 3600 };

// unitOf returns the largest unit in which a time is a whole number.
export function unitOf(seconds: number): TimeUnit {
  if (seconds > 0 && seconds % 3600 === 0) return 'h';
  return seconds > 0 && seconds % 60 === 0 ? 'min' : 's';
}

export function timeText(seconds: number): string {
  const unit = unitOf(seconds);
  return `${seconds / SECONDS[unit]} ${unit}`;
}

// blankRule returns the rule with which the form for a new rule begins.
export function blankRule(): Rule {
  return { tag: '', when: whenFor('battery'), lasts: 5, then: [{ do: 'dock' }] };
}

export function whenFor(kind: When['kind']): When {
  switch (kind) {
    case 'battery':
      return { kind, below: 20 };
    case 'close':
      return { kind, side: 'near', below: 1 };
    case 'arrived':
      return { kind, place: '' };
    case 'clock':
      return { kind, hour: 22, minute: 0 };
    case 'every':
      return { kind, seconds: 1800 };
    default:
      return { kind };
  }
}

export function actFor(what: Act['do'], places: readonly string[], jobs: readonly string[]): Act {
  switch (what) {
    case 'goto':
      return { do: what, place: places[0] ?? '' };
    case 'dock':
      return { do: what };
    case 'job':
      return { do: what, name: jobs[0] ?? '' };
    case 'wait':
      return { do: what, seconds: 60 };
    default:
      return { do: what, text: '' };
  }
}
