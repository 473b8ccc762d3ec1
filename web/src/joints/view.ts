// View: the contents of the joints' sliders, and why they are disabled. Pure.
import { joints as words } from '../../strings.json';
import { borrowed, hasControl, holderName, isBaseLost, isStopped, type Model } from '../store.ts';
import type { Robot } from '../wire.ts';
import { say } from '../words.ts';

export type Joint = NonNullable<Robot['joints']>[number];

// whyNot returns why no one, or this person, may move a joint now; empty: it may be moved.
export function whyNot(m: Readonly<Model>, i: number): string {
  if (!m.socket || m.conn === 'lost' || m.conn === 'connecting') return words.noContact;
  if (isStopped(m)) return words.stopped;
  const lent = borrowed(m, 'arm') !== null;
  if (m.role === 'observer') return words.observer;
  if (!hasControl(m) && !lent) return m.holder === null ? words.nobody : say(words.other, { name: holderName(m) });
  if (m.passing !== null) return words.passing;
  if (isBaseLost(m)) return words.noBase;
  return (m.state?.joints?.at[i] ?? null) === null ? words.unknown : '';
}

// rangeOf returns the range of a slider: for an endless joint, a turn to either side of home.
export function rangeOf(joint: Joint): [least: number, most: number] {
  return [joint.min ?? joint.home - 2 * Math.PI, joint.max ?? joint.home + 2 * Math.PI];
}

// describe formats a position in the unit for people.
export function describe(joint: Joint, at: number | null): string {
  if (at === null) return '–';
  const text = joint.kind === 'turn' ? `${Math.round((at * 180) / Math.PI)}°` : `${at.toFixed(3)} m`;
  return text.replace(/^-/, '−');
}
