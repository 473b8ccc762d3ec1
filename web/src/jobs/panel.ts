// The Jobs tab: the job that a person writes, its rehearsal, and the progress of its run. A separate
// script, which the page loads when it is first needed.
import { mountRehearsal } from './rehearsal.ts';
import { mountDeleted } from './deleted.ts';
import { mountEditorState } from './editor-state.ts';
import { blank, type Doc, edit, placeOf, poseOfStep, stepsOf } from './draft.ts';
import { type Editor, editorOf } from './editor.ts';
import { mountHead } from './head.ts';
import { mountLibrary } from './library.ts';
import { StepList } from './list.ts';
import { mountMenu } from './menu.ts';
import { type JobOrder, orderOf, shortcutOf } from './orders.ts';
import { mountPins, type Sheet } from './pins.ts';
import { poseAt, Preview, stepAt } from './preview.ts';
import { type Rehearsal, taken } from './api.ts';
import { type Deed, mountBar } from './runbar.ts';
import { StepActions } from './step-actions.ts';
import { barOf, blockedOf, faultsIn, pinsOf, rowsOf, type ViewModel, takesOK, waysOf } from './view-model.ts';
import { mountSpeaker } from './speaker.ts';
import { duration, newsOf, underWay } from './view.ts';
import { jobs as words } from '../../strings.json';
import { pick, under } from '../dom.ts';
import { typesIn } from '../field.ts';
import { mayAct, type Model } from '../store.ts';
import { arrive, type Context } from '../context.ts';
import { say } from '../words.ts';
import type { Pose, Step } from '../wire.ts';

// SHOWN are the fields of the model that the tab shows, besides the state that comes ten times a second.
const SHOWN = [
  'tab',
  'run',
  'jobs',
  'plan',
  'holder',
  'you',
  'role',
  'socket',
  'conn',
  'passing',
  'stop',
  'stopping',
  'elsewhere',
] as const;

const QUIET = { text: '', bad: false };

export function mountTab(context: Context): void {
  new JobsPanel(context);
}

class JobsPanel {
  readonly #context: Context;
  readonly #canvas = pick<HTMLCanvasElement>('#map');
  readonly #menu = mountMenu();
  readonly #speaker = mountSpeaker();
  readonly #bar = mountBar((deed) => this.#press(deed));
  readonly #editorState;
  readonly #rehearsal;
  readonly #preview;
  readonly #deleted;
  readonly #library;
  readonly #head;
  readonly #list;
  readonly #pins;
  readonly #steps: StepActions;

  #open: number | null = null; // the card whose editor is open
  #editor: { key: number; type: Step['type']; editor: Editor } | null = null;
  #lit: number | null = null;
  #preparing = false;
  #says = QUIET;
  #followed = ''; // the step last scrolled to
  #could: boolean; // this person could write here

