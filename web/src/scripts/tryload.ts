// Loads the panel that tries a script, with its style sheet, when a person first presses Try.
import type { Word } from './api.ts';
import { maker } from './more.ts';
import type { Context } from '../context.ts';

export interface TryConfig {
  host: HTMLElement;
  context: Context;
  script(): { id: string; name: string; text: string }; // the open script
  words(): Promise<readonly Word[]>; // the robot's names
  goTo(line: number, column: number): void; // in the editor
  closed(): void; // by the person
  tried(text: string): void; // the robot has tried this text
}

export interface TryPanel {
  open(): void; // and moves the focus there
  close(): void; // without a word to closed
  changed(): void; // the text has changed
  lock(locked: boolean): void; // the person may not try
}

export type TryMaker = (config: TryConfig) => TryPanel;

// ARRIVED is the event with which the loaded panel hands over its TryMaker.
export const ARRIVED = 'script-try';

// tryMaker loads the panel, once; null: it did not load.
export const tryMaker = /* @__PURE__ */ maker<TryMaker | null>(ARRIVED, null, 'try.js', 'try.css');
