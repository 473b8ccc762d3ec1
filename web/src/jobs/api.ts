// The tab's HTTP requests to the robot, in addition to the socket.
import { jobs as words } from '../../strings.json';
import type { Point, Step, Word } from '../wire.ts';

// Rehearsal is the outcome of the whole job on the virtual robot.
export interface Rehearsal {
  time: number; // s
  length: number; // m
  steps: { time: number; length: number; word: Word; reason: string; way: Point[] | null }[];
  path: [t: number, x: number, y: number, theta: number][];
}

// taken: the request was executed, perhaps modified.
export const taken = (word: Word | ''): boolean => word === 'SUCCESS' || word === 'MODIFIED';

export interface Answer<T> {
  value: T | null; // null: it was refused
  status: number; // 0: the robot did not answer
  reason: string; // why it was refused
  faults: { step: number; text: string }[]; // of the steps, if the robot names them
}

export async function ask<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer<T>> {
  try {
    const init: RequestInit =
      body === undefined
        ? { method }
        : { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    if (signal) init.signal = signal;
    const answer = await fetch(`/api/v1/${path}`, init);
    return readAnswer<T>(answer.status, await answer.text());
  } catch {
    return { value: null, status: 0, reason: words.failedAsk, faults: [] };
  }
}

// readAnswer parses an answer: a value, a sentence, one of the seven words with its reason, or faults of
// steps.
export function readAnswer<T>(status: number, text: string): Answer<T> {
  const value = parse<T & { word?: Word; reason?: string; faults?: { step: number; text: string }[] }>(text);
  const refused = value?.word !== undefined && !taken(value.word);
  if (status >= 200 && status < 300 && !refused) return { value: value ?? ({} as T), status, reason: '', faults: [] };
  const faults = value?.faults ?? [];
  return {
    value: null,
    status,
    reason: value?.reason || faults[0]?.text || (value === null ? text.trim() : '') || words.failedAsk,
    faults,
  };
}

function parse<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null; // a sentence, or nothing
  }
}

export const rehearse = (steps: Step[], signal: AbortSignal) => ask<Rehearsal>('POST', 'rehearse', { steps }, signal);
