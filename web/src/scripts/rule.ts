// A rule: when something happens, for how long it must last, and what the robot does then. A rule is one
// line of a script. Pure.

export type Side = 'near' | 'front' | 'left' | 'right' | 'back';

export type When =
  | { kind: 'battery'; below: number } // %
  | { kind: 'close'; side: Side; below: number } // m
  | { kind: 'blocked' }
  | { kind: 'ok' }
  | { kind: 'arrived'; place: string } // empty: anywhere
  | { kind: 'clock'; hour: number; minute: number }
  | { kind: 'every'; seconds: number }
  | { kind: 'people' };

export type Act =
  | { do: 'goto'; place: string }
  | { do: 'dock' }
  | { do: 'job'; name: string }
  | { do: 'say' | 'show' | 'alert'; text: string }
  | { do: 'wait'; seconds: number };

export interface Rule {
  tag: string; // empty: no tag
  when: When;
  lasts: number; // s; 0: the robot acts at once
  then: Act[]; // one after another, at least one
}

// MAX_ACTS limits the actions of a rule in the form; a longer line stays text.
export const MAX_ACTS = 6;

const SIDES: readonly string[] = ['near', 'front', 'left', 'right', 'back'] satisfies Side[];

// mayLast: the form asks for how long this must last.
export const mayLast = (kind: When['kind']): boolean => kind === 'battery' || kind === 'close' || kind === 'blocked';

// ---- to a line -------------------------------------------------------------

export function writeRule(r: Rule): string {
  const tag = r.tag === '' ? '' : `${r.tag}: `;
  const head =
    r.when.kind === 'every'
      ? `every (${writeTime(r.when.seconds)})`
      : `at (${writeTest(r.when)}${r.lasts > 0 ? ` ~ ${writeTime(r.lasts)}` : ''})`;
  return `${tag}${head} ${r.then.map(writeAct).join(' | ')};`;
}

function writeTest(w: Exclude<When, { kind: 'every' }>): string {
  switch (w.kind) {
    case 'battery':
      return `battery.val < ${writeNumber(w.below)}`;
    case 'close':
      return `${w.side}.val < ${writeNumber(w.below)}`;
    case 'blocked':
      return 'goal.phase == "blocked"';
    case 'ok':
      return 'ok.val == 1';
    case 'arrived':
      return `goal.result == "SUCCESS"${w.place === '' ? '' : ` && goal.name == ${quote(w.place)}`}`;
    case 'clock':
      return `clock.hour == ${w.hour} && clock.minute == ${w.minute}`;
    case 'people':
      return 'people.val > 0';
  }
}

function writeAct(a: Act): string {
  switch (a.do) {
    case 'goto':
      return `goto(${quote(a.place)})`;
    case 'dock':
      return 'dock()';
    case 'job':
      return `job(${quote(a.name)})`;
    case 'wait':
      return `wait(${writeTime(a.seconds)})`;
    default:
      return `${a.do}(${quote(a.text)})`;
  }
}

// quote returns a text as a literal of the language.
export function quote(s: string): string {
  return `"${s.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}"`;
}

// writeNumber writes a number, rounded to thousandths.
function writeNumber(n: number): string {
  return String(Math.round(n * 1000) / 1000);
}

const UNITS: readonly [string, number][] = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

// writeTime writes a time with the largest unit that makes it whole.
function writeTime(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  for (const [unit, length] of UNITS) if (ms > 0 && ms % length === 0) return `${ms / length}${unit}`;
  return `${ms}ms`;
}

// ---- from a line -----------------------------------------------------------

// Reader takes pieces from the front of a line. failed: an expected piece was missing.
class Reader {
  failed = false;
  #at = 0;

  constructor(readonly line: string) {}

  // take takes what matches a pattern here, after blanks; null: nothing does.
  take(pattern: string): RegExpExecArray | null {
    const found = new RegExp(`[ \\t]*(?:${pattern})`, 'y');
    found.lastIndex = this.#at;
    const m = found.exec(this.line);
    if (m !== null) this.#at = found.lastIndex;
    return m;
  }

  // need takes what must match.
  need(pattern: string): RegExpExecArray | null {
    const m = this.take(pattern);
    if (m === null) this.failed = true;
    return m;
  }

