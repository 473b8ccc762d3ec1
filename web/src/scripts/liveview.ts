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
}

export type LiveMaker = (config: LiveConfig) => Live;

// LIVE is what the script says, with its LiveMaker.
export const LIVE = 'script-live';
