// What is left of something that runs: how long a tag still waits or moves, how far the robot still has to go for it,
// and when a script continues. The page counts by itself.
import { scripts as words } from '../../strings.json';
import { setText } from '../dom.ts';
import type { Model } from '../store.ts';
import type { ScriptTag } from '../wire.ts';
import { say } from '../words.ts';

// leftData are the attributes of an element for countDown.
export function leftData({ until, on_way }: ScriptTag): Record<string, string> {
  return {
    ...(until === undefined ? {} : { 'data-until': String(until) }),
    ...(on_way === true ? { 'data-way': '' } : {}),
  };
}

// countDown shows what is left now in all elements of the class left; t is the page time.
export function countDown(within: ParentNode, m: Readonly<Model>, t: number): void {
  for (const e of within.querySelectorAll<HTMLElement>('.left')) {
    const { until, way, continues } = e.dataset;
    const text =
      continues === undefined
        ? leftText(until === undefined ? null : Number(until), way !== undefined, m, t)
        : continuesText(Number(continues), m, t);
    setText(e, text);
  }
}

export function leftText(until: number | null, way: boolean, m: Readonly<Model>, t: number): string {
  const { goal } = m.state ?? {};
  if (way && goal && goal.phase !== 'ended') return say(words.wayLeft, { m: goal.left.toFixed(1) });
  const left = until === null ? null : secondsUntil(until, m, t);
  return left === null || left <= 0 ? '' : say(words.timeLeft, { time: clock(left) });
}

// continuesText says when a script continues by itself.
export function continuesText(at: number, m: Readonly<Model>, t: number): string {
  const left = secondsUntil(at, m, t);
  return left === null ? words.standbyWaits : say(words.standbyIn, { time: clock(Math.max(0, left)) });
}

function secondsUntil(at: number, m: Readonly<Model>, t: number): number | null {
  const now = robotTime(m, t);
  return now === null ? null : Math.ceil(at - now);
}

// robotTime returns the robot's clock at the page time t, in s; null: the page does not know it yet.
export function robotTime({ offset, state, lastStateAt }: Readonly<Model>, t: number): number | null {
  if (offset !== null) return t + offset;
  return state === null || lastStateAt === null ? null : state.t + (t - lastStateAt);
}

// clock is a time with its largest two units.
function clock(s: number): string {
  if (s < 60) return `${s} s`;
  const [units, rest]: [string, number] =
    s < 3600 ? [`${Math.floor(s / 60)} min`, s % 60] : [`${Math.floor(s / 3600)} h`, Math.floor((s % 3600) / 60)];
  return rest === 0 ? units : `${units} ${rest} ${s < 3600 ? 's' : 'min'}`;
}
