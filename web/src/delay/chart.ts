// Chart: the round trips of the last minute, in an element that roundChart of delay.templ makes.
import { pick } from '../dom.ts';
import { say, words } from '../words.ts';

const WIDTH = 300;
const HEIGHT = 48;
const SECONDS = 60;
const LINE = 0.5; // s, the dashed line

// plot draws the rounds (page time and round trip, s) as they are at t.
export function plot(chart: Element, rounds: readonly [at: number, rtt: number][], t: number): void {
  const kept = rounds.filter(([at]) => t - at <= SECONDS);
  const most = Math.max(0.1, ...kept.map(([, rtt]) => rtt)) * 1.15;
  const y = (rtt: number) => (HEIGHT - 2 - (rtt / most) * (HEIGHT - 6)).toFixed(1);
  const points = kept.map(([at, rtt]) => `${(WIDTH * (1 - (t - at) / SECONDS)).toFixed(1)},${y(rtt)}`);
  pick('polyline', chart).setAttribute('points', points.join(' '));
  const first = points[0]?.split(',')[0];
  const last = points.at(-1)?.split(',')[0];
  pick('polygon', chart).setAttribute(
    'points',
    first && last ? `${first},${HEIGHT} ${points.join(' ')} ${last},${HEIGHT}` : '',
  );
  pick('path', chart).setAttribute('d', most > LINE ? `M0 ${y(LINE)}H${WIDTH}` : '');
  if (kept.length === 0) return;
  const all = kept.map(([, rtt]) => Math.round(rtt * 1000));
  chart.setAttribute(
    'aria-label',
    say(words.linkBadge.chartLabel, { least: Math.min(...all), most: Math.max(...all) }),
  );
}
