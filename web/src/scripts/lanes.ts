// The lanes of a trial: a bar for each time in which a tag ran, the robot was on its way, spoke or showed a text.
import { clockText, type Row, rowText } from './trial.ts';
import { make } from './make.ts';
import { scriptTry as words } from '../../strings.json';

const SVG = 'http://www.w3.org/2000/svg';
const WIDE = 1000; // units of a lane
const LEAST = 3; // units of a bar that would be too narrow to see

export interface Lanes {
  root: HTMLElement;
  show(rows: readonly Row[], end: number): void; // end in s
  mark(t: number): void; // the time that is shown, in s
}

export function makeLanes(): Lanes {
  const list = make('ul', { class: 'lanes', 'aria-label': words.lanes });
  const axis = make('div', { class: 'axis num', 'aria-hidden': 'true' });
  const root = make('div', {}, list, axis);
  let marks: SVGLineElement[] = [];
  let until = 1;
  return {
    root,
    show(rows, end) {
      until = end;
      marks = [];
      list.replaceChildren(
        ...rows.map((row) => {
          const { lane, mark } = drawLane(row, end);
          marks.push(mark);
          const label = make('span', { class: 'lane-label', 'aria-hidden': 'true', title: row.label }, row.label);
          return make('li', { 'data-kind': row.kind }, make('span', { class: 'vh' }, rowText(row)), label, lane);
        }),
      );
      axis.replaceChildren(...[0, end / 2, end].map((t) => make('span', {}, clockText(t))));
    },
    mark(t) {
      const x = String((WIDE * t) / until);
      for (const m of marks) {
        m.setAttribute('x1', x);
        m.setAttribute('x2', x);
      }
    },
  };
}

function drawLane({ spans }: Row, end: number): { lane: SVGSVGElement; mark: SVGLineElement } {
  const lane = element('svg', {
    class: 'lane',
    viewBox: `0 0 ${WIDE} 10`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  for (const s of spans) {
    if (s.begin > end) continue;
    const x = (WIDE * s.begin) / end;
    const width = Math.max(LEAST, (WIDE * Math.min(s.end, end)) / end - x);
    lane.append(element('rect', { x, y: 1, width, height: 8, ...(s.frozen ? { class: 'frozen' } : {}) }));
  }
  const mark = element('line', { class: 'mark', x1: 0, x2: 0, y1: 0, y2: 10 });
  lane.append(mark);
  return { lane, mark };
}

function element<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[K] {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, String(value));
  return e;
}
