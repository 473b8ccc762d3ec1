// The tab's HTTP requests to the robot, in addition to the socket.
import { ask } from '../jobs/api.ts';

// Entry is a script in the list, without its text.
export interface Entry {
  id: string;
  name: string;
  bytes: number;
  revision: number;
  changed: string; // ISO 8601
  starts: boolean; // with the robot
  stands_by: boolean; // an admin lets it continue by itself after a visitor
  start_fault: string; // why it did not start with the robot; empty: it did, or should not
}

export interface Script {
  id: string;
  name: string;
  text: string;
  revision: number;
  changed: string;
}

export interface Example {
  name: string;
  text: string;
}

export interface Fault {
  line: number; // from 1
  column: number; // from 1, in characters
  text: string;
}

// Word is a word that a script may contain, for completion.
export interface Word {
  word: string;
  kind: 'statement' | 'modifier' | 'function' | 'device' | 'place' | 'job';
  detail: string;
}

// Line is a line of output of a script or connection.
export interface Line {
  n: number;
  unit: string;
  t: number; // ms since the robot was switched on
  tag: string;
  text: string;
}

const at = (id: string) => `scripts/${encodeURIComponent(id)}`;

export const list = () => ask<{ scripts: Entry[]; examples: Example[] }>('GET', 'scripts');
export const read = (id: string) => ask<Script>('GET', at(id));
export const create = (name: string, text: string) => ask<Script>('POST', 'scripts', { name, text });
export const save = (id: string, name: string, text: string, revision: number) =>
  ask<Script>('PUT', at(id), { name, text, revision });
export const remove = (id: string) => ask('DELETE', at(id));
export const check = (text: string) => ask<{ faults: Fault[] }>('POST', 'scripts/check', { text });
// start is refused if another text than that of the revision was saved since.
export const start = (id: string, lease: number, revision: number) =>
  ask('POST', `${at(id)}/start`, { lease, revision });
export const stop = (id: string) => ask('POST', `${at(id)}/stop`, {});
// mark is refused if another text than that of the revision was saved since; 0: whatever the text is.
export const mark = (id: string, name: 'starts' | 'stands_by', on: boolean, revision: number) =>
  ask<Script>('POST', `${at(id)}/${name}`, { on, revision });
export const resume = (lease: number) => ask('POST', 'scripts/resume', { lease });
export const tell = (tag: string, verb: 'stop' | 'freeze' | 'unfreeze') =>
  ask('POST', `scripts/tags/${encodeURIComponent(tag)}/${verb}`, {});
export const words = () => ask<{ words: Word[] }>('GET', 'scripts/words');
export const lines = () => ask<{ lines: Line[] }>('GET', 'scripts/lines');
