// Run bar: it starts the job, shows its progress, and pauses it.
import { jobs as words } from '../../strings.json';
import { deedOf, pick, setIcon, setText, toggle } from '../dom.ts';

export interface Bar {
  kind: 'none' | 'compose' | 'run';
  where: string; // on the left
  bad: boolean; // it reports a fault
  left: string; // on the right
  part: number | null; // completed, 0 to 1; null: no run
  quiet: boolean; // it does not continue by itself
  says: string; // why something was refused, or why it waits
  wrong: boolean; // it reports a fault
  buttons: boolean; // this person may press them
  run: string; // of the start button
  canRun: boolean;
  previewing: boolean;
  canPreview: boolean;
  resume: boolean; // the button resumes; otherwise it pauses
  canPause: boolean;
  canSkip: boolean;
  stuck: boolean; // the current step can be retried
  ok: boolean; // the current step waits for OK
}

export type Deed = 'ok' | 'run' | 'preview' | 'pause' | 'retry' | 'skip' | 'end';

export function mountBar(act: (deed: Deed) => void): (b: Bar, inert: boolean) => void {
  const root = pick('#runbar');
  const rows = [...root.querySelectorAll<HTMLElement>('[data-bar]')];
  const button = (name: string) => pick<HTMLButtonElement>(`[data-do=${name}]`, root);
  let asking = false; // whether to end the job
  let shown: Bar | null = null;

  root.onclick = (e) => {
    const deed = deedOf(e);
    if (deed === undefined) return;
    if (deed === 'end' || deed === 'endNo') ask(deed === 'end');
    else if (deed === 'endYes') {
      ask(false);
      act('end');
    } else act(deed as Deed);
  };
  root.onkeydown = (e) => {
    if (e.key === 'Escape' && asking) ask(false);
  };

  function ask(on: boolean): void {
    asking = on;
    if (shown) paint(shown);
    button(on ? 'endNo' : 'end').focus();
  }

  function paint(b: Bar): void {
    shown = b;
    if (b.kind !== 'run') asking = false;
    root.hidden = b.kind === 'none';
    const where = pick('.where', root);
    setText(pick('span', where), b.where);
    toggle(where, 'bad', b.bad);
    setText(pick('.left', root), b.left);
    const bar = pick('.prog', root);
    bar.hidden = b.part === null;
    const percent = String(Math.round((b.part ?? 0) * 100));
    if (bar.getAttribute('aria-valuenow') !== percent) bar.setAttribute('aria-valuenow', percent);
    bar.style.setProperty('--part', (b.part ?? 0).toFixed(3));
    toggle(bar, 'quiet', b.quiet);
    const says = pick('#run-says');
    setText(says, b.says);
    says.classList.toggle('bad', b.wrong);
    for (const row of rows)
      row.hidden = !b.buttons || row.dataset['bar'] !== (b.kind === 'run' && asking ? 'end' : b.kind);
    const run = button('run');
    setText(pick('span', run), b.run);
    run.disabled = !b.canRun;
    const preview = button('preview');
    setText(pick('span', preview), b.previewing ? words.previewEnd : words.preview);
    setIcon(preview, b.previewing ? 'x' : 'eye');
    preview.disabled = !b.canPreview;
    button('ok').hidden = !b.ok;
    const pause = button('pause');
    setIcon(pause, b.resume ? 'play' : 'pause');
    setText(pick('span', pause), b.resume ? words.resume : words.pause);
    pause.classList.toggle('pri', b.resume);
    pause.disabled = !b.canPause;
    pause.hidden = b.stuck;
    const retry = button('retry');
    retry.hidden = !b.stuck;
    retry.classList.toggle('pri', b.stuck);
    retry.disabled = button('skip').disabled = !b.canSkip;
  }

  return (b, inert) => {
    root.inert = inert;
    paint(b);
  };
}
