// The faults of a text that is being typed, from the robot's own parser: a moment after the last key, and the newest text's only.
import type { Fault } from './api.ts';

const AFTER_MS = 120;

export type Check = (text: string) => Promise<{ value: { faults: Fault[] } | null }>;

// checker returns what is called with each new text; show is called with its faults, unless the robot did not answer.
export function checker(
  check: Check,
  show: (faults: Fault[]) => void,
  after: (ms: number, then: () => void) => () => void = later,
): (text: string, atOnce?: boolean) => void {
  let newest = 0;
  let cancel = () => {};
  return (text, atOnce = false) => {
    const mine = ++newest;
    cancel();
    const ask = () =>
      void check(text).then(({ value }) => {
        if (mine === newest && value !== null) show(value.faults);
      });
    if (atOnce) ask();
    else cancel = after(AFTER_MS, ask);
  };
}

function later(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
