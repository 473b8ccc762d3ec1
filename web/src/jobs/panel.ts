// The Jobs tab: what a person writes, what the robot makes of it, and how far it has come. It is a script of its own, which
// the page loads when it is first wanted.
import { mountRehearsal } from './rehearsal.ts';
import { mountDeleted } from './deleted.ts';
import { mountEditorState } from './editor-state.ts';
import {
  blank,
  type Doc,
  edit,
  type History,
  insert,
  move,
  placeOf,
  poseOfStep,
  redo,
  remove,
  stepsOf,
  undo,
} from './draft.ts';
import { type Editor, editorOf } from './editor.ts';
import { mountHead } from './head.ts';
import { mountLibrary } from './library.ts';
import { ICONS, StepList } from './list.ts';
import { mountMenu } from './menu.ts';
import { type JobOrder, orderOf, shortcutOf } from './orders.ts';
import { mountPins } from './pins.ts';
import { poseAt, Preview, stepAt } from './preview.ts';
import { type Rehearsal, taken } from './api.ts';
import { type Deed, mountBar } from './runbar.ts';
import { barOf, blockedOf, faultsIn, pinsOf, rowsOf, type ViewModel, takesOK, waysOf } from './view-model.ts';
import { mountSpeaker } from './speaker.ts';
import { duration, newsOf, underWay } from './view.ts';
import { jobs as words } from '../../strings.json';
import { pick, under } from '../dom.ts';
import { typesIn } from '../field.ts';
import { mayAct, type Model } from '../store.ts';
import { arrive, type Context } from '../context.ts';
import { say } from '../words.ts';
import type { Step } from '../wire.ts';

