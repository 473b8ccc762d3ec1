// The Scripts tab: the robot's scripts, those that run, and the one that the person writes.
import * as api from './api.ts';
import { cardOf } from './cards.ts';
import { DocumentPanel } from './docpanel.ts';
import { type Doc, docOf, freshDoc, lines, MAX_BYTES, nameOfFile } from './document.ts';
import { countDown } from './left.ts';
import { LIVE, type Live, type LiveMaker } from './liveview.ts';
import { make, remake } from './make.ts';
import { type Mark, markLines } from './marks.ts';
import { maker } from './more.ts';
import { newest } from './newest.ts';
import { editorMaker } from './texteditor.ts';
import { cardsOf, heldOf, leaseOf, mayChange } from './view.ts';
import { scripts as words } from '../../strings.json';
import { COUNT_MS, hide, pick, setText } from '../dom.ts';
import type { Context } from '../context.ts';
import { type Model, now } from '../store.ts';
import { say } from '../words.ts';

const liveMaker = maker<LiveMaker | null>(LIVE, null, 'live.js');

const POLL_MS = 1000; // for new lines; the list every fourth time

// SHOWN are the fields of the model that the tab shows.
const SHOWN = [
  'tab',
  'scripts',
  'holder',
  'you',
  'role',
  'socket',
  'conn',
  'stop',
  'stopping',
  'elsewhere',
  'passing',
  'epoch',
] as const;

