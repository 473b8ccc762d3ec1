// The samples before a sample: what a packet on a lossy way carries in case those were lost. Pure.
import type { Sample, Up } from '../wire.ts';

const MOST = 4;

type Drive = Extract<Up, { type: 'drive' }>;

export class Past {
  private stream = '';
  private samples: Sample[] = [];

  // before gives the samples of the same stream before this one, the oldest first, and remembers this one. Samples
  // without a virtual robot have no past: they count when they arrive.
  before(d: Drive): Sample[] {
    const stream = `${d.lease} ${d.hold}`;
    if (stream !== this.stream || d.vr === undefined) this.samples = [];
    this.stream = stream;
    const { samples } = this;
    if (d.vr !== undefined) this.samples = [...samples, [d.seq, d.t, d.v, d.w, ...d.vr] satisfies Sample].slice(-MOST);
    return samples;
  }
}
