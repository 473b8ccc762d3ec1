// What a person watches, and the curves of it. Pure but for the storage.
import type { Word } from './api.ts';
import type { WatchedValue } from '../wire.ts';

export const MAX_WATCHED = 20; // that a person adds; the pointer and the caret have one more each
export const CURVE_S = 60;
const MAX_BYTES = 200; // of one
const KEY = 'mybot.watched';

// readWatched takes what is valid from what was stored.
export function readWatched(stored: unknown): string[] {
  if (!Array.isArray(stored)) return [];
  const texts = stored.filter((x): x is string => typeof x === 'string' && fits(x));
  return [...new Set(texts.map((x) => x.trim()))].slice(0, MAX_WATCHED);
}

export function fits(text: string): boolean {
  return text.trim() !== '' && new TextEncoder().encode(text).length <= MAX_BYTES;
}

export function loadWatched(): string[] {
  try {
    return readWatched(JSON.parse(localStorage.getItem(KEY) ?? '[]'));
  } catch {
    return [];
  }
}

export function saveWatched(all: readonly string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // no storage here
  }
}

// valueText is a value as a person reads it: a number has at most three decimals, or three digits if it is small.
export function valueText(v: WatchedValue): string {
  if (v.fault !== undefined) return '';
  const n = Number(v.text);
  const isNumber = v.number !== undefined && !Number.isNaN(n);
  const text = isNumber ? String(Number(Math.abs(n) < 0.01 ? n.toPrecision(3) : n.toFixed(3))) : v.text;
  return v.unit ? `${text} ${v.unit}` : text;
}

export type Point = readonly [t: number, value: number | null]; // null: there was no number then

// Curves has the last minute of each value.
export class Curves {
  readonly #points = new Map<string, Point[]>();

  add(t: number, values: readonly WatchedValue[]): void {
    for (const v of values) {
      const points = this.#points.get(v.of) ?? [];
      points.push([t, v.number ?? null]);
      while (points[0] !== undefined && t - points[0][0] > CURVE_S) points.shift();
      this.#points.set(v.of, points);
    }
  }

  // keep forgets all others.
  keep(of: readonly string[]): void {
    for (const known of [...this.#points.keys()]) if (!of.includes(known)) this.#points.delete(known);
  }

  of(text: string): readonly Point[] {
    return this.#points.get(text) ?? [];
  }
}

const GAP_S = 1; // without a value: the line is interrupted

// drawn is a curve as the path of an SVG, at t, with its least and greatest value; null: there is nothing to draw.
export function drawn(
  points: readonly Point[],
  t: number,
  width: number,
  height: number,
): { path: string; least: number; most: number } | null {
  const numbers = points.flatMap(([, v]) => (v === null ? [] : [v]));
  if (numbers.length === 0) return null;
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  const y = (v: number) => (most === least ? height / 2 : height - 1 - ((v - least) / (most - least)) * (height - 2));
  let path = '';
  let last: number | null = null;
  for (const [at, v] of points) {
    if (v === null) {
      last = null;
      continue;
    }
    path += `${last === null || at - last > GAP_S ? 'M' : 'L'}${(width * (1 - (t - at) / CURVE_S)).toFixed(1)} ${y(v).toFixed(1)}`;
    last = at;
  }
  return { path, least, most };
}

const NAME = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g;

// valueAt is the value that the name at a column of a line stands for; null: there is none. unit is the id of the script,
// whose variables are the bare names.
export function valueAt(
  line: string,
  column: number,
  unit: string,
  words: readonly Word[],
): { from: number; to: number; of: string } | null {
  for (const found of withoutTexts(line).matchAll(NAME)) {
    const from = found.index;
    const to = from + found[0].length;
    if (column < from || column > to) continue;
    const rest = line.slice(to);
    if (/^\s*\(/.test(rest) || /^\s*(?:\+\w+\s*)*:(?!:)/.test(rest)) return null; // a function, a tag
    const of = meant(found[0], unit, words);
    return of === null ? null : { from, to, of };
  }
  return null;
}

function meant(name: string, unit: string, words: readonly Word[]): string | null {
  const known = words.filter((w) => w.word === name || w.word === `${name}.val`);
  if (known.some((w) => w.word === `${name}.val`)) return `${name}.val`;
  if (name === 'time') return name;
  if (known.some((w) => w.kind !== 'device')) return null; // a word of the language, or a function
  if (name.includes('.')) return name.startsWith('self.') ? null : name;
  return unit === '' ? null : `${unit}.${name}`;
}

// withoutTexts has spaces in place of what is in quotes, and of a comment.
function withoutTexts(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"?|(?:#|\/\/).*|\/\*.*?(?:\*\/|$)/g, (text) => ' '.repeat(text.length));
}
