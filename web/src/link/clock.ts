// The clock exchange: round trip, jitter, and the offset between the robot's clock and the page's.
// Pure: times come in as numbers, in seconds.
//
// (t1 page sends, t2 robot receives, t3 robot sends, t4 page receives):
//   delta  = (t4 - t1) - (t3 - t2)          the round trip on the way
//   offset = ((t2 - t1) + (t3 - t4)) / 2    robot minus page, wrong by delta / 2 at most
//
// The reported offset follows the best one at SLEW, so that values computed with it do not jump. It steps only
// when it is off by more than JUMP and the robot stands.

interface Sample {
  at: number; // t4, page time
  delta: number;
  offset: number;
}

const KEEP = 32;
const MAX_AGE = 60;
const DRIFT = 100e-6; // greatest drift between two clocks, s/s
const SLEW = 0.005; // s/s
const JUMP = 0.1; // s
const MEDIAN_OVER = 2; // s
const JITTER_OVER = 10; // s

export interface Round {
  rtt: number | null; // median of the last 2 s
  jitter: number | null; // mean distance from the median, last 10 s
  offset: number | null; // follows the offset of the best exchange
  bound: number | null; // limit of |error of offset|
}

export class Clock {
  #samples: Sample[] = [];
  #told: { at: number; offset: number } | null = null;

  add(t1: number, t2: number, t3: number, t4: number): void {
    const delta = t4 - t1 - (t3 - t2);
    if (!(delta >= 0)) return; // an echo of an older session, or not numbers
    this.#samples.push({ at: t4, delta, offset: (t2 - t1 + (t3 - t4)) / 2 });
    this.#samples = this.#samples.filter((s) => t4 - s.at <= MAX_AGE).slice(-KEEP);
  }

  // history returns (page time, round trip) of every stored exchange, oldest first.
  history(): [at: number, rtt: number][] {
    return this.#samples.map((s) => [s.at, s.delta]);
  }

  // round returns the present values. stands: the robot stands.
  round(now: number, stands = true): Round {
    const recent = this.#samples.filter((s) => now - s.at <= MEDIAN_OVER).map((s) => s.delta);
    const wider = this.#samples.filter((s) => now - s.at <= JITTER_OVER).map((s) => s.delta);
    const rtt = median(recent);
    const middle = median(wider);
    const jitter = middle === null ? null : wider.reduce((sum, d) => sum + Math.abs(d - middle), 0) / wider.length;
    let best: Sample | null = null;
    const worth = (s: Sample) => s.delta + 2 * DRIFT * (now - s.at);
    for (const s of this.#samples) if (!best || worth(s) < worth(best)) best = s;
    if (best === null) return { rtt, jitter, offset: null, bound: null };
    const offset = this.#slew(best.offset, now, stands);
    return { rtt, jitter, offset, bound: worth(best) / 2 + Math.abs(best.offset - offset) };
  }

  #slew(to: number, now: number, stands: boolean): number {
    const from = this.#told;
    const off = from === null ? 0 : to - from.offset;
    const most = from === null ? 0 : SLEW * Math.max(0, now - from.at);
    const steps = from === null || (stands && Math.abs(off) > JUMP);
    const offset = steps ? to : from.offset + Math.max(-most, Math.min(most, off));
    this.#told = { at: now, offset };
    return offset;
  }
}

export function median(values: number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const high = sorted[sorted.length >> 1] as number;
  return sorted.length % 2 ? high : (high + (sorted[(sorted.length >> 1) - 1] as number)) / 2;
}
