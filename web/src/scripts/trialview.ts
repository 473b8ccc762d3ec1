// What the virtual robot did: when and why it ended, a player, lanes, and the lines with their times.
import { makeLanes } from './lanes.ts';
import { make } from './make.ts';
import { Player } from './player.ts';
import { clockText, endText, linesUntil, rowsOf, shownEnd, type Trial, type TrialLine } from './trial.ts';
import { drawTrials } from './trialmap.ts';
import { scriptTry as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { hide, pick, setIcon, setText } from '../dom.ts';
import { say } from '../words.ts';

export interface TrialView {
  root: HTMLElement;
  show(trial: Trial): void;
  clear(): void;
  isShown(): boolean;
}

// makeTrialView calls goTo for the place of a fault, in the script or in its what-if.
export function makeTrialView(
  { stage, store, voice }: Context,
  goTo: (line: number, column: number, ofWhatIf: boolean) => void,
): TrialView {
  const why = make('p', { class: 'why' });
  const play = make('button', { class: 'ib', type: 'button', icon: 'play' });
  const place = make('input', { type: 'range', min: '0', step: '0.1', 'aria-label': words.position });
  const clock = make('span', { class: 'num' });
  const lanes = makeLanes();
  const more = make('p', { class: 'dim', hidden: '' });
  const lines = make('ol', { class: 'output lines', tabindex: '0', 'aria-label': words.lines });
  const root = make(
    'section',
    { class: 'trial', hidden: '', 'aria-label': words.result },
    why,
    make('div', { class: 'row player' }, play, place, clock),
    lanes.root,
    more,
    lines,
  );
  const player = new Player(paint);
  let trial: Trial | null = null;
  let end = 0; // s, until when it is shown

  drawTrials(stage, () => (trial === null || store.get().tab !== 'scripts' ? null : { trial, t: player.time() }));

  function paint(): void {
    if (trial === null) return;
    const t = player.time();
    place.valueAsNumber = t;
    place.ariaValueText = say(words.placeText, { at: clockText(t), end: clockText(end) });
    place.style.setProperty('--at', (t / end).toFixed(4));
    setText(clock, `${clockText(t)} / ${clockText(end)}`);
    const label = player.playing() ? words.pause : words.play;
    setIcon(play, player.playing() ? 'pause' : 'play');
    play.ariaLabel = play.title = label;
    lanes.mark(t);
    markLine(linesUntil(trial.lines, t) - 1);
    stage.redraw();
  }

  let marked: Element | null = null;
  function markLine(n: number): void {
    const line = n < 0 ? null : (lines.children[n] ?? null);
    if (line === marked) return;
    marked?.removeAttribute('data-now');
    line?.setAttribute('data-now', '');
    marked = line;
    if (line instanceof HTMLElement && player.playing()) lines.scrollTop = line.offsetTop - lines.clientHeight / 2;
  }

  play.onclick = () => player.toggle();
  place.oninput = () => player.seek(place.valueAsNumber);

  return {
    root,
    show(next) {
      trial = next;
      end = shownEnd(next);
      const { rows, more: left } = rowsOf(next.lanes);
      setText(why, endText(next));
      lanes.show(rows, end);
      hide(lanes.root, rows.length === 0);
      setText(more, say(words.rowsMore, { n: left }));
      hide(more, left === 0);
      marked = null;
      lines.replaceChildren(
        ...(next.lines.length === 0 ? [make('li', { class: 'dim' }, words.noLines)] : next.lines.map(row)),
      );
      lines.scrollTop = 0;
      place.max = String(end);
      hide(root, false);
      player.load(end);
      if (matchMedia('(prefers-reduced-motion: reduce)').matches) player.seek(end);
      else player.toggle();
      const first = next.path[0];
      if (first !== undefined) stage.reveal([first[1], first[2]]);
      const body = pick('#body');
      body.scrollTop += root.getBoundingClientRect().top - body.getBoundingClientRect().top;
      voice.say(endText(next));
    },
    clear() {
      trial = null;
      player.load(0);
      hide(root, true);
      stage.redraw();
    },
    isShown: () => trial !== null,
  };

  // row is a line with its time. A fault leads to its place in the text.
  function row(l: TrialLine): HTMLLIElement {
    const by = l.by === 'what_if' ? words.byWhatIf : l.tag;
    const text = by === '' ? l.text : `${by}: ${l.text}`;
    const li = make('li', { 'data-by': l.by, ...(l.fault ? { class: 'bad' } : {}) });
    li.append(make('span', { class: 'num dim' }, clockText(l.t)), ' ');
    const { line, column } = l;
    if (line !== undefined && column !== undefined) {
      const jump = make('button', { class: 'jump', type: 'button' }, say(words.jump, { line }));
      jump.onclick = () => goTo(line, column, l.by === 'what_if');
      li.append(jump, ' ');
    }
    li.append(text);
    return li;
  }
}
