// The script that is open, and what of it is not saved. Pure.
import type { Script } from './api.ts';

export interface Doc {
  id: string; // empty: it was never saved
  name: string;
  text: string;
  revision: number;
  saved: { name: string; text: string }; // or what it began with
}

// lines has a text with one kind of line break, as the editor does.
export const lines = (text: string): string => text.replace(/\r\n?/g, '\n');

export function docOf({ id, name, text, revision }: Script): Doc {
  const plain = lines(text);
  return { id, name, text: plain, revision, saved: { name, text: plain } };
}

export function freshDoc(name: string, text: string): Doc {
  return { id: '', name, text: lines(text), revision: 0, saved: { name, text: lines(text) } };
}

// isEdited: a person would lose what they wrote.
export const isEdited = (d: Doc): boolean => d.name !== d.saved.name || d.text !== d.saved.text;

export const isUnsaved = (d: Doc): boolean => d.id === '' || isEdited(d);

// savedAs takes over what the robot has saved. What was typed meanwhile stays unsaved.
export function savedAs(d: Doc, { id, name, text, revision }: Script): Doc {
  return { ...d, id, revision, saved: { name, text: lines(text) } };
}

// MAX_BYTES is how large a text may be.
export const MAX_BYTES = 64 * 1024;

// nameOfFile is what a script is called that comes from a file.
export function nameOfFile(file: string): string {
  const base = file
    .replace(/\.[^.]*$/, '')
    .replace(/_/g, ' ')
    .trim();
  return (base.charAt(0).toUpperCase() + base.slice(1)).slice(0, 60);
}
