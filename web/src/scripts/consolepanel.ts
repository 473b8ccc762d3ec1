// The console of the tab: commands that run at once, and what they say. Only this person sees it.
import type { Word } from './api.ts';
import { commandOf, ConsoleLink, History, type Said, unitOf } from './console.ts';
import { robotTime } from './left.ts';
import { make } from './make.ts';
import type { EditorMaker, TextEditor } from './texteditor.ts';
import { mayChange } from './view.ts';
import { scriptConsole as words, scripts } from '../../strings.json';
import type { Context } from '../context.ts';
import { COUNT_MS, hide, setText } from '../dom.ts';
import { now, type Model } from '../store.ts';
import type { ScriptUnit } from '../wire.ts';
import { say } from '../words.ts';

const MAX_ROWS = 200;

export class ConsolePanel {
  readonly root: HTMLDetailsElement;
  readonly #context: Context;
  readonly #words: () => Promise<readonly Word[]>;
  readonly #makeEditor: () => Promise<EditorMaker>;
  readonly #link = new ConsoleLink({
    isInContact: () => this.#context.store.get().conn === 'live',
    said: (line) => this.#take(line),
    ended: (opened) => this.#ended(opened),
  });
  readonly #history = new History();
  readonly #output = make('div', { class: 'output', role: 'log', tabindex: '0', 'aria-label': words.consoleOutput });
  readonly #host = make('div', { class: 'editor line' });
  readonly #send = make('button', { class: 'btn sm', type: 'button', icon: 'play' }, words.commandSend);
  readonly #clear = make('button', { class: 'btn sm ghost', type: 'button' }, words.clearOutput);
  readonly #end = make('button', { class: 'btn sm ghost', type: 'button' }, words.endConsole);
  readonly #status = make('p', { class: 'dim says' });
  readonly #inside: HTMLElement;
  readonly #observer = make('p', { class: 'dim' }, words.observersNone);
  #editor: TextEditor | null = null;
  #text = '';
  #unit = ''; // of the connection

  constructor(context: Context, known: () => Promise<readonly Word[]>, editor: () => Promise<EditorMaker>) {
    this.#context = context;
    this.#makeEditor = editor;
    this.#words = known;
    this.#inside = make(
      'div',
      { class: 'inside' },
      make('p', { class: 'dim' }, words.consoleWhat),
      this.#output,
      this.#host,
      this.#status,
      make('div', { class: 'row' }, this.#send, make('span', { class: 'grow' }), this.#clear, this.#end),
    );
    this.root = make('details', { class: 'console' }, make('summary', { class: 'h' }, words.consoleTitle));
    this.root.append(this.#inside, this.#observer);
    this.root.ontoggle = () => {
      if (this.root.open) void this.#mount();
    };
    this.#send.onclick = () => this.#enter();
    this.#clear.onclick = () => this.#output.replaceChildren();
    this.#end.onclick = () => this.#close();
    context.store.subscribe((m, before) => {
      if (m.elsewhere && !before.elsewhere) this.#close(); // the person is in another tab
      if (m.scripts !== before.scripts || mayChange(m) !== mayChange(before) || m.role !== before.role) this.paint(m);
    });
    setInterval(() => this.#paintStatus(context.store.get()), COUNT_MS);
    this.paint(context.store.get());
  }

  async #mount(): Promise<void> {
    if (this.#editor !== null || this.#context.store.get().role === 'observer') return;
    const make = await this.#makeEditor();
    let all: Promise<readonly Word[]> | null = null;
    this.#editor ??= make({
      host: this.#host,
      label: words.commandField,
      changed: (text) => (this.#text = text),
      words: () => (all ??= this.#words()),
      line: {
        enter: () => this.#enter(),
        go: (step) => this.#go(step),
      },
    });
    this.paint(this.#context.store.get());
  }

  #enter(): void {
    const text = this.#text.trim();
    if (text === '' || !mayChange(this.#context.store.get())) return;
    this.#history.add(text);
    this.#row({ t: '', tag: '', text: `> ${text}`, kind: 'note' });
    this.#link.send(commandOf(text));
    this.#write('');
    this.#paintStatus(this.#context.store.get());
  }

  // go shows an earlier or later command; false: there is none.
  #go(step: -1 | 1): boolean {
    const text = this.#history.go(step, this.#text);
    if (text !== null) this.#write(text);
    return text !== null;
  }

  #write(text: string): void {
    this.#text = text;
    this.#editor?.open(text);
  }

  #take(said: Said): void {
    if (said.kind === 'ident') this.#unit = unitOf(said);
    else this.#row(said);
  }

  #close(): void {
    if (!this.#link.isOpen()) return;
    this.#link.close();
    this.#ended(true);
  }

  #ended(opened: boolean): void {
    this.#unit = '';
    this.#row({ t: '', tag: '', text: opened ? words.consoleClosed : words.consoleFailed, kind: 'note' });
    this.paint(this.#context.store.get());
  }

  #row({ t, tag, text, kind }: Said): void {
    const row = make('div', kind === 'fault' ? { class: 'bad' } : kind === 'note' ? { class: 'dim' } : {});
    if (t !== '') row.append(make('span', { class: 'dim' }, t), ' ');
    if (tag !== '') row.append(make('b', {}, tag), ' ');
    row.append(text);
    this.#output.append(row);
    while (this.#output.childElementCount > MAX_ROWS) this.#output.firstElementChild?.remove();
    this.#output.scrollTop = this.#output.scrollHeight;
  }

  paint(m: Readonly<Model>): void {
    const observer = m.role === 'observer';
    hide(this.#inside, observer);
    hide(this.#observer, !observer);
    this.#send.disabled = !mayChange(m);
    this.#editor?.lock(!mayChange(m));
    this.#paintStatus(m);
  }

  #paintStatus(m: Readonly<Model>): void {
    const unit = m.scripts?.units.find((u) => u.name === this.#unit) ?? null;
    setText(this.#status, unit === null ? '' : statusOf(unit, robotTime(m, now())));
    hide(this.#status, this.#status.textContent === '');
    this.#end.disabled = !this.#link.isOpen();
  }
}

// statusOf says for how long a command has waited, and why motion is held; t is the robot's clock, null: not known yet.
function statusOf({ held, why, waits_since }: ScriptUnit, t: number | null): string {
  const texts: string[] = [];
  if (waits_since !== undefined && t !== null)
    texts.push(say(words.waitsBefore, { s: Math.max(0, t - waits_since).toFixed(1) }));
  if (held) texts.push(say(scripts.motionHeld, { why }));
  return texts.join(' ');
}
