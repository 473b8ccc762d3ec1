// The text of a script. The editor comes as a script of its own; where it does not, a plain text field does its work.
import type { Fault, Word } from './api.ts';
import { make } from './make.ts';
import { pick } from '../dom.ts';

export interface EditorConfig {
  host: HTMLElement;
  label: string;
  changed(text: string): void; // by a person
  words(): Promise<readonly Word[]>; // for completion and for the colours of keywords
}

export interface TextEditor {
  open(text: string): void; // of another script: undo does not bring the one before back
  set(text: string): void; // an edit by the form; neither is told as changed
  faults(faults: readonly Fault[]): void;
  lock(locked: boolean): void;
  shows: boolean; // it shows the faults at their lines itself
}

export type EditorMaker = (config: EditorConfig) => TextEditor;

// ARRIVED is what the editor's script says, with its EditorMaker.
export const ARRIVED = 'script-editor';

let coming: Promise<EditorMaker> | null = null;

// editorMaker loads the editor, once. If it does not come, a later call tries again.
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
    shows: false,
  };
}
