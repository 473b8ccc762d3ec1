// What-ifs that a person can begin with: scripts that set what the virtual robot measures. Pure.
import type { Word } from './api.ts';
import { scriptTry as words } from '../../strings.json';

export interface WhatIf {
  label: string;
  text: string; // one line
}

// whatIfs returns those for which the robot has the devices.
export function whatIfs(known: readonly Word[]): WhatIf[] {
  const devices = new Set(known.filter((w) => w.kind === 'device').map((w) => w.word));
  const all: WhatIf[] = [];
  if (devices.has('battery.val')) all.push({ label: words.ifBattery, text: 'wait(10s) | battery.val = 19;' });
  const sides = ['near.val', 'front.val'].filter((d) => devices.has(d));
  if (sides.length > 0) {
    const set = (far: string) => sides.map((d) => `${d} = ${far}`).join(' & ');
    all.push({
      label: words.ifPerson,
      text: `wait(10s) | { ${set('0.6')} & goal.phase = "blocked" } | wait(10s) | { ${set('inf')} & goal.phase = "driving" };`,
    });
  }
  if (devices.has('ok.val'))
    all.push({ label: words.ifOk, text: 'ok.val = 0 | wait(10s) | ok.val = 1 | wait(500ms) | ok.val = 0;' });
  return all;
}

// addWhatIf adds a line to what is there.
export function addWhatIf(text: string, { text: line }: WhatIf): string {
  return text.trim() === '' ? `${line}\n` : `${text.replace(/\s*$/, '')}\n${line}\n`;
}
