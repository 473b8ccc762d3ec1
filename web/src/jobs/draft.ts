// Draft: a job that a person writes, with undo and redo. It is pure: every change returns new values.
import { jobs as words } from '../../strings.json';
import { nearest } from '../goto/line.ts';
import { wrap } from '../virtualrobot/step.ts';
import type { Job, Point, Pose, Step } from '../wire.ts';

// Card is a step with a key that remains when it is moved.
export interface Card {
  key: number;
  step: Step;
}

export interface Doc {
  id: string; // of the saved job; empty: it was never saved
  made: number; // tells apart the documents that were never saved
  name: string;
  revision: number; // of the version that was read
  cards: readonly Card[];
}

export interface History {
  past: readonly Doc[]; // oldest first
  now: Doc;
  future: readonly Doc[]; // next first
  mark: string; // what the last change was about; a further one with the same mark joins it
}

// Kept is what this tab stores over a reload.
export interface Kept {
  history: History;
  saved: Doc | null; // the version that the robot has saved
}

export const DEEP = 50;
export const MOST = 100; // steps of a job

let keys = 0; // the newest key or number of a document; they are unique within a page only

export function fresh(name: string): Doc {
  return { id: '', made: ++keys, name, revision: 0, cards: [] };
}

export function begin(now: Doc): History {
  return { past: [], now, future: [], mark: '' };
}

// done returns the history after a change. Consecutive changes with the same mark are undone together.
export function done(h: History, now: Doc, mark = ''): History {
  if (same(h.now, now)) return h;
  const joins = mark !== '' && mark === h.mark;
  return { past: joins ? h.past : [...h.past, h.now].slice(-DEEP), now, future: [], mark };
}

export function undo(h: History): History {
  const now = h.past.at(-1);
  return now === undefined ? h : { past: h.past.slice(0, -1), now, future: [h.now, ...h.future], mark: '' };
}

export function redo(h: History): History {
  const [now, ...future] = h.future;
  return now === undefined ? h : { past: [...h.past, h.now], now, future, mark: '' };
}

// ---- changes ----

const FIRST: Readonly<Record<Step['type'], Step>> = {
  MOVE: { type: 'MOVE' },
  VOICE: { type: 'VOICE', text: '', voice: 'en', speed: 1 },
  MESSAGE: { type: 'MESSAGE', text: '', ok: true },
  WAIT: { type: 'WAIT', seconds: 30 },
};

// KINDS are the kinds of a step's fields, but for its pose.
const KINDS: Readonly<Record<string, string>> = {
  type: 'string',
  place: 'string',
  text: 'string',
  voice: 'string',
  on_failure: 'string',
  ok: 'boolean',
  speed: 'number',
  seconds: 'number',
  retries: 'number',
  retry_after: 'number',
};

export function blank(type: Step['type']): Step {
  return FIRST[type];
}

// insert inserts a step before the one at a place; it returns the new card and the document.
export function insert(doc: Doc, at: number, step: Step): { doc: Doc; key: number } {
  const key = ++keys;
  return { doc: put(doc, at, { key, step: tidy(step) }), key };
}

function put(doc: Doc, at: number, card: Card): Doc {
  return { ...doc, cards: [...doc.cards.slice(0, at), card, ...doc.cards.slice(at)] };
}

export function edit(doc: Doc, key: number, step: Step): Doc {
  return { ...doc, cards: doc.cards.map((c) => (c.key === key ? { key, step: tidy(step) } : c)) };
}

export function remove(doc: Doc, key: number): Doc {
  return { ...doc, cards: doc.cards.filter((c) => c.key !== key) };
}

// move moves a step to a place, counted without it.
export function move(doc: Doc, key: number, to: number): Doc {
  const card = doc.cards.find((c) => c.key === key);
  return card === undefined ? doc : put(remove(doc, key), Math.max(0, to), card);
}

export function placeOf(doc: Doc, key: number | null): number {
  return doc.cards.findIndex((c) => c.key === key);
}

export function stepsOf(doc: Doc): Step[] {
  return doc.cards.map((c) => c.step);
}

// docOf converts a job of the robot. A step equal to that of like at the same place keeps its card, and a job
// of the same id and name is the same document.
export function docOf(job: Pick<Job, 'id' | 'name' | 'steps' | 'revision'>, like?: Doc): Doc {
  const cards = job.steps.map((s, i): Card => {
    const step = tidy(s);
    const card = like?.cards[i];
    return card !== undefined && sameStep(card.step, step)
      ? card
      : { key: card?.step.type === step.type ? card.key : ++keys, step };
  });
  const made = like?.id === job.id && like.name === job.name ? like.made : ++keys;
  return { id: job.id, made, name: job.name, revision: job.revision, cards };
}

// tidy keeps the fields of a step that its type has, without empty ones.
export function tidy(s: Step): Step {
  const out: Step = { type: s.type };
  if (s.type === 'MOVE') {
    if (s.place) out.place = s.place;
    else if (s.pose) out.pose = s.pose;
  }
  if (s.type === 'VOICE' || s.type === 'MESSAGE') out.text = s.text ?? '';
  if (s.type === 'VOICE') [out.voice, out.speed] = [s.voice || 'en', s.speed || 1];
  if ((s.type === 'MESSAGE' || s.type === 'WAIT') && s.ok) out.ok = true;
  if (s.type !== 'VOICE' && s.seconds) out.seconds = s.seconds;
  if (s.on_failure && s.on_failure !== 'stop') out.on_failure = s.on_failure;
  if (s.on_failure === 'retry') {
    if (s.retries) out.retries = s.retries;
    if (s.retry_after) out.retry_after = s.retry_after;
  }
  return out;
}

