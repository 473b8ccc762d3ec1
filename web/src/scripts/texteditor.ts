// The text of a script. The editor is loaded separately; if that fails, a plain text field replaces it.
import type { Fault, Word } from './api.ts';
import { make } from './make.ts';
import { pick } from '../dom.ts';

export interface EditorConfig {
  host: HTMLElement;
  label: string;
  changed(text: string): void; // the person has edited the text
  words(): Promise<readonly Word[]>; // for completion and for the colours of keywords
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

let coming: Promise<EditorMaker> | null = null;

// editorMaker loads the editor once. If that fails, the next call tries again.
export function editorMaker(): Promise<EditorMaker> {
  coming ??= new Promise((resolve) => {
    const script = document.createElement('script');
    document.addEventListener(ARRIVED, (e) => resolve((e as CustomEvent).detail as EditorMaker), { once: true });
    script.src = pick('#scripts').dataset['editor'] ?? '';
    script.onerror = () => {
      script.remove();
      coming = null;
      resolve(plainEditor);
    };
    document.head.append(script);
  });
  return coming;
}

export function plainEditor({ host, label, changed }: EditorConfig): TextEditor {
  const field = make('textarea', { 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', rows: '12' });
  field.oninput = () => changed(field.value);
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
