// Base: what the page says about the line to the robot's base. Pure.
import type { Model } from './store.ts';
import { duration } from './topbar/view.ts';
import { say, words } from './words.ts';

// ageOf returns for how long nothing has come from the base, in whole s, at the page's time t. The robot
// sends the beginning by its own clock; the time of its newest reading and the offset of the clocks give
// the present time of that clock.
export function ageOf({ state, offset }: Readonly<Model>, t: number): number {
  if (!state?.base) return 0;
  const then = (Date.parse(state.at) - Date.parse(state.base.since)) / 1000;
  return Math.max(0, Math.floor(then + (offset === null ? 0 : t + offset - state.t)));
}

// silenceOf says that nothing comes from the base, for how long and why.
export function silenceOf(m: Readonly<Model>, t: number): { head: string; why: string } {
  const s = ageOf(m, t);
  const why = m.state?.base?.why ?? '';
  const time = s < 60 ? say(words.goto.seconds, { s }) : duration(s);
  return { head: say(why === '' ? words.base.silent : words.base.silentWhy, { time }), why };
}

// returnOf returns the message when a base is back; empty otherwise.
export function returnOf({ state }: Readonly<Model>, { state: before }: Readonly<Model>): string {
  const [base, was] = [state?.base, before?.base];
  if (!base?.up || !was) return '';
  if (!was.up) return base.restarts > 0 ? words.base.back : words.base.here;
  return base.restarts > was.restarts ? words.base.restarted : '';
}
