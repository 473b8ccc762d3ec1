// The texts about the recordings.
import { recordings as words } from '../../strings.json';
import { say } from '../words.ts';
import type { RecordingFile, Recordings } from './api.ts';

// saysOf returns the line above the list.
export function saysOf(r: Recordings): string {
  const lost = r.missing > 0 ? ` ${say(words.missing, { n: r.missing })}` : '';
  if (r.recording) return words.runs + lost;
  return (r.ended ?? words.off) + lost;
}

// metaOf returns the small print of a file.
export function metaOf(f: RecordingFile): string {
  const size = say(words.size, { mb: (f.bytes / 1e6).toFixed(1) });
  return f.open ? `${size}, ${words.open}` : size;
}

// isSettled: no recording is beginning or ending. While one is, its file and the robot's state change at
// different moments, and the list may soon be wrong. active: the robot's state says that it is recorded.
export function isSettled(r: Recordings, active: boolean): boolean {
  return r.recording === r.files.some((f) => f.open) && (active || !r.recording);
}
