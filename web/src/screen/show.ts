// The contents of the screen, from the robot's events, and its texts.
import { screen as texts } from '../../strings.json';
import type { Mode, RunPhase } from '../wire.ts';

// Show is one event, with all that the screen shows. Times are in ms of the robot's clock.
export interface Show {
  build: string;
  mode: Mode | ''; // empty: the robot's state is unknown
  motion: boolean; // a recorded drive is being played
  lost: boolean; // its position is lost
  silent: string; // why nothing comes from the base
  refuses: string; // why the base would not drive; empty: it would drive
  stop: { by: string } | null;
  goal: { name: string; phase: 'driving' | 'paused' | 'blocked'; why: string } | null;
  run: { name: string; phase: RunPhase; step: number; steps: number; why: string } | null;
  message: { n: number; text: string; ok: boolean; until: number | null } | null;
  speech: Speech | null;
  driver: string; // the person in control; empty: none
  away: boolean; // and is not connected now
  lent: { head: string; voice: string; arm: string }; // the borrower of each part; empty: not lent
  viewers: number; // people who see through the camera
  ears: boolean; // a voice may be received, by WHEP of the speaker
  talks: boolean; // and is being received
  head: [pan: number, tilt: number]; // rad
  charge: number | null; // 0 to 1; null: it does not report its battery
  charges: boolean;
  records: boolean; // it is being recorded
  may: boolean; // this screen may touch OK
  now: number;
}

export interface Speech {
  n: number;
  text: string;
  voice: string;
  speed: number;
  at: number; // when it began
  ms: number; // how long it takes
  aloud: boolean; // the robot's voice has a sound file; otherwise this screen speaks
  base: boolean; // the base's own speaker speaks, and this screen is silent
}

// Mood is the expression of the face.
export type Mood = 'calm' | 'going' | 'asking' | 'waiting' | 'stopped' | 'asleep';

export interface Status {
  mood: Mood;
  text: string;
  detail: string;
}

function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

// status describes what the robot does, most important first.
export function status(s: Show): Status {
  if (!s.mode) return { mood: 'asleep', text: texts.silent, detail: s.silent || texts.silentMore };
  if (s.stop || s.mode === 'stopped') {
    return {
      mood: 'stopped',
      text: s.stop?.by ? fill(texts.stoppedBy, { name: s.stop.by }) : texts.stopped,
      detail: s.driver ? fill(texts.releaser, { name: s.driver }) : texts.anyone,
    };
  }
  if (s.refuses) return { mood: 'waiting', text: texts.refuses, detail: s.refuses };
  const { goal, run } = s;
  const step = run && fill(run.name ? texts.stepOf : texts.step, { job: run.name, step: run.step, steps: run.steps });
  const detail = step ?? '';
  if (s.mode === 'manual') {
    return {
      mood: 'going',
      text: s.motion ? texts.motion : s.driver ? fill(texts.manual, { name: s.driver }) : texts.manualNobody,
      detail,
    };
  }
  if (s.lost) return { mood: 'waiting', text: texts.lost, detail };
  if (run?.phase === 'stuck') return { mood: 'asking', text: texts.stuck, detail: run.why || detail };
  if (goal?.phase === 'blocked') return { mood: 'waiting', text: texts.blocked, detail };
  if (s.mode === 'paused') return { mood: 'waiting', text: texts.paused, detail: run?.why || goal?.why || detail };
  if (goal?.phase === 'driving')
    return { mood: 'going', text: goal.name ? fill(texts.goalTo, { place: goal.name }) : texts.goal, detail };
  if (s.mode === 'job' || s.mode === 'goal')
    return { mood: 'calm', text: run?.name || texts.job, detail: run ? fill(texts.step, run) : '' };
  if (s.mode === 'charging') return { mood: 'calm', text: texts.charging, detail: '' };
  return { mood: 'calm', text: texts.ready, detail: '' };
}

// driver returns who drives, or who could.
export function driver(s: Show): string {
  if (!s.driver) return texts.nobody;
  return fill(s.mode === 'manual' ? texts.manual : s.away ? texts.away : texts.control, { name: s.driver });
}

// viewers returns how many people see the camera; empty: none.
export function viewers(s: Show): string {
  if (s.viewers < 1) return '';
  return s.viewers === 1 ? texts['viewers-one'] : fill(texts['viewers-more'], { n: s.viewers });
}

// lent returns who has borrowed what; empty: nothing is lent.
export function lent({ lent: { head, voice, arm } }: Show): string {
  const said: [string, string][] = [
    [texts.looks, head],
    [texts.maySpeak, voice],
    [texts.mayMove, arm],
  ];
  return said
    .filter(([, name]) => name !== '')
    .map(([sentence, name]) => fill(sentence, { name }))
    .join(', ');
}

// talker returns whose voice is heard; empty: none.
export function talker(s: Show): string {
  const name = s.lent.voice || s.driver;
  return s.talks && name !== '' ? fill(texts.talks, { name }) : '';
}

// LOW is the charge from which the screen warns of a low battery.
export const LOW = 0.25;

export function charge(s: Show): string {
  if (!s.mode || s.charge === null) return '';
  return fill(s.charge < LOW && !s.charges ? texts.chargeLow : texts.charge, { percent: Math.round(s.charge * 100) });
}

// left returns how long a message is still shown, in s, at a time of the robot's clock; null: without
// limit.
export function left(until: number | null, now: number): number | null {
  return until === null ? null : Math.max(0, (until - now) / 1000);
}

export function leftText(seconds: number): string {
  return fill(texts.left, { seconds: Math.ceil(seconds) });
}

// size returns the size in which a message fits.
export function size(text: string): 'large' | 'middle' | 'small' {
  const letters = [...text].reduce((n, c) => n + (c.codePointAt(0)! > 0x1100 ? 2 : 1), 0); // wide characters count twice
  return letters <= 36 ? 'large' : letters <= 80 ? 'middle' : 'small';
}
