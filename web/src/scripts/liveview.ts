// What runs live: watched values and the console. It comes as a script of its own.
import type { Word } from './api.ts';
import type { EditorMaker } from './texteditor.ts';
import type { Context } from '../context.ts';

export interface LiveConfig {
  context: Context;
  words(): Promise<readonly Word[]>; // for completion
  editor(): Promise<EditorMaker>;
  tell(text: string): void; // why the robot refused something
}

export interface Live {
  root: HTMLElement;
  values(unit: () => string): ValueSource & { root: HTMLElement }; // of the script with this id
}

// ValueSource has the values of names in a text.
export interface ValueSource {
  find(line: string, column: number): { from: number; to: number; of: string } | null;
  point(of: string | null): void; // the pointer is on a name; null: on none
  caret(line: string, column: number): void; // the caret is here
  leave(): void; // the text is left
  text(of: string): string; // for people
  add(of: string): void; // watches it
  changed(listener: () => void): () => void; // returns how to stop
}

export type LiveMaker = (config: LiveConfig) => Live;

// LIVE is what the script says, with its LiveMaker.
export const LIVE = 'script-live';