export class ScriptsPanel {
  readonly #context: Context;
  readonly #root = pick('#scripts');
  readonly #held = heldCard(() => void this.#resume());
  readonly #cards = make('ul', { class: 'cards', 'aria-label': words.title });
  readonly #none = make('p', { class: 'dim' }, words.none);
  readonly #examples = make('div', { class: 'examples' });
  readonly #new = make('button', { class: 'btn sm', type: 'button', icon: 'plus' }, words.new);
  readonly #import = make('button', { class: 'btn sm ghost', type: 'button' }, words.import);
  readonly #file = make('input', {
    type: 'file',
    accept: '.u,.txt,text/plain',
    'aria-label': words.import,
    hidden: '',
  });
  readonly #says = make('p', { class: 'says bad', role: 'alert', hidden: '' });
  readonly #all: HTMLElement; // shown while no script is open
  readonly #document: DocumentPanel;
  readonly #liveHost = make('div', { class: 'live' });
  readonly #live: Promise<Live | null>;

  #asked = 0; // counts the requests to open a script; only the last one opens
  #list: api.Entry[] = [];
  #lines: api.Line[] = [];
  #shown = ''; // what the cards show, so that they are rebuilt only when it changes

  constructor(context: Context) {
    this.#context = context;
    this.#all = make(
      'div',
      { class: 'all' },
      make(
        'div',
        { class: 'row head' },
        make('h2', { class: 't' }, words.title),
        make('span', { class: 'grow' }),
        this.#import,
        this.#new,
      ),
      make('p', { class: 'dim' }, words.what),
      this.#none,
      this.#cards,
      make('h3', { class: 'h' }, words.examples),
      this.#examples,
    );
    this.#document = new DocumentPanel(context, {
      opened: () => {
        this.#asked++;
        this.#paint();
      },
      back: () => this.#back(),
      tell: (text) => this.#tell(text),
      changed: () => void this.#readList(),
      run: (doc, on) => void this.#run(doc, on),
      live: () => this.#live,
      tag: (tag, verb) => void this.#tag(tag, verb),
      entry: (id) => this.#list.find((s) => s.id === id),
      mark: (doc, mark, on) => void this.#mark(doc, mark, on),
    });
    this.#live = this.#mountLive();
    this.#root.replaceChildren(this.#held.root, this.#says, this.#all, this.#document.root, this.#liveHost, this.#file);
    this.#listen();
    void this.#readList();
    void this.#readLines();
    this.#paint();
    this.#poll(0);
    setInterval(() => this.#countDown(), COUNT_MS);
  }

  #countDown(): void {
    const m = this.#context.store.get();
    if (m.tab === 'scripts') countDown(this.#root, m, now());
  }

  #listen(): void {
    const { store } = this.#context;
    this.#new.onclick = () => this.#document.open(freshDoc(words.newName, ''), true);
    this.#import.onclick = () => this.#file.click();
    this.#file.onchange = () => void this.#readFile();
    store.subscribe((m, before) => {
      if (m.tab === 'scripts' && before.tab !== 'scripts') void this.#readList();
      if (SHOWN.some((key) => m[key] !== before[key])) this.#paint();
    });
  }

  // poll asks for the output of scripts, and less often for what others have saved, while the tab is visible.
  #poll(n: number): void {
    setTimeout(() => {
      const { tab, socket } = this.#context.store.get();
      if (tab === 'scripts' && socket && !document.hidden) {
        void this.#readLines();
        if (n % 4 === 3) void this.#readList();
      }
      this.#poll(n + 1);
    }, POLL_MS);
  }

  // mountLive adds the watched values and the console. Without them the rest of the tab works.
  async #mountLive(): Promise<Live | null> {
    const make = await liveMaker();
    const live = make?.({
      context: this.#context,
      words: () => this.#words(),
      editor: editorMaker,
      tell: (text) => this.#tell(text),
    });
    if (live) this.#liveHost.replaceChildren(live.root);
    return live ?? null;
  }

  async #words(): Promise<readonly api.Word[]> {
    return (await api.words()).value?.words ?? [];
  }

  readonly #readList = newest(api.list, ({ value, reason }) => {
    if (value === null) {
      if (this.#list.length === 0) this.#tell(reason);
      return;
    }
    this.#list = value.scripts;
    if (this.#examples.childElementCount === 0) this.#showExamples(value.examples);
    this.#paint();
  });

  readonly #readLines = newest(api.lines, ({ value }) => {
    if (value === null || value.lines.at(-1)?.n === this.#lines.at(-1)?.n) return;
    this.#lines = value.lines;
    this.#paint();
  });

  #showExamples(examples: readonly api.Example[]): void {
    this.#examples.replaceChildren(
      ...examples.map((e) => {
        const b = make('button', { class: 'btn sm', type: 'button' }, e.name);
        b.onclick = () => this.#document.open(freshDoc(e.name, e.text), true);
        return b;
      }),
    );
  }

  async #readFile(): Promise<void> {
    const file = this.#file.files?.[0];
    this.#file.value = '';
    if (file === undefined) return;
    if (file.size > MAX_BYTES) this.#tell(words.tooLong);
    else this.#document.open(freshDoc(nameOfFile(file.name), lines(await file.text())), true);
  }

  async #open(id: string): Promise<void> {
    const mine = ++this.#asked;
    const { value, reason } = await api.read(id);
    if (mine !== this.#asked) return;
    if (value === null) this.#tell(reason);
    else this.#document.open(docOf(value), false);
  }

  #back(): void {
    const id = this.#document.close();
    this.#paint();
    const card = this.#cards.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .name`);
    (card ?? this.#new).focus();
  }

  // start starts a script from its card. One that moves the robot is opened, and Try is offered there,
  // unless the person has opened another one meanwhile.
  async #start(id: string): Promise<void> {
    const { value, reason } = await api.read(id);
    if (value === null) this.#tell(reason);
    else if (!this.#document.wantsTry(lines(value.text))) await this.#run(value, true);
    else if (!this.#document.isOpen()) {
      this.#document.open(docOf(value), false);
      this.#document.offerTry();
    }
  }

  // run starts or stops a script, as it is saved. Another revision than the one given does not start.
  async #run({ id, revision }: Pick<Doc, 'id' | 'revision'>, on: boolean): Promise<void> {
    this.#tell('');
    const lease = leaseOf(this.#context.store.get());
    const { value, reason } = on ? await api.start(id, lease, revision) : await api.stop(id);
    if (value === null) {
      this.#tell(reason);
      return;
    }
    const name = this.#list.find((s) => s.id === id)?.name ?? id;
    const sentence = !on ? words.stopped : lease > 0 ? words.started : words.startedHeld;
    this.#context.voice.say(say(sentence, { name }));
  }

  async #tag(tag: string, verb: 'stop' | 'freeze' | 'unfreeze'): Promise<void> {
    const { reason } = await api.tell(tag, verb);
    this.#tell(reason);
  }

  async #mark({ id, revision }: Doc, mark: Mark, on: boolean): Promise<void> {
    const { reason } = await api.mark(id, mark, on, on ? revision : 0);
    this.#tell(reason);
    await this.#readList();
  }

  async #resume(): Promise<void> {
    const { reason } = await api.resume(this.#context.store.get().epoch);
    this.#tell(reason);
  }

  #tell(text: string): void {
    setText(this.#says, text);
    hide(this.#says, text === '');
  }

  #paint(): void {
    const m = this.#context.store.get();
    const open = this.#document.isOpen();
    this.#held.paint(m);
    hide(this.#all, open);
    this.#new.disabled = this.#import.disabled = !mayChange(m);
    for (const b of this.#examples.querySelectorAll('button')) b.disabled = !mayChange(m);
    hide(this.#none, this.#list.length > 0);
    this.#paintCards(m);
    this.#document.paint(m, this.#lines);
    this.#countDown();
  }

  #marksOf(id: string, m: Readonly<Model>): HTMLElement[] {
    const entry = this.#list.find((s) => s.id === id);
    const unit = m.scripts?.units.find((u) => u.name === id) ?? null;
    return entry === undefined ? [] : markLines(entry, unit, m, now());
  }

  #paintCards(m: Readonly<Model>): void {
    const cards = cardsOf(this.#list, m.scripts, this.#lines);
    const shown = JSON.stringify([cards, mayChange(m), this.#list]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const focused = (document.activeElement as HTMLElement | null)?.dataset['key'];
    const acts = {
      open: (id: string) => void this.#open(id),
      run: (id: string, on: boolean) => void (on ? this.#start(id) : this.#run({ id, revision: 0 }, false)),
      tag: (tag: string, verb: 'stop' | 'freeze' | 'unfreeze') => void this.#tag(tag, verb),
    };
    remake(this.#cards, ...cards.map((c) => cardOf(c, mayChange(m), acts, this.#marksOf(c.id, m))));
    if (focused !== undefined) this.#cards.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }
}

// heldCard builds the card that says why scripts do not move the robot, with Resume.
function heldCard(press: () => void): { root: HTMLElement; paint(m: Readonly<Model>): void } {
  const why = make('span', {});
  const how = make('span', { class: 'dim' });
  const button = make('button', { class: 'btn pri sm', type: 'button', icon: 'play' }, words.resume);
  const root = make(
    'section',
    { class: 'box held', id: 'scripts-held', hidden: '', 'aria-label': words.held },
    make('p', { icon: 'pause' }, make('b', {}, words.held), ' ', why),
    make('div', { class: 'row' }, button, how),
  );
  button.onclick = press;
  return {
    root,
    paint(m) {
      const held = heldOf(m);
      hide(root, held === null);
      if (held === null) return;
      setText(why, held.why);
      setText(how, held.how);
      button.disabled = !held.may;
    },
  };
}
