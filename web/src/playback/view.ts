// The texts about a recording that is played.
import { playback as words } from '../../strings.json';
import { say } from '../words.ts';

export interface Playback {
  playing: boolean;
  speed: number; // 1 = original speed
  at: number; // s from the beginning
  length: number; // s
}

export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 2, 4, 10];

// placeAt returns the position in the recording, some seconds after the robot's report.
export function placeAt({ playing, speed, at, length }: Playback, later: number): number {
  return Math.min(length, playing ? at + speed * later : at);
}

// hasEnded reports whether the recording is at its end.
export function hasEnded(at: number, length: number): boolean {
  return length - at < 0.05;
}

// clockOf formats a time as 1:05, and as 1:00:05 from an hour on.
export function clockOf(seconds: number): string {
  const s = Math.floor(seconds);
  const two = (n: number) => String(n).padStart(2, '0');
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes}:${two(s % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(s % 60)}`;
}

// spoken returns the position for screen readers.
export function spoken(at: number, length: number): string {
  return say(words.place, { at: clockOf(at), length: clockOf(length) });
}