  constructor(context: Context) {
    const { store, stage, voice } = context;
    const paint = () => this.#paint();
    this.#context = context;
    this.#editorState = mountEditorState(context, {
      changed: (was) => this.#changed(was),
      refused: (reason) => this.#tell(reason, true),
      sound: () => faultsIn(this.#viewModel()).length === 0,
      paint,
    });
    this.#rehearsal = mountRehearsal(store, this.#editorState.now, (refused) => {
      if (refused !== '') this.#says = { text: refused, bad: true };
      this.#paint();
    });
    this.#preview = new Preview((over) => this.#previewed(over));
    this.#deleted = mountDeleted(voice);
    this.#list = new StepList({
      open: (key) => this.#toggle(key),
      move: (key, to) => this.#steps.moveTo(key, to),
      menu: (key, anchor) => this.#steps.openMenu(key, anchor),
      light: (key) => this.#light(key),
      deed: (deed) => this.#press(deed),
      first: this.#editorState.fixed,
    });
    this.#steps = new StepActions({
      editorState: this.#editorState,
      list: this.#list,
      menu: this.#menu,
      deleted: this.#deleted,
      voice,
      show: (key) => this.#show(key),
    });
    const documents = {
      take: (next: Doc, kept: Doc | null) => this.#take(next, kept),
      first: () => this.#list.focus(this.#editorState.now().cards[0]?.key ?? null),
    };
    this.#library = mountLibrary(context, this.#editorState, {
      ...documents,
      tell: (text, bad) => this.#tell(text, bad),
      deleted: (name, again) => this.#deleted.offer(say(words.jobDeleted, { name }), false, again),
      paint,
    });
    this.#head = mountHead(store, this.#editorState, this.#library, this.#menu, {
      ...documents,
      undo: this.#steps.undo,
      redo: this.#steps.redo,
      add: (anchor) => this.#steps.openAddMenu(anchor, words.add),
      clear: () => this.#steps.clear(),
    });
    this.#pins = mountPins(this.#canvas, stage, () => this.#sheet(), {
      light: (key) => this.#light(key),
      open: (key) => this.#open !== key && this.#show(key),
      live: (key, pose) => this.#drag(key, pose),
      put: (key, pose) => this.#put(key, pose),
      picked: () => this.#picked(),
    });
    this.#could = this.#editorState.may();
    this.#listen();
    store.subscribe((m, before) => this.#follow(m, before));
    this.#editorState.meet();
    this.#paint();
    this.#scrollToCurrent(store.get());
    this.#rehearsal.think();
  }

  #model(): Readonly<Model> {
    return this.#context.store.get();
  }

  #act(): boolean {
    return this.#editorState.may() && mayAct(this.#model());
  }

  // ghost returns what the rehearsal shows of the virtual robot.
  #ghost<T>(at: (whole: Rehearsal, t: number) => T): T | null {
    const t = this.#preview.time();
    const { whole } = this.#rehearsal;
    return t === null || whole === null ? null : at(whole, t);
  }

  #viewModel(): ViewModel {
    return {
      m: this.#model(),
      doc: this.#editorState.shown(),
      figures: this.#rehearsal.figures,
      whole: this.#rehearsal.whole?.time ?? null,
      says: this.#says,
      changing: this.#editorState.sending(),
      preparing: this.#preparing,
      ghost: this.#ghost(stepAt),
      lit: this.#lit,
    };
  }

  #tell(text: string, bad: boolean): void {
    this.#says = { text, bad };
    this.#context.voice.say(text);
    this.#paint();
  }

  // ---- the document ----

  #changed(was: Doc): void {
    this.#says = QUIET;
    this.#preview.end();
    if (placeOf(this.#editorState.now(), this.#open) < 0) this.#open = null;
    this.#rehearsal.changed(was);
  }

  // take opens another document.
  #take(next: Doc, kept: Doc | null): void {
    if (underWay(this.#model().run)) return;
    this.#editorState.saved = kept;
    this.#open = null;
    this.#editorState.change(next);
  }

  #show(key: number): void {
    this.#open = key;
    this.#paint();
    this.#list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
    const field = this.#editor?.editor.root.querySelector<HTMLElement>('textarea,select,input');
    if (field && document.activeElement !== this.#canvas) field.focus({ preventScroll: true });
  }

  #toggle(key: number): void {
    if (this.#open !== key) {
      this.#show(key);
      return;
    }
    this.#open = null;
    this.#pins.pick(null, 0);
    this.#paint();
  }

  // ---- the run ----

  #press(deed: Deed): void {
    const m = this.#model();
    if (!mayAct(m)) return;
    if (deed === 'run') this.#start();
    else if (deed === 'preview') {
      const { whole } = this.#rehearsal;
      if (this.#preview.time() !== null) this.#preview.end();
      else if (whole !== null) this.#preview.begin(whole);
      this.#paint();
    } else {
      const order = orderOf(deed, m);
      if (order !== null) void this.#order(order);
    }
  }

  async #order(order: JobOrder): Promise<void> {
    this.#says = QUIET;
    const { word, reason } = await this.#context.link.ask(order);
    if (!taken(word)) this.#tell(reason, true);
    this.#paint();
  }

  #start(): void {
    const now = this.#editorState.now();
    if (blockedOf(this.#viewModel()) !== '' || this.#preparing) return;
    this.#preparing = true;
    this.#preview.end();
    this.#open = null;
    this.#paint();
    const known = now.id !== '' && !this.#editorState.unsaved() ? { job: now.id } : {};
    void this.#order({ type: 'job', action: 'run', ...known, name: now.name, steps: stepsOf(now) }).then(() => {
      this.#preparing = false;
      this.#paint();
    });
  }

  #previewed(over: boolean): void {
    const { whole } = this.#rehearsal;
    if (over && whole !== null) this.#context.voice.say(say(words.previewDone, { time: duration(whole.time) }));
    if (this.#preview.time() === null) this.#paint();
    else {
      this.#context.stage.redraw();
      this.#paintList();
    }
  }

  // ---- the map ----

  #sheet(): Sheet | null {
    const m = this.#model();
    const now = this.#editorState.shown();
    if (m.tab !== 'jobs' || m.tool !== null || now.cards.length === 0) return null;
    const vm = this.#viewModel();
    return {
      pins: pinsOf(vm),
      ways: waysOf(vm),
      lit: this.#lit,
      open: placeOf(now, this.#open) >= this.#editorState.fixed() ? this.#open : null,
      may: this.#act(),
      ghost: this.#ghost(poseAt),
    };
  }

  // light highlights a card and its pin; not at once, because it is called while cards come and go.
  #light(key: number | null): void {
    if (this.#lit === key) return;
    this.#lit = key;
    requestAnimationFrame(() => this.#paintList());
    this.#context.stage.redraw();
  }

  #drag(key: number, pose: Pose): void {
    const step = this.#steps.stepOf(key);
    if (step === undefined) return;
    this.#editorState.live = edit(this.#editorState.now(), key, { ...step, place: '', pose });
    this.#paint();
  }

  #put(key: number, pose: Pose): void {
    const step = this.#steps.stepOf(key);
    this.#editorState.live = null;
    if (step !== undefined && !Number.isNaN(pose[0]))
      this.#editorState.change(edit(this.#editorState.now(), key, { ...step, place: '', pose }), `pose${key}`);
    this.#paint();
  }

  #picked(): void {
    this.#editor?.editor.picking(false);
    if (this.#says.text === words.picking) this.#says = QUIET;
    this.#paint();
  }

  // ---- what is shown ----

  #paintList(): void {
    const now = this.#editorState.shown();
    this.#list.paint(rowsOf(this.#viewModel()), this.#open, this.#lit, this.#act());
    this.#paintEditor(now.cards[placeOf(now, this.#open)]?.step, placeOf(now, this.#open));
  }

  // paintEditor shows the fields of the open step in its card.
  #paintEditor(step: Step | undefined, place: number): void {
    const open = this.#open;
    const card = this.#list.cardOf(open);
    if (open === null || card === null || step === undefined) {
      this.#editor?.editor.root.remove();
      this.#editor = null;
      return;
    }
    if (this.#editor?.key !== open || this.#editor.type !== step.type) {
      this.#editor?.editor.root.remove();
      this.#editor = { key: open, type: step.type, editor: this.#editorFor(open, step) };
      card.append(this.#editor.editor.root);
    }
    this.#editor.editor.fill(step, this.#act() && place >= this.#editorState.fixed());
  }

  #editorFor(key: number, first: Step): Editor {
    return editorOf(first, {
      change: (next, mark) => this.#editorState.change(edit(this.#editorState.now(), key, next), `${key}${mark}`),
      pick: () => this.#pickPlace(key, first),
      here: () => this.#model().state?.pose ?? null,
      say: (step) => this.#speaker.say(step, () => this.#tell(words.tryNone, true)),
      places: () => this.#model().plan.places,
      voices: () => this.#speaker.voices(),
    });
  }

  // pickPlace makes the next press on the map the place of a step, or cancels that.
  #pickPlace(key: number, first: Step): void {
    const on = this.#pins.picking() !== key;
    const step = this.#steps.stepOf(key) ?? first;
    this.#pins.pick(on ? key : null, poseOfStep(step, this.#model().plan.places)?.[2] ?? 0);
    this.#editor?.editor.picking(on);
    if (on) this.#tell(words.picking, false);
  }

  #paint(): void {
    const m = this.#model();
    this.#leaveField();
    this.#head(m);
    this.#paintList();
    const now = barOf(this.#viewModel());
    this.#bar(m.tab === 'jobs' ? now : { ...now, kind: 'none' }, m.conn === 'lost');
    this.#context.stage.redraw();
  }

  // leaveField makes a field of a closing card report its content.
  #leaveField(): void {
    const editor = this.#editor;
    const field = document.activeElement;
    if (editor === null || !(field instanceof HTMLElement) || !editor.editor.root.contains(field)) return;
    if (this.#open !== editor.key || placeOf(this.#editorState.shown(), this.#open) < 0) field.blur();
  }

  // scrollToCurrent scrolls to the current step if it has changed, or has an OK to press.
  #scrollToCurrent(m: Readonly<Model>): void {
    const { run, tab } = m;
    if (!underWay(run) || tab !== 'jobs' || this.#list.isDragging()) return;
    const at = `${run.n} ${run.step} ${takesOK(m)}`;
    if (at === this.#followed) return;
    this.#followed = at;
    requestAnimationFrame(() => {
      const current = this.#model().run?.step ?? run.step; // once the run bar has its height
      const key = this.#editorState.shown().cards[current]?.key ?? null;
      this.#list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
    });
  }

  #follow(m: Readonly<Model>, before: Readonly<Model>): void {
    if (m.tab !== before.tab) {
      this.#pins.pick(null, 0);
      this.#preview.end();
      if (m.tab !== 'jobs') this.#deleted.hide();
    }
    const may = this.#editorState.may();
    if (m.run !== before.run || may !== this.#could) this.#followRun(m, before);
    this.#could = may;
    const shown = m.tab !== before.tab && this.#rehearsal.whole === null;
    if (m.plan !== before.plan || shown || (mayAct(m) && !mayAct(before))) this.#rehearsal.think();
    if (m.state !== before.state) this.#rehearsal.strayed(m);
    if (SHOWN.some((key) => m[key] !== before[key])) {
      this.#paint();
      this.#scrollToCurrent(m);
    } else if (m.tab === 'jobs' && m.state !== before.state) {
      if (underWay(m.run)) this.#paintList();
      this.#bar(barOf(this.#viewModel()), false);
      this.#scrollToCurrent(m);
    }
  }

  #followRun({ run }: Readonly<Model>, { run: was }: Readonly<Model>): void {
    if (run?.n !== was?.n || run?.phase !== was?.phase || run?.step !== was?.step) this.#says = QUIET;
    if (underWay(run) && !underWay(was)) this.#preview.end();
    this.#editorState.meet();
    for (const news of newsOf(run, was)) this.#context.store.toast(news.text, news.word);
    if (!underWay(run) && underWay(was)) this.#rehearsal.think();
  }

  // ---- actions ----

  #listen(): void {
    pick('#job-add').onclick = (e) => {
      const type = under(e, '[data-type]')?.dataset['type'];
      if (type !== undefined) this.#steps.add(blank(type as Step['type']));
    };
    pick('#draft-job').onclick = () => this.#addDraft();
    document.addEventListener('keydown', (e) => this.#pressKey(e));
    document.addEventListener('keydown', (e) => this.#pressPause(e), { capture: true });
  }

  // addDraft makes a step from the goal drawn on the map.
  #addDraft(): void {
    const { draft, plan } = this.#model();
    if (draft?.kind !== 'goal') return;
    this.#context.store.set({ tab: 'jobs', draft: null, tool: null });
    const known = plan.places.some((p) => p.name === draft.name);
    this.#steps.add(known ? { type: 'MOVE', place: draft.name } : { type: 'MOVE', pose: draft.pose });
  }

  #pressKey(e: KeyboardEvent): void {
    const m = this.#model();
    if (e.defaultPrevented || m.dialog || m.tab !== 'jobs' || m.tool !== null) return;
    const card = document.activeElement?.closest<HTMLElement>('.step');
    const key = card ? Number(card.dataset['key']) : null;
    const does = shortcutOf(e, typesIn(e.target));
    if (does === 'save') void this.#library.save();
    else if (does === 'redo') this.#steps.redo();
    else if (does === 'undo') this.#steps.undo();
    else if (does === null || key === null || this.#steps.stepOf(key) === undefined) return;
    else if (does === 'delete') this.#steps.delete(key);
    else if (does !== 'duplicate') this.#steps.moveBy(key, does === 'up' ? -1 : 1);
    else if (!this.#steps.copy(key)) return;
    e.preventDefault();
  }

  // pressPause: P pauses the job in every tab, without a message to other users.
  #pressPause(e: KeyboardEvent): void {
    const m = this.#model();
    if (e.code !== 'KeyP' || e.repeat || e.ctrlKey || e.altKey || e.metaKey) return;
    if (m.dialog || !m.prefs.letterKeys || typesIn(e.target) || !underWay(m.run)) return;
    if (m.run.phase !== 'stuck') this.#press('pause');
    e.preventDefault();
  }
}

arrive('jobs', mountTab);