  number(): number {
    return Number(this.need(String.raw`(\d+(?:\.\d+)?)(?![\w.])`)?.[1] ?? NaN);
  }

  // time takes a time and returns it in s. A time without a unit is in ms.
  time(unit: string): number {
    const m = this.need(`(\\d+(?:\\.\\d+)?)(ms|s|min|h)${unit}(?!\\w)`);
    if (m === null) return NaN;
    const length = m[2] === undefined ? 1 : (UNITS.find(([name]) => name === m[2])?.[1] ?? 1);
    return (Number(m[1]) * length) / 1000;
  }

  text(): string {
    const inside = this.need(String.raw`"((?:[^"\\]|\\[nt"\\])*)"`)?.[1] ?? '';
    return inside.replace(/\\(.)/g, (_, c: string) => ({ n: '\n', t: '\t' })[c] ?? c);
  }
}

const NAME = '[A-Za-z_][A-Za-z_0-9]*';

// readRule reads a whole line; null: the line is not a rule of the form.
export function readRule(line: string): Rule | null {
  const r = new Reader(line);
  const tag = r.take(`(${NAME}(?:\\.${NAME})*)[ \\t]*:`)?.[1] ?? '';
  const head = r.need('(at|every)[ \\t]*\\(')?.[1];
  if (head === undefined) return null;
  const rule: Rule = { tag, when: { kind: 'blocked' }, lasts: 0, then: [] };
  if (head === 'every') rule.when = { kind: 'every', seconds: r.time('?') };
  else {
    rule.when = readTest(r);
    if (r.take('~') !== null) rule.lasts = r.time('');
  }
  r.need('\\)');
  do {
    const act = readAct(r);
    if (act === null) return null;
    rule.then.push(act);
  } while (r.take('\\|(?!\\|)') !== null);
  r.need(';[ \\t\\r]*$');
  return r.failed || rule.then.length > MAX_ACTS ? null : rule;
}

function readTest(r: Reader): When {
  const name = r.need(`(${NAME}\\.${NAME})(?![.\\w'])`)?.[1] ?? '';
  const [device = '', field = ''] = name.split('.');
  if (field === 'val' && SIDES.includes(device)) {
    r.need('<(?!=)');
    return { kind: 'close', side: device as Side, below: r.number() };
  }
  switch (name) {
    case 'battery.val':
      r.need('<(?!=)');
      return { kind: 'battery', below: r.number() };
    case 'ok.val':
      r.need('==');
      r.need('1(?![\\w.])');
      return { kind: 'ok' };
    case 'people.val':
      r.need('>(?!=)');
      r.need('0(?![\\w.])');
      return { kind: 'people' };
    case 'goal.phase':
      r.need('==[ \\t]*"blocked"');
      return { kind: 'blocked' };
    case 'goal.result':
      r.need('==[ \\t]*"SUCCESS"');
      return { kind: 'arrived', place: readPlace(r) };
    case 'clock.hour':
      return readClock(r);
  }
  r.failed = true;
  return { kind: 'blocked' };
}

// readPlace reads where the robot has arrived; empty: anywhere.
function readPlace(r: Reader): string {
  if (r.take('&&') === null) return '';
  r.need('goal\\.name[ \\t]*==');
  const place = r.text();
  if (place === '') r.failed = true; // in the form an empty place means anywhere
  return place;
}

function readClock(r: Reader): When {
  r.need('==');
  const hour = r.number();
  r.need('&&[ \\t]*clock\\.minute[ \\t]*==');
  const minute = r.number();
  if (!Number.isInteger(hour) || hour > 23 || !Number.isInteger(minute) || minute > 59) r.failed = true;
  return { kind: 'clock', hour, minute };
}

function readAct(r: Reader): Act | null {
  const name = r.need('(goto|dock|job|say|show|alert|wait)[ \\t]*\\(')?.[1];
  let act: Act;
  switch (name) {
    case 'goto':
      act = { do: name, place: r.text() };
      break;
    case 'dock':
      act = { do: name };
      break;
    case 'job':
      act = { do: name, name: r.text() };
      break;
    case 'say':
    case 'show':
    case 'alert':
      act = { do: name, text: r.text() };
      break;
    case 'wait':
      act = { do: name, seconds: r.time('?') };
      break;
    default:
      return null;
  }
  r.need('\\)');
  return act;
}