// SHOWN is what the tab shows of the model, beside the state that comes ten times a second.
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
  const { store, link, stage, voice } = context;
  const canvas = pick<HTMLCanvasElement>('#map');

  let open: number | null = null; // the card whose editor is open
  let editor: { key: number; type: Step['type']; editor: Editor } | null = null;
  let lit: number | null = null;
  let preparing = false;
  let says = QUIET;
  let followed = ''; // the step that was scrolled to last

  const editorState = mountEditorState(context, {
    changed(was) {
      says = QUIET;
      preview.end();
      if (placeOf(editorState.now(), open) < 0) open = null;
      rehearsal.changed(was);
    },
    refused: (reason) => tell(reason, true),
    sound: () => faultsIn(viewModel()).length === 0,
    paint,
  });
  const rehearsal = mountRehearsal(store, editorState.now, (refused) => {
    if (refused !== '') says = { text: refused, bad: true };
    paint();
  });
  const preview = new Preview((over) => {
    if (over && rehearsal.whole !== null) voice.say(say(words.previewDone, { time: duration(rehearsal.whole.time) }));
    if (preview.time() === null) paint();
    else {
      stage.redraw();
      paintList();
    }
  });
  // ghost is what the virtual robot shows of the rehearsal.
  const ghost = <T>(at: (whole: Rehearsal, t: number) => T): T | null => {
    const t = preview.time();
    return t === null || rehearsal.whole === null ? null : at(rehearsal.whole, t);
  };

  const act = () => editorState.may() && mayAct(store.get());
  const step = (key: number | null) => editorState.now().cards[placeOf(editorState.now(), key)]?.step;
  const viewModel = (): ViewModel => ({
    m: store.get(),
    doc: editorState.shown(),
    figures: rehearsal.figures,
    whole: rehearsal.whole?.time ?? null,
    says,
    changing: editorState.sending(),
    preparing,
    ghost: ghost(stepAt),
    lit,
  });

  function tell(text: string, bad: boolean): void {
    says = { text, bad };
    voice.say(text);
    paint();
  }

  // ---- changes ----

  function travel(way: (h: History) => History, told: string): void {
    if (!editorState.travel(way)) return;
    deleted.hide();
    voice.say(told);
  }
  const back = () => travel(undo, words.undone);
  const forth = () => travel(redo, words.redone);

  function take(next: Doc, kept: Doc | null): void {
    if (underWay(store.get().run)) return;
    editorState.saved = kept;
    open = null;
    editorState.change(next);
  }

  const first = () => list.focus(editorState.now().cards[0]?.key ?? null);

  function add(step: Step, at = editorState.now().cards.length, title = true): void {
    const place = Math.max(at, editorState.fixed());
    const { doc, key } = insert(editorState.now(), place, step);
    editorState.change(doc);
    if (placeOf(editorState.now(), key) < 0) return;
    show(key);
    if (title) voice.say(say(words.added, { n: place + 1, type: step.type }));
  }

  function show(key: number): void {
    open = key;
    paint();
    list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
    const field = editor?.editor.root.querySelector<HTMLElement>('textarea,select,input');
    if (field && document.activeElement !== canvas) field.focus({ preventScroll: true });
  }

  function moveTo(key: number, to: number): void {
    const i = placeOf(editorState.now(), key);
    const n = editorState.now().cards.length;
    const at = Math.max(editorState.fixed(), Math.min(n - 1, to));
    if (!editorState.may() || i < editorState.fixed() || at === i) return;
    editorState.change(move(editorState.now(), key, at));
    voice.say(say(words.moved, { n: at + 1, of: n }));
    list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
  }

  function drop(key: number): void {
    const i = placeOf(editorState.now(), key);
    if (!editorState.may() || i < editorState.fixed()) return;
    const next = editorState.now().cards[i + 1] ?? editorState.now().cards[i - 1];
    const within = list.cardOf(key)?.contains(document.activeElement);
    editorState.change(remove(editorState.now(), key));
    deleted.offer(say(words.deleted, { n: i + 1 }), true, back);
    if (within) list.focus(next?.key ?? null);
  }

  function clear(): void {
    editorState.change({ ...editorState.now(), cards: [] });
    deleted.offer(words.cleared, true, back);
  }

  // ---- orders ----

  function order(o: JobOrder): Promise<void> {
    says = QUIET;
    return link.ask(o).then(({ word, reason }) => {
      if (!taken(word)) tell(reason, true);
      paint();
    });
  }

  // deed does what a button says.
  function deed(name: Deed): void {
    const m = store.get();
    if (!mayAct(m)) return;
    if (name === 'run') start();
    else if (name === 'preview') {
      if (preview.time() !== null) preview.end();
      else if (rehearsal.whole !== null) preview.begin(rehearsal.whole);
      paint();
    } else {
      const asked = orderOf(name, m);
      if (asked !== null) void order(asked);
    }
  }

  function start(): void {
    const now = editorState.now();
    if (blockedOf(viewModel()) !== '' || preparing) return;
    preparing = true;
    preview.end();
    open = null;
    paint();
    const known = now.id !== '' && !editorState.unsaved() ? { job: now.id } : {};
    void order({ type: 'job', action: 'run', ...known, name: now.name, steps: stepsOf(now) }).then(() => {
      preparing = false;
      paint();
    });
  }

  // ---- the parts ----

  const deleted = mountDeleted(voice);
  const menu = mountMenu();
  const bar = mountBar(deed);
  const speaker = mountSpeaker();
  const library = mountLibrary(context, editorState, {
    take,
    first,
    tell,
    deleted: (name, again) => deleted.offer(say(words.jobDeleted, { name }), false, again),
    paint,
  });
  const head = mountHead(store, editorState, library, menu, {
    undo: back,
    redo: forth,
    add: (anchor) => addMenu(anchor, words.add),
    take,
    first,
    clear,
  });

  function stepMenu(key: number, anchor: HTMLElement): void {
    const i = placeOf(editorState.now(), key);
    const own = step(key);
    if (own === undefined || !editorState.may()) return;
    menu(anchor, say(words.stepMore, { n: i + 1 }), [
      { icon: 'pencil', text: words.stepEdit, act: () => show(key) },
      { icon: 'copy', text: words.stepDuplicate, keys: 'Ctrl D', act: () => add(own, i + 1, false) },
      {
        icon: 'plus',
        text: words.stepInsert,
        act: () => addMenu(list.cardOf(key)?.querySelector('.more') ?? anchor, say(words.insertTitle, { n: i + 1 }), i),
      },
      {
        icon: 'chevron-up',
        text: words.stepUp,
        keys: 'Alt ↑',
        off: i <= editorState.fixed(),
        act: () => moveTo(key, i - 1),
      },
      {
        icon: 'chevron-down',
        text: words.stepDown,
        keys: 'Alt ↓',
        off: i >= editorState.now().cards.length - 1,
        act: () => moveTo(key, i + 1),
      },
      { icon: 'trash-2', text: words.stepDelete, keys: 'Del', act: () => drop(key) },
    ]);
  }

  function addMenu(anchor: HTMLElement, title: string, at?: number): void {
    const types = Object.keys(ICONS) as Step['type'][];
    menu(
      anchor,
      title,
      types.map((type) => ({ icon: ICONS[type], text: type, act: () => add(blank(type), at) })),
    );
  }

  // light shows which card and which pin belong together; not at once, for it is called while cards come and go.
  function light(key: number | null): void {
    if (lit === key) return;
    lit = key;
    requestAnimationFrame(paintList);
    stage.redraw();
  }

  const list = new StepList({
    open(key) {
      if (open === key) {
        open = null;
        pins.pick(null, 0);
        paint();
      } else show(key);
    },
    move: moveTo,
    menu: stepMenu,
    light,
    deed,
    first: editorState.fixed,
  });

  const pins = mountPins(
    canvas,
    stage,
    () => {
      const m = store.get();
      const now = editorState.shown();
      if (m.tab !== 'jobs' || m.tool !== null || now.cards.length === 0) return null;
      return {
        pins: pinsOf(viewModel()),
        ways: waysOf(viewModel()),
        lit,
        open: placeOf(now, open) >= editorState.fixed() ? open : null,
        may: act(),
        ghost: ghost(poseAt),
      };
    },
    {
      light,
      open(key) {
        if (open !== key) show(key);
      },
      live(key, pose) {
        const own = step(key);
        if (own === undefined) return;
        editorState.live = edit(editorState.now(), key, { ...own, place: '', pose });
        paint();
      },
      put(key, pose) {
        const own = step(key);
        editorState.live = null;
        if (own !== undefined && !Number.isNaN(pose[0]))
          editorState.change(edit(editorState.now(), key, { ...own, place: '', pose }), `pose${key}`);
        paint();
      },
      picked() {
        editor?.editor.picking(false);
        if (says.text === words.picking) says = QUIET;
        paint();
      },
    },
  );

  // ---- what is shown ----

  function paintList(): void {
    const now = editorState.shown();
    list.paint(rowsOf(viewModel()), open, lit, act());
    const card = list.cardOf(open);
    const own = now.cards[placeOf(now, open)]?.step;
    if (open === null || card === null || own === undefined) {
      editor?.editor.root.remove();
      editor = null;
      return;
    }
    if (editor?.key !== open || editor.type !== own.type) {
      editor?.editor.root.remove();
      editor = { key: open, type: own.type, editor: editing(open, own) };
      card.append(editor.editor.root);
    }
    editor.editor.fill(own, act() && placeOf(now, open) >= editorState.fixed());
  }

  function editing(key: number, own: Step): Editor {
    return editorOf(own, {
      change: (next, mark) => editorState.change(edit(editorState.now(), key, next), `${key}${mark}`),
      pick() {
        const on = pins.picking() !== key;
        pins.pick(on ? key : null, poseOfStep(step(key) ?? own, store.get().plan.places)?.[2] ?? 0);
        editor?.editor.picking(on);
        if (on) tell(words.picking, false);
      },
      here: () => store.get().state?.pose ?? null,
      say: (s) => speaker.say(s, () => tell(words.tryNone, true)),
      places: () => store.get().plan.places,
      voices: () => speaker.voices(),
    });
  }

  function paint(): void {
    const m = store.get();
    const field = document.activeElement;
    if (
      editor !== null &&
      (open !== editor.key || placeOf(editorState.shown(), open) < 0) &&
      field instanceof HTMLElement &&
      editor.editor.root.contains(field)
    )
      field.blur(); // it says what was typed
    head(m);
    paintList();
    const now = barOf(viewModel());
    bar(m.tab === 'jobs' ? now : { ...now, kind: 'none' }, m.conn === 'lost');
    stage.redraw();
  }

  // follow scrolls to the current step when it is another one, or has an OK to press.
  function follow(m: Readonly<Model>): void {
    const { run, tab } = m;
    if (!underWay(run) || tab !== 'jobs' || list.isDragging()) return;
    const at = `${run.n} ${run.step} ${takesOK(m)}`;
    if (at === followed) return;
    followed = at;
    requestAnimationFrame(() => {
      const current = store.get().run?.step ?? run.step; // once the run bar has its height
      list.cardOf(editorState.shown().cards[current]?.key ?? null)?.scrollIntoView({ block: 'nearest' });
    });
  }

  // ---- hands ----

  pick('#job-add').onclick = (e) => {
    const type = under(e, '[data-type]')?.dataset['type'];
    if (type !== undefined) add(blank(type as Step['type']));
  };

  pick('#draft-job').onclick = () => {
    const { draft, plan } = store.get();
    if (draft?.kind !== 'goal') return;
    store.set({ tab: 'jobs', draft: null, tool: null });
    add(
      plan.places.some((p) => p.name === draft.name)
        ? { type: 'MOVE', place: draft.name }
        : { type: 'MOVE', pose: draft.pose },
    );
  };

  document.addEventListener('keydown', (e) => {
    const m = store.get();
    if (e.defaultPrevented || m.dialog || m.tab !== 'jobs' || m.tool !== null) return;
    const card = document.activeElement?.closest<HTMLElement>('.step');
    const key = card ? Number(card.dataset['key']) : null;
    const i = placeOf(editorState.now(), key);
    const own = step(key);
    const does = shortcutOf(e, typesIn(e.target));
    if (does === 'save') void library.save();
    else if (does === 'redo') forth();
    else if (does === 'undo') back();
    else if (does === null || key === null || own === undefined) return;
    else if (does === 'delete') drop(key);
    else if (does !== 'duplicate') moveTo(key, i + (does === 'up' ? -1 : 1));
    else if (editorState.may()) add(own, i + 1, false);
    else return;
    e.preventDefault();
  });

  // P holds the job in every tab; nobody else has to know of it.
  document.addEventListener(
    'keydown',
    (e) => {
      const m = store.get();
      if (
        e.code !== 'KeyP' ||
        e.repeat ||
        e.ctrlKey ||
        e.altKey ||
        e.metaKey ||
        m.dialog ||
        !m.prefs.letterKeys ||
        typesIn(e.target) ||
        !underWay(m.run)
      )
        return;
      if (m.run.phase !== 'stuck') deed('pause');
      e.preventDefault();
    },
    { capture: true },
  );

  let could = editorState.may();
  store.subscribe((m, before) => {
    const may = editorState.may();
    const { run } = m;
    const was = before.run;
    if (m.tab !== before.tab) {
      pins.pick(null, 0);
      preview.end();
      if (m.tab !== 'jobs') deleted.hide();
    }
    if (run !== was || may !== could) {
      if (run?.n !== was?.n || run?.phase !== was?.phase || run?.step !== was?.step) says = QUIET;
      if (underWay(run) && !underWay(was)) preview.end();
      editorState.meet();
      for (const news of newsOf(run, was)) store.toast(news.text, news.word);
      if (!underWay(run) && underWay(was)) rehearsal.think();
    }
    could = may;
    if (m.plan !== before.plan || (m.tab !== before.tab && rehearsal.whole === null) || (mayAct(m) && !mayAct(before)))
      rehearsal.think();
    if (m.state !== before.state) rehearsal.strayed(m);
    if (SHOWN.some((key) => m[key] !== before[key])) {
      paint();
      follow(m);
    } else if (m.tab === 'jobs' && m.state !== before.state) {
      if (underWay(run)) paintList();
      bar(barOf(viewModel()), false);
      follow(m);
    }
  });

  editorState.meet();
  paint();
  follow(store.get());
  rehearsal.think();
}

arrive('jobs', mountTab);
