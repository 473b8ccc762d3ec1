// SampleHistory: the earlier samples that a packet carries on a lossy channel, so that the first packet
// after a burst of losses repairs the path. Pure.
import type { Sample, Up } from '../wire.ts';

const SPAN = 2; // s
const MOST = 8;
const DENSE = 2; // of these, the newest ones
const APART = 0.3; // s between the others

type Drive = Extract<Up, { type: 'drive' }>;

export class SampleHistory {
  #stream = '';
  #samples: Sample[] = [];

  // before returns earlier samples of the same stream, oldest first, and stores this one: the newest ones,
  // others that are far enough apart, and the last neutral one before each press, which shows that a press
  // ended. Samples without a virtual robot have no history: they count on arrival.
  before(d: Drive): Sample[] {
    const stream = `${d.lease} ${d.hold}`;
    if (stream !== this.#stream || d.vr === undefined) this.#samples = [];
    this.#stream = stream;
    const before = this.#samples.filter(([, t]) => t >= d.t - SPAN);
    this.#samples = d.vr === undefined ? [] : [...before, [d.seq, d.t, d.v, d.w, ...d.vr] satisfies Sample];
    return picked(before);
  }
}

function picked(before: readonly Sample[]): Sample[] {
  const out: Sample[] = [];
  for (let i = before.length - 1; i >= 0 && out.length < MOST; i--) {
    const sample = before[i] as Sample;
    const next = before[i + 1];
    const pressed = neutral(sample) && next !== undefined && !neutral(next);
    const last = out.at(-1);
    if (last === undefined || out.length < DENSE || pressed || last[1] - sample[1] >= APART - 1e-9) out.push(sample);
  }
  return out.reverse();
}

function neutral([, , v, w]: Sample): boolean {
  return v === 0 && w === 0;
}
