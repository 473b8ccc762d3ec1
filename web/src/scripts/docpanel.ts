// The open script: its name, rules, text and output. The text alone defines the script; the rules are
// read from it.
import * as api from './api.ts';
import { switchOf, tagsOf } from './cards.ts';
import { checker } from './checker.ts';
import { type Doc, isEdited, isUnsaved, savedAs } from './document.ts';
import { ruleForm } from './form.ts';
import { make, remake } from './make.ts';
import type { Live, ValueSource } from './liveview.ts';
import { type Mark, markLines, markSwitches } from './marks.ts';
import { moves } from './moves.ts';
import type { Rule } from './rule.ts';
import { addRule, dropLine, findLine, otherLines, putRule, rulesOf } from './rules.ts';
import { editorMaker, type TextEditor } from './texteditor.ts';
import { tryMaker, type TryPanel } from './tryload.ts';
import { blankRule, describeActs, describeWhen, isFault, lineText, mayChange, cardsOf } from './view.ts';
import { scripts as words, scriptTry as tryWords } from '../../strings.json';
import { hide, setText } from '../dom.ts';
import type { Context } from '../context.ts';
import { type Model, now } from '../store.ts';
import { say } from '../words.ts';

export interface DocumentActs {
  opened(): void;
  back(): void;
  tell(text: string): void; // shows why the robot refused a request; empty: it did not
  changed(): void; // the robot's scripts have changed
  run(doc: Doc, on: boolean): void;
  live(): Promise<Live | null>; // what runs live; null: it did not load
  tag(tag: string, verb: 'stop' | 'freeze' | 'unfreeze'): void;
  entry(id: string): api.Entry | undefined; // of the list
  mark(doc: Doc, mark: Mark, on: boolean): void;
}

const MAX_LINES = 50; // of output

// NEW is a script that the robot's list does not contain yet.
const NEW = { bytes: 0, revision: 0, changed: '', starts: false, stands_by: false, start_fault: '' };

