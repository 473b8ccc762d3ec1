// The text of a script. The editor is loaded separately; if that fails, a plain text field replaces it.
import type { Fault, Word } from './api.ts';
import type { ValueSource } from './liveview.ts';
import { make } from './make.ts';
import { maker } from './more.ts';

export interface EditorConfig {
  host: HTMLElement;
  label: string;
  changed(text: string): void; // the person has edited the text
  words(): Promise<readonly Word[]>; // for completion and for the colours of keywords
  line?: LineConfig; // of a field for one command
  values?: ValueSource | undefined; // of the names in the text
}

// LineConfig: Enter sends the command, and the arrow keys go through earlier ones.
export interface LineConfig {
  enter(): void;
  go(step: -1 | 1): boolean; // false: there is none
}

export interface TextEditor {
  open(text: string): void; // shows another script; undo does not reach back to the one before
  set(text: string): void; // an edit by the form. Neither open nor set calls changed
  faults(faults: readonly Fault[]): void;
  lock(locked: boolean): void;
  goTo(line: number, column: number): void; // moves the caret there, both from 1
  shows: boolean; // it shows the faults at their lines
}

export type EditorMaker = (config: EditorConfig) => TextEditor;

// ARRIVED is the event with which the loaded editor hands over its EditorMaker.
export const ARRIVED = 'script-editor';

// editorMaker loads the editor, once. If it does not come, a later call tries again.
export const editorMaker = /* @__PURE__ */ maker<EditorMaker>(ARRIVED, plainEditor, 'editor.js');

export function plainEditor({ host, label, changed, line }: EditorConfig): TextEditor {
  const rows = line === undefined ? '12' : '1';
  const field = make('textarea', { 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', rows });
  field.oninput = () => changed(field.value);
  field.onkeydown = (e) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[e.key] as -1 | 1 | undefined;
    if (line === undefined || e.shiftKey) return;
    if (e.key === 'Enter') line.enter();
    else if (step === undefined || !line.go(step)) return;
    e.preventDefault();
  };
  host.replaceChildren(field);
  const set = (text: string) => {
    if (field.value !== text) field.value = text;
  };
  return {
    open: set,
    set,
    faults: (faults) => field.setAttribute('aria-invalid', String(faults.length > 0)),
    lock: (locked) => (field.readOnly = locked),
    goTo(line, column) {
      const lines = field.value.split('\n').slice(0, line);
      const last = [...(lines.pop() ?? '')].slice(0, column - 1).join(''); // columns count characters
      const at = [...lines, last].join('\n').length;
      field.focus();
      field.setSelectionRange(at, at);
    },
    shows: false,
  };
}
