// The robot's parser checks a text while a person types: shortly after the last key, and only the newest
// text.
import type { Fault } from './api.ts';

const AFTER_MS = 120;

export type Check = (text: string) => Promise<{ value: { faults: Fault[] } | null }>;

// checker returns the function to call with each new text. It passes the faults to show, unless the robot
// does not answer.
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