export class DocumentPanel {
  readonly root = make('div', { class: 'doc', hidden: '' });
  readonly #context: Context;
  readonly #acts: DocumentActs;
  readonly #name = make('input', {
    type: 'text',
    maxlength: '60',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': words.name,
  });
  readonly #state = make('span', { class: 'chip' }, words.unsaved);
  readonly #save = make(
    'button',
    { class: 'btn pri sm', type: 'button', icon: 'save', 'aria-keyshortcuts': 'Control+S' },
    words.save,
  );
  readonly #drop = make('button', {
    class: 'ib',
    type: 'button',
    icon: 'trash-2',
    'aria-label': words.delete,
    title: words.delete,
  });
  readonly #tryIt = make(
    'button',
    { class: 'btn sm', type: 'button', icon: 'flask-conical', 'data-do': 'try' },
    tryWords.open,
  );
  readonly #tryHost = make('div', { class: 'box', hidden: '' });
  readonly #ask = make('div', { class: 'row ask', role: 'group', hidden: '' });
  readonly #run = make('div', { class: 'run' });
  readonly #rules = make('ol', { class: 'rules', 'aria-label': words.rules });
  readonly #noRules = make('p', { class: 'dim' });
  readonly #add = make(
    'button',
    { class: 'btn sm', type: 'button', icon: 'plus', 'data-do': 'addRule' },
    words.addRule,
  );
  readonly #form = make('div', {});
  readonly #host = make('div', { class: 'editor' });
  readonly #faults = make('ul', { class: 'faults says bad', 'aria-label': words.text });
  readonly #output = make('ol', { class: 'output', tabindex: '0', 'aria-label': words.output });
  readonly #check;

  #doc: Doc | null = null;
  #opened = 0; // counts the opened documents, so that an answer for an earlier one does not change this one
  #editor: TextEditor | null = null;
  #try: TryPanel | null = null;
  readonly #known = new Set<string>(); // texts that the person has tried, or started without
  #values: ValueSource | undefined; // of the names in the text
  #words: Promise<readonly api.Word[]> | null = null;
  #saving: Promise<boolean> | null = null; // the save that is underway
  #told = ''; // the fault that was announced last
  #shownRun = ''; // what is shown, so that it is rebuilt only when it changes
  #shownRules = '';

  constructor(context: Context, acts: DocumentActs) {
    this.#context = context;
    this.#acts = acts;
    this.#check = checker(api.check, (faults) => this.#showFaults(faults));
    const back = make('button', {
      class: 'ib',
      type: 'button',
      icon: 'arrow-left',
      'aria-label': words.back,
      title: words.back,
    });
    const file = make('button', {
      class: 'ib',
      type: 'button',
      icon: 'download',
      'aria-label': words.export,
      title: words.export,
    });
    this.root.append(
      make('div', { class: 'row head' }, back, this.#name),
      make(
        'div',
        { class: 'row' },
        this.#state,
        make('span', { class: 'grow' }),
        file,
        this.#drop,
        this.#tryIt,
        this.#save,
      ),
      this.#ask,
      this.#run,
      this.#tryHost,
      make('h3', { class: 'h' }, words.rules),
      this.#noRules,
      this.#rules,
      make('div', { class: 'row' }, this.#add),
      this.#form,
      make('h3', { class: 'h' }, words.text),
      this.#host,
      this.#faults,
      make('h3', { class: 'h' }, words.output),
      this.#output,
    );
    back.onclick = () => {
      if (this.#doc === null || !isEdited(this.#doc)) acts.back();
      else this.#askFirst(words.discardAsk, () => back, [words.discardYes, acts.back], [words.discardNo, () => {}]);
    };
    file.onclick = () => this.#export();
    this.#listen();
  }

  #listen(): void {
    this.#save.onclick = () => void this.#saveNow();
    this.#name.oninput = () => this.#change({ name: this.#name.value });
    this.#add.onclick = () => this.#edit(null, blankRule());
    this.#tryIt.onclick = () => void this.#openTry();
    this.#drop.onclick = () =>
      this.#askFirst(
        words.deleteAsk,
        () => this.#drop,
        [words.deleteYes, () => void this.#delete()],
        [words.deleteNo, () => {}],
      );
    this.root.addEventListener('keydown', (e) => {
      if ((e.ctrlKey || e.metaKey) && e.code === 'KeyS') {
        e.preventDefault();
        void this.#saveNow();
      }
    });
  }

  // askFirst asks before something happens. The answer focuses what was pressed, and then acts.
  #askFirst(question: string, pressed: () => HTMLElement | null, ...answers: [text: string, act: () => void][]): void {
    const buttons = answers.map(([text, act]) => {
      const b = make('button', { class: 'btn sm', type: 'button' }, text);
      b.onclick = () => {
        hide(this.#ask, true);
        pressed()?.focus();
        act();
      };
      return b;
    });
    this.#ask.setAttribute('aria-label', question);
    this.#ask.replaceChildren(make('b', {}, question), make('span', { class: 'grow' }), ...buttons);
    hide(this.#ask, false);
    buttons[0]?.focus();
  }

  isOpen(): boolean {
    return this.#doc !== null;
  }

  // open shows a script and focuses its name, which it selects in a new script.
  open(doc: Doc, isNew: boolean): void {
    this.#doc = doc;
    this.#opened++;
    this.#name.value = doc.name;
    this.#form.replaceChildren();
    this.#try?.close();
    hide(this.#ask, true);
    this.#acts.tell('');
    this.#told = '';
    this.#showFaults([]);
    this.#paintAll();
    void this.#mountEditor();
    this.#check(doc.text, true);
    if (isNew) this.#name.select();
    this.#name.focus();
    this.#acts.opened();
  }

  // close returns the id of the script that was open.
  close(): string {
    this.#values?.leave();
    const id = this.#doc?.id ?? '';
    this.#doc = null;
    this.#opened++;
    this.#try?.close();
    this.#paintAll();
    return id;
  }

  async #mountEditor(): Promise<void> {
    const make = await editorMaker();
    const live = await this.#acts.live();
    if (this.#editor === null && live !== null) {
      const values = (this.#values = live.values(() => this.#doc?.id ?? ''));
      this.#host.after(values.root);
    }
    this.#editor ??= make({
      values: this.#values,
      host: this.#host,
      label: words.text,
      changed: (text) => this.#change({ text }),
      words: () => this.#robotWords(),
    });
    this.#words = null; // places and jobs may have changed
    const text = this.#doc?.text ?? '';
    this.#editor.open(text);
    this.#check(text, true); // the editor does not have earlier faults
    this.#editor.lock(!mayChange(this.#context.store.get()));
  }

  #robotWords(): Promise<readonly api.Word[]> {
    return (this.#words ??= api.words().then(({ value }) => value?.words ?? []));
  }

  #change(part: { name?: string; text?: string }): void {
    if (this.#doc === null) return;
    this.#doc = { ...this.#doc, ...part };
    if (part.text !== undefined) {
      this.#editor?.set(part.text);
      this.#check(part.text);
      this.#try?.changed();
    }
    this.#paintAll();
  }

  #showFaults(faults: readonly api.Fault[]): void {
    this.#editor?.faults(faults);
    const texts = faults.map((f) => say(words.fault, { line: f.line, text: f.text }));
    hide(this.#faults, texts.length === 0 || this.#editor?.shows === true);
    this.#faults.replaceChildren(...texts.map((text) => make('li', {}, text)));
    const first = texts[0] ?? '';
    if (first !== this.#told) this.#context.voice.say(first === '' ? words.noFaults : first);
    this.#told = first;
  }

  // ---- rules ----

  #paintRules(may: boolean): void {
    const { text } = this.#doc ?? { text: '' };
    if (this.#shownRules === `${may} ${text}`) return; // do not move the focus
    this.#shownRules = `${may} ${text}`;
    const rules = rulesOf(text);
    const others = otherLines(text);
    this.#rules.replaceChildren(
      ...rules.map(({ line, rule }) => {
        const sentence = ruleSentence(rule);
        const edit = make('button', { class: 'rule', type: 'button' }, sentence);
        edit.setAttribute('aria-label', say(words.editRule, { rule: sentence }));
        edit.onclick = () => this.#edit(line, rule);
        const drop = make('button', {
          class: 'ib',
          type: 'button',
          icon: 'trash-2',
          'aria-label': say(words.deleteRule, { rule: sentence }),
        });
        drop.onclick = () => {
          this.#form.replaceChildren();
          this.#change({ text: dropLine(this.#doc?.text ?? '', line) });
          this.#add.focus();
        };
        edit.disabled = drop.disabled = !may;
        return make('li', {}, edit, drop);
      }),
    );
    const more = others === 1 ? words.otherLine : say(words.otherLines, { n: others });
    setText(this.#noRules, others > 0 ? more : words.noRules);
    hide(this.#noRules, others === 0 && rules.length > 0);
    this.#add.disabled = !may;
  }

  // edit opens the form for the rule of a line; null: for a new rule. If the person changes that line in
  // the text meanwhile, the form does not overwrite it.
  #edit(line: number | null, rule: Rule): void {
    const was = line === null ? null : (this.#doc?.text.split('\n')[line] ?? '');
    const { plan, jobs } = this.#context.store.get();
    const close = (at: number | null) => {
      this.#form.replaceChildren();
      const row = at === null ? -1 : rulesOf(this.#doc?.text ?? '').findIndex((r) => r.line === at);
      (this.#rules.children[row]?.querySelector('button') ?? this.#add).focus();
    };
    const form = ruleForm(
      rule,
      { places: plan.places.map((p) => p.name), jobs: jobs.map((j) => j.name) },
      {
        done: (next) => {
          const now = this.#doc?.text ?? '';
          const at = line === null || was === null ? null : findLine(now, line, was);
          this.#acts.tell(at === -1 ? words.ruleChanged : '');
          if (at === -1) return;
          const put = at === null ? addRule(now, next) : { text: putRule(now, at, next), line: at };
          this.#change({ text: put.text });
          close(put.line);
        },
        cancel: () => close(line),
      },
    );
    this.#form.replaceChildren(form);
    form.querySelector('select')?.focus();
  }

  // ---- the virtual robot ----

  async #openTry(): Promise<void> {
    const opened = this.#opened;
    const make = await tryMaker();
    this.#acts.tell(make === null ? tryWords.failed : '');
    if (make === null || this.#doc === null || this.#opened !== opened) return;
    this.#try ??= make({
      host: this.#tryHost,
      context: this.#context,
      script: () => this.#doc ?? { id: '', name: '', text: '' },
      words: () => this.#robotWords(),
      goTo: (line, column) => this.#editor?.goTo(line, column),
      closed: () => this.#tryIt.focus(),
      tried: (text) => this.#known.add(text),
    });
    this.#try.lock(!mayChange(this.#context.store.get()));
    this.#try.open();
  }

  // wantsTry: the person has neither tried this text nor started it, and it moves the robot.
  wantsTry(text: string): boolean {
    return moves(text) && !this.#known.has(text);
  }

  // offerTry asks whether to try the open script before it starts.
  offerTry(): void {
    const text = this.#doc?.text ?? '';
    this.#askFirst(
      tryWords.offer,
      () => this.#run.querySelector<HTMLElement>('[role=switch]'),
      [tryWords.offerTry, () => void this.#openTry()],
      [
        tryWords.offerStart,
        () => {
          this.#known.add(text);
          void this.#switch(true);
        },
      ],
      [tryWords.offerNo, () => {}],
    );
  }

  // ---- the robot ----

  // saveNow saves the open script after the save that is underway, unless that has saved all of it.
  async #saveNow(): Promise<boolean> {
    if (!mayChange(this.#context.store.get())) return false;
    const opened = this.#opened;
    while (this.#saving !== null) {
      await this.#saving;
      if (this.#doc === null || this.#opened !== opened) return false;
      if (!isUnsaved(this.#doc)) return true;
    }
    return this.#doc !== null && (await (this.#saving = this.#send(this.#doc)));
  }

  async #send(doc: Doc): Promise<boolean> {
    const opened = this.#opened;
    const { value, reason } =
      doc.id === '' ? await api.create(doc.name, doc.text) : await api.save(doc.id, doc.name, doc.text, doc.revision);
    this.#saving = null;
    this.#acts.tell(reason);
    if (value === null) return false;
    if (this.#doc !== null && this.#opened === opened) {
      this.#doc = savedAs(this.#doc, value);
      if (!isEdited(this.#doc) && this.#ask.getAttribute('aria-label') === words.discardAsk) hide(this.#ask, true);
    }
    this.#context.voice.say(say(words.saved, { name: value.name }));
    this.#acts.changed();
    this.#paintAll();
    return true;
  }

  async #delete(): Promise<void> {
    const doc = this.#doc;
    const opened = this.#opened;
    if (doc === null) return;
    if (doc.id !== '') {
      const { value, reason } = await api.remove(doc.id);
      this.#acts.tell(reason);
      if (value === null) return;
      this.#context.voice.say(say(words.deleted, { name: doc.name }));
      this.#acts.changed();
    }
    if (this.#opened === opened) this.#acts.back();
  }

  #export(): void {
    const doc = this.#doc;
    if (doc === null) return;
    const url = URL.createObjectURL(new Blob([doc.text], { type: 'text/plain' }));
    const link = make('a', { href: url, download: `${doc.id || 'script'}.u` });
    link.click();
    URL.revokeObjectURL(url);
  }

  // switch starts or stops the script. The robot runs the saved text, so the panel saves it before the
  // start. If the person opens another script meanwhile, nothing starts.
  async #switch(on: boolean): Promise<void> {
    const opened = this.#opened;
    if (on && this.wantsTry(this.#doc?.text ?? '')) {
      this.offerTry();
      return;
    }
    if (on && this.#doc !== null && isUnsaved(this.#doc) && !(await this.#saveNow())) return;
    if (this.#doc !== null && this.#opened === opened) this.#acts.run(this.#doc, on);
  }

  // ---- painting ----

  #paintAll(): void {
    this.paint(this.#context.store.get(), this.#lines);
  }

  #lines: readonly api.Line[] = [];

  paint(m: Readonly<Model>, lines: readonly api.Line[]): void {
    this.#lines = lines;
    const doc = this.#doc;
    hide(this.root, doc === null);
    if (doc === null) return;
    const may = mayChange(m);
    const unsaved = isUnsaved(doc);
    hide(this.#state, !unsaved);
    this.#save.disabled = !may || !unsaved;
    this.#drop.disabled = !may;
    this.#name.readOnly = !may;
    this.#editor?.lock(!may);
    this.#tryIt.disabled = !may;
    this.#try?.lock(!may);
    this.#paintRules(may);
    this.#paintRun(m, doc, may, lines);
    this.#paintOutput(doc, lines);
  }

  #paintRun(m: Readonly<Model>, doc: Doc, may: boolean, lines: readonly api.Line[]): void {
    const listed = this.#acts.entry(doc.id);
    const entry = listed ?? { ...NEW, id: doc.id, name: doc.name };
    const card = cardsOf([entry], m.scripts, lines)[0];
    if (card === undefined) return;
    const shown = JSON.stringify([card.unit, may, m.role, doc.id, isUnsaved(doc), listed]);
    if (shown === this.#shownRun) return;
    this.#shownRun = shown;
    const focused = this.#run.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset['key']
      : undefined;
    const acts = { open: () => {}, run: (_: string, on: boolean) => void this.#switch(on), tag: this.#acts.tag };
    const old = card.unit !== null && isUnsaved(doc) ? [make('p', { class: 'dim' }, words.runsOld)] : [];
    remake(
      this.#run,
      make(
        'div',
        { class: 'row' },
        make('span', { class: 'dim' }, card.says),
        make('span', { class: 'grow' }),
        switchOf(card, may, acts),
      ),
      ...old,
      ...markLines({ ...entry, starts: entry.start_fault !== '' }, card.unit, m, now()), // a switch says the rest
      ...(card.unit === null ? [] : tagsOf(card.name, card.unit, may, acts)),
      ...(listed === undefined ? [] : [markSwitches(listed, m, (mark, on) => this.#acts.mark(doc, mark, on))]),
    );
    if (focused !== undefined) this.#run.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #paintOutput(doc: Doc, lines: readonly api.Line[]): void {
    const own = lines.filter((l) => l.unit === doc.id).slice(-MAX_LINES);
    const last = own.at(-1)?.n ?? 0;
    if (this.#output.dataset['last'] === `${doc.id} ${last}`) return;
    this.#output.dataset['last'] = `${doc.id} ${last}`;
    const rows = own.map((l) => make('li', isFault(l) ? { class: 'bad' } : {}, lineText(l)));
    this.#output.replaceChildren(...(rows.length === 0 ? [make('li', { class: 'dim' }, words.noOutput)] : rows));
    this.#output.scrollTop = this.#output.scrollHeight;
  }
}

function ruleSentence(rule: Rule): string {
  const when = describeWhen(rule);
  const then = describeActs(rule.then);
  if (rule.when.kind !== 'every') return say(words.rule, { when, then });
  return say(words.ruleEvery, { when: when.charAt(0).toUpperCase() + when.slice(1), then });
}
