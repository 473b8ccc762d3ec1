// Chart: the round trips of the last minute, in an element created by roundChart of delay.templ.
import { pick, setText } from '../dom.ts';
import { say, words } from '../words.ts';

const WIDTH = 300;
const HEIGHT = 48;
const SECONDS = 60;
const LINE = 0.5; // s, the dashed line; roundChart draws it
const TOPS = [0.1, 0.4, 1, 2, 4, 10]; // s at the upper edge

// topOf returns the scale: the smallest one that shows every round trip.
export function topOf(rounds: readonly (readonly [at: number, rtt: number])[]): number {
  const most = Math.max(0, ...rounds.map(([, rtt]) => rtt));
  return TOPS.find((top) => most <= top) ?? 60;
}

// plot draws the rounds (page time and round trip, s) as they are at t.
export function plot(chart: Element, rounds: readonly [at: number, rtt: number][], t: number): void {
  const kept = rounds.filter(([at]) => t - at <= SECONDS);
  const top = topOf(kept);
  const y = (rtt: number) => HEIGHT - (rtt / top) * (HEIGHT - 1);
  const points = kept.map(([at, rtt]) => `${(WIDTH * (1 - (t - at) / SECONDS)).toFixed(1)},${y(rtt).toFixed(1)}`);
  const svg = pick<SVGElement>('svg', chart);
  pick('polyline', svg).setAttribute('points', points.join(' '));
  const first = points[0]?.split(',')[0];
  const last = points.at(-1)?.split(',')[0];
  pick('polygon', svg).setAttribute(
    'points',
    first && last ? `${first},${HEIGHT} ${points.join(' ')} ${last},${HEIGHT}` : '',
  );
  pick('path', svg).setAttribute('d', top > LINE ? `M0 ${y(LINE).toFixed(1)}H${WIDTH}` : '');
  const [most, line] = chart.querySelectorAll<HTMLElement>('span') as unknown as [HTMLElement, HTMLElement];
  setText(most, kept.length === 0 ? '' : say(words.linkBadge.scale, { ms: top * 1000 }));
  line.hidden = top <= LINE;
  line.style.setProperty('--at', `${y(LINE)}px`);
  if (kept.length === 0) return;
  const all = kept.map(([, rtt]) => Math.round(rtt * 1000));
  svg.setAttribute('aria-label', say(words.linkBadge.chartLabel, { least: Math.min(...all), most: Math.max(...all) }));
}
