// Trying a script on the virtual robot: the what-if, and what the virtual robot did, as a text, in lanes and on
// the map. It is a script of its own, which the page loads when a person first presses Try.
import { ask } from '../jobs/api.ts';
import type { Word } from './api.ts';
import { make } from './make.ts';
import { makeTrialView } from './trialview.ts';
import type { Trial } from './trial.ts';
import { ARRIVED, type TryConfig, type TryMaker, type TryPanel } from './tryload.ts';
import { addWhatIf, whatIfs } from './whatif.ts';
import { scriptTry as words } from '../../strings.json';
import { hide, setText } from '../dom.ts';

const TIMES: readonly (readonly [seconds: number, text: string])[] = [
  [60, words.timeMinute],
  [600, words.timeMinutes],
  [3600, words.timeHour],
  [7200, words.timeHours],
];
const USUAL = 600; // s

const makeTry: TryMaker = (config: TryConfig): TryPanel => {
  const whatIf = make('textarea', {
    rows: '3',
    spellcheck: 'false',
    autocapitalize: 'off',
    placeholder: words.example,
  });
  const ready = make('div', { class: 'ready', role: 'group', 'aria-label': words.ready });
  const lasts = make('select', {}, ...TIMES.map(([s, text]) => make('option', { value: String(s) }, text)));
  const go = make(
    'button',
    { class: 'btn pri', type: 'submit', icon: 'play', 'aria-keyshortcuts': 'Control+Enter' },
    words.go,
  );
  const close = make('button', {
    class: 'ib',
    type: 'button',
    icon: 'x',
    'aria-label': words.close,
    title: words.close,
  });
  const refused = make('p', { class: 'says bad', role: 'alert', hidden: '' });
  const old = make('p', { class: 'dim', hidden: '' }, words.old);
  const view = makeTrialView(config.context, (line, column, ofWhatIf) => {
    if (ofWhatIf) selectLine(whatIf, line);
    else config.goTo(line, column);
  });
  const form = make(
    'form',
    { class: 'try', 'aria-label': words.title },
    make('div', { class: 'row' }, make('h3', { class: 'h' }, words.title), make('span', { class: 'grow' }), close),
    make('p', { class: 'dim' }, words.what),
    make('label', { class: 'field' }, words.whatIf, whatIf),
    ready,
    make(
      'div',
      { class: 'row' },
      make('label', { class: 'lasts' }, words.lasts, lasts),
      make('span', { class: 'grow' }),
      go,
    ),
    refused,
    old,
    view.root,
  );
  lasts.value = String(USUAL);
  config.host.replaceChildren(form);

  let asked = 0; // counts the trials, so that the panel ignores the answer to an earlier one
  let busy = false;
  let locked = false;
  let shown = ''; // the tried text

  const paint = () => {
    go.disabled = locked; // not while it is busy, which would take the focus
    whatIf.readOnly = locked;
    form.setAttribute('aria-busy', String(busy));
    for (const b of ready.querySelectorAll('button')) b.disabled = locked;
  };

  const tell = (text: string) => {
    setText(refused, text);
    hide(refused, text === '');
  };

  async function tryNow(): Promise<void> {
    if (busy || locked) return;
    const mine = ++asked;
    const { id, name, text } = config.script();
    busy = true;
    paint();
    tell('');
    const body = { ...(id === '' ? { name } : { id }), text, what_if: whatIf.value, seconds: Number(lasts.value) };
    const { value, reason } = await ask<Trial>('POST', 'scripts/try', body);
    busy = false;
    paint();
    if (mine !== asked) return;
    tell(reason);
    if (value === null) return;
    shown = text;
    config.tried(text);
    hide(old, true);
    view.show(value);
  }

  function end(): void {
    asked++;
    whatIf.value = '';
    tell('');
    hide(old, true);
    view.clear();
    hide(config.host, true);
  }

  function showReady(known: readonly Word[]): void {
    ready.replaceChildren(
      ...whatIfs(known).map((one) => {
        const b = make('button', { class: 'btn sm', type: 'button', icon: 'plus' }, one.label);
        b.onclick = () => {
          whatIf.value = addWhatIf(whatIf.value, one);
          whatIf.focus();
        };
        return b;
      }),
    );
    paint();
  }

  form.onsubmit = (e) => {
    e.preventDefault();
    void tryNow();
  };
  close.onclick = () => {
    end();
    config.closed();
  };
  form.addEventListener('keydown', (e) => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && e.target === whatIf) {
      e.preventDefault();
      void tryNow();
    }
  });

  return {
    open() {
      hide(config.host, false);
      void config.words().then(showReady);
      whatIf.focus();
    },
    close: end,
    changed() {
      hide(old, !view.isShown() || config.script().text === shown);
    },
    lock(on) {
      if (on === locked) return;
      locked = on;
      paint();
    },
  };
};

// selectLine selects a line of a text field, from 1.
function selectLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n');
  const from = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
}

document.dispatchEvent(new CustomEvent(ARRIVED, { detail: makeTry }));