// poseOfStep returns the goal of a MOVE; null if unknown.
export function poseOfStep(step: Step, places: readonly { name: string; pose: Pose }[]): Pose | null {
  if (step.type !== 'MOVE') return null;
  return step.pose ?? places.find((p) => p.name === step.place)?.pose ?? null;
}

// ---- sameness ----

export function same(a: Doc, b: Doc): boolean {
  return (
    a === b || (a.id === b.id && a.name === b.name && a.revision === b.revision && sameSteps(stepsOf(a), stepsOf(b)))
  );
}

export function sameSteps(a: readonly Step[], b: readonly Step[]): boolean {
  return a.length === b.length && a.every((s, i) => sameStep(s, b[i] as Step));
}

// sameStep compares steps: poses are equal within a millimetre, because they have been written and read.
export function sameStep(a: Step, b: Step): boolean {
  const [x, y] = [tidy(a), tidy(b)];
  if ((x.pose === undefined) !== (y.pose === undefined)) return false;
  if (
    x.pose &&
    y.pose &&
    (Math.hypot(x.pose[0] - y.pose[0], x.pose[1] - y.pose[1]) > 1e-3 || Math.abs(wrap(x.pose[2] - y.pose[2])) > 1e-3)
  )
    return false;
  return JSON.stringify({ ...x, pose: 0 }) === JSON.stringify({ ...y, pose: 0 });
}

// unsaved reports whether the document differs from what the robot has saved.
export function unsaved(doc: Doc, saved: Doc | null): boolean {
  return doc.cards.length > 0 && (saved === null || !same({ ...saved, revision: doc.revision }, doc));
}

// ---- over a reload ----

// readStored parses what was stored; null if it is invalid.
export function readStored(stored: unknown): Kept | null {
  const d = stored as Partial<Kept> | null;
  const h = d?.history;
  if (!h || !Array.isArray(h.past) || !Array.isArray(h.future)) return null;
  const docs = [...h.past, h.now, ...h.future, ...(d.saved ? [d.saved] : [])];
  if (!docs.every(isDoc)) return null;
  keys = Math.max(keys, ...docs.flatMap((doc) => [doc.made ?? 0, ...doc.cards.map((c) => c.key)]));
  return { history: { past: h.past, now: h.now, future: h.future, mark: '' }, saved: d.saved ?? null };
}

function isDoc(d: unknown): d is Doc {
  const doc = d as Partial<Doc> | null;
  return (
    typeof doc?.id === 'string' &&
    typeof doc.name === 'string' &&
    typeof doc.revision === 'number' &&
    Array.isArray(doc.cards) &&
    doc.cards.every((c: Partial<Card> | null) => typeof c?.key === 'number' && isStep(c.step))
  );
}

export function isStep(s: unknown): s is Step {
  if (typeof s !== 'object' || s === null) return false;
  const { pose = [0, 0, 0], ...rest } = s as Partial<Step>;
  return (
    Object.hasOwn(FIRST, String(rest.type)) &&
    Array.isArray(pose) &&
    pose.length === 3 &&
    pose.every(Number.isFinite) &&
    Object.entries(rest).every(([field, value]) => typeof value === KINDS[field])
  );
}

// readFile parses a job that a person wrote or exported; null if it is none.
export function readFile(file: unknown): Doc | null {
  const job = file as Partial<Job> | null;
  if (typeof job?.name !== 'string' || !Array.isArray(job.steps) || !job.steps.every(isStep)) return null;
  return docOf({ id: '', name: job.name, revision: 0, steps: job.steps });
}

// ---- the paper's example ----

// example is figure 6 of the paper, on this map: with the paper's places by name, or else the next ones.
export function example(places: readonly { name: string }[], dock: string): Doc {
  const own = places.map((p) => p.name).filter((n) => n !== dock);
  const go = (name: string, i: number): Step => ({
    type: 'MOVE',
    place: own.includes(name) ? name : (own[i] ?? own[0] ?? ''),
  });
  const say = (text: string): Step => ({ type: 'VOICE', text });
  const show = (text: string): Step => ({ type: 'MESSAGE', text, ok: true });
  const steps = [
    go('Sofa', 0),
    say(words.paperHello),
    show(words.paperGive),
    go('Copy room', 1),
    say(words.paperMessage),
    show(words.paperCopy),
    go('Desk', 2),
  ];
  return docOf({ id: '', name: words.paperName, revision: 0, steps });
}

// viaOn returns the names of the via points on a path, in order; near is their greatest distance from it,
// m.
export function viaOn(way: readonly Point[], via: readonly { name: string; at: Point }[], near = 0.45): string[] {
  const on = via
    .map(({ name, at }) => ({ name, ...nearest(way, at) }))
    .filter(({ name, off }) => name !== '' && off <= near);
  return on.sort((a, b) => a.at - b.at).map(({ name }) => name);
}
