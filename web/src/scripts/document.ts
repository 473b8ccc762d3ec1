// The open script and its unsaved changes. Pure.
import { firstLetters } from '../format.ts';
import type { Script } from './api.ts';

export interface Doc {
  id: string; // empty: it was never saved
  name: string;
  text: string;
  revision: number;
  saved: { name: string; text: string }; // the saved version; before the first save, what it began with
}

// lines returns a text with the line breaks of the editor.
export const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

export function docOf({ id, name, text, revision }: Script): Doc {
  const plain = lines(text);
  return { id, name, text: plain, revision, saved: { name, text: plain } };
}

export function freshDoc(name: string, text: string): Doc {
  return { id: '', name, text: lines(text), revision: 0, saved: { name, text: lines(text) } };
}

// isEdited: the person has changed the script, and would lose that.
export const isEdited = (d: Doc): boolean => d.name !== d.saved.name || d.text !== d.saved.text;

export const isUnsaved = (d: Doc): boolean => d.id === '' || isEdited(d);

// savedAs returns a document after the robot has saved it. What the person typed meanwhile stays unsaved.
export function savedAs(d: Doc, { id, name, text, revision }: Script): Doc {
  return { ...d, id, revision, saved: { name, text: lines(text) } };
}

// MAX_BYTES limits the text, as the robot does.
export const MAX_BYTES = 64 * 1024;

// nameOfFile returns the name of a script that comes from a file.
export function nameOfFile(file: string): string {
  const base = file
    .replace(/\.[^.]*$/, '')
    .replace(/_/g, ' ')
    .trim();
  return firstLetters(base.charAt(0).toUpperCase() + base.slice(1), 60);
}
