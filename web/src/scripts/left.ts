// How long a tag still waits or moves, and how far the robot still has to go for it. The page counts by itself.
import { scripts as words } from '../../strings.json';
import { setText } from '../dom.ts';
import type { Model } from '../store.ts';
import type { ScriptTag } from '../wire.ts';
import { say } from '../words.ts';

// leftData are the attributes of an element for paintLeft.
export function leftData({ until, on_way }: ScriptTag): Record<string, string> {
  return {
    ...(until === undefined ? {} : { 'data-until': String(until) }),
    ...(on_way === true ? { 'data-way': '' } : {}),
  };
}

// paintLeft shows what is left now in all such elements; t is the page time.
export function paintLeft(within: ParentNode, m: Readonly<Model>, t: number): void {
  for (const e of within.querySelectorAll<HTMLElement>('.left')) {
    const { until, way } = e.dataset;
    setText(e, leftText(until === undefined ? null : Number(until), way !== undefined, m, t));
  }
}

export function leftText(until: number | null, way: boolean, m: Readonly<Model>, t: number): string {
  const { goal } = m.state ?? {};
  if (way && goal && goal.phase !== 'ended') return say(words.wayLeft, { m: goal.left.toFixed(1) });
  const at = robotTime(m, t);
  const left = until === null || at === null ? 0 : Math.ceil(until - at);
  return left <= 0 ? '' : say(words.timeLeft, { time: clock(left) });
}

// robotTime is the robot's clock, s; null: the page does not know it yet.
function robotTime({ offset, state, lastStateAt }: Readonly<Model>, t: number): number | null {
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
