// The Jobs tab: what a person writes, what the robot makes of it, and how far it has come. It is a script of its own, which
// the page loads when it is first wanted.
import { blank, begin, type Desk, docOf, done, edit, example, fresh, type History, insert, move, placeOf, poseOfStep, readDesk, readFile, redo, remove, sameSteps, stepsOf, undo, unsaved, viaOn, type Doc } from './draft.ts';
import { type Editor, editorOf } from './editor.ts';
import { ICONS, mountList } from './list.ts';
import { type Deed as Item, mountMenu } from './menu.ts';
import { mountPins } from './pins.ts';
import { Preview } from './preview.ts';
import { ask, type Rehearsal, rehearse } from './rest.ts';
import { type Deed, mountBar } from './runbar.ts';
import { barOf, blockedOf, faultsIn, type Figures, fixedOf, mayWrite, pinsOf, rowsOf, type Sight, waysOf } from './sight.ts';
import { mountSpeaker } from './speaker.ts';
import { mountSpot } from './spot.ts';
import { duration, faultsOf, newsOf, underWay } from './view.ts';
import { jobs as words } from '../../strings.json';
import { clone, pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import type { Order } from '../link/index.ts';
import { mayAct, type Model } from '../store.ts';
import { arrive, type Bench, JOB } from '../workshop/bench.ts';
import { say } from '../words.ts';
import type { Job, Pose, Step } from '../wire.ts';

const UNDO_MS = 8000; // that what was deleted can be taken back from the toast
const THINK_MS = 450; // of rest before the virtual robot is asked
const CHANGE_MS = 600; // of rest before a change of a run is sent
const STRAY = 0.5; // m that the robot may go before the virtual robot is asked again

// SHOWN is what the tab shows of the model, beside the state that comes ten times a second.
const SHOWN = ['tab', 'run', 'jobs', 'plan', 'holder', 'you', 'role', 'socket', 'conn', 'passing', 'stop', 'stopping', 'elsewhere'] as const;

export function mountTab(bench: Bench): void {
  const { store, link, stage, voice } = bench;
  const root = pick('#jobs');
  const canvas = pick<HTMLCanvasElement>('#map');
  const nameButton = pick<HTMLButtonElement>('#job-name');
  const nameField = pick<HTMLInputElement>('#job-rename');
  const file = pick<HTMLInputElement>('#job-file');
  const openCard = pick('#job-open');
  const deleted = pick('#job-deleted');
  const tools = pick('#job-head');
  const badge = document.createElement('i');
  const headButton = (name: string) => pick<HTMLButtonElement>(`[data-do=${name}]`, tools);

  const kept = restored();
  let history: History = kept?.history ?? begin(fresh(words.newName));
  let saved: Doc | null = kept?.saved ?? null;
  let live: Doc | null = null; // while a pin is dragged
  let open: number | null = null; // the card whose editor is open
  let editor: { key: number; type: Step['type']; editor: Editor } | null = null;
  let lit: number | null = null;
  let figures = new Map<number, Figures>();
  let whole: Rehearsal | null = null; // of the document as it is
  let from: Pose | null = null; // where the robot was then
  let asked = 0; // counts the questions to the virtual robot
  let thinking = 0;
  let changing = 0; // the timer of a change of the run that waits to be sent
  let pending = 0; // changes of the run without an answer
  let seen: Doc | null = null; // of a run that is watched
  let preparing = false;
  let says = { text: '', bad: false };
  let undoing = 0;
  let fileAs: 'json' | 'vda' = 'json';
  let followed = ''; // the step that was scrolled to last

  // ---- what is shown ----

  const may = (m = store.get()) => mayWrite(m);
  const fixed = () => fixedOf(store.get());
  const doc = (m = store.get()): Doc => (seen !== null && !may(m) ? seen : (live ?? history.now));

  const sight = (): Sight => {
    const m = store.get();
    return { m, doc: doc(m), figures, whole: whole?.time ?? null, says, changing: pending > 0 || changing !== 0, preparing, ghost: preview.step(), lit };
  };

  // meet brings what is shown and what is run together. Who may not change anything sees the run; who may, finds it in the
  // document, and can take that back when the run is over.
  function meet(m: Readonly<Model>): void {
    const { run } = m;
    seen = run !== null && !may(m) ? docOf({ id: run.job, name: run.name, steps: run.steps, revision: 0 }, seen ?? history.now) : null;
    if (!may(m) || !underWay(run) || pending > 0 || changing !== 0 || live !== null) return;
    const now = history.now;
    if (sameSteps(stepsOf(now), run.steps)) return;
    history = done(history, docOf({ id: run.job, name: run.name, steps: run.steps, revision: saved?.id === run.job ? saved.revision : 0 }, now));
    keep();
    if (run.job !== '' && saved?.id !== run.job) void load(run.job);
  }

  async function load(id: string): Promise<void> {
    const answer = await ask<Job>('GET', `jobs/${encodeURIComponent(id)}`);
    if (answer.value === null) return;
    saved = docOf(answer.value);
    if (history.now.id === id) history = { ...history, now: { ...history.now, revision: saved.revision } };
    keep();
    paint();
  }

  // ---- changes ----

  function change(next: Doc, mark = ''): void {
    const m = store.get();
    live = null;
    if (!may(m)) return;
    const was = history.now;
    history = done(history, next, mark);
    if (history.now === was) {
      paint();
      return;
    }
    settled(m, was);
  }

  // settled goes on after every change: it is kept, sent to the run, and asked of the virtual robot.
  function settled(m: Readonly<Model>, was: Doc): void {
    says = { text: '', bad: false };
    preview.end();
    for (const c of was.cards) {
      const now = history.now.cards.find((n) => n.key === c.key);
      if (now?.step !== c.step) figures.delete(c.key);
    }
    if (placeOf(history.now, open) < 0) open = null;
    whole = null;
    keep();
    if (underWay(m.run)) {
      clearTimeout(changing);
      changing = window.setTimeout(sendChange, CHANGE_MS);
    } else think();
    paint();
  }

  function travel(step: (h: History) => History, told: string): void {
    const m = store.get();
    const was = history.now;
    const next = step(history);
    if (next === history || !may(m) || live !== null) return;
    if (underWay(m.run) && !sameSteps(stepsOf(next.now).slice(0, fixedOf(m)), m.run.steps.slice(0, fixedOf(m)))) return; // that is done already
    history = next;
    hideDeleted();
    settled(m, was);
    voice.say(told);
  }

  // sendChange has the run go on with what stands in the document.
  function sendChange(): void {
    changing = 0;
    const m = store.get();
    if (!underWay(m.run) || faultsIn(sight()).length > 0) return; // it goes on as it was until the fault is gone
    if (sameSteps(stepsOf(history.now), m.run.steps)) return;
    pending++;
    void link.ask({ type: 'job', action: 'change', steps: stepsOf(history.now) }).then(({ word, reason }) => {
      pending--;
      if (word !== 'SUCCESS' && word !== 'MODIFIED') {
        tell(reason, true);
        meet(store.get()); // back to what is run
      }
      paint();
    });
  }

  function keep(): void {
    const desk: Desk = { history, saved };
    try {
      if (history.now.cards.length > 0 || history.past.length > 0) sessionStorage.setItem(JOB, JSON.stringify(desk));
      else sessionStorage.removeItem(JOB);
    } catch {
      // Then it is gone with the page.
    }
  }

  function tell(text: string, bad: boolean): void {
    says = { text, bad };
    voice.say(text);
    paint();
  }

  function add(step: Step, at = history.now.cards.length, title = true): void {
    const place = Math.max(at, fixed());
    const added = insert(history.now, place, step);
    change(added.doc);
    if (!history.now.cards.some((c) => c.key === added.key)) return;
    figures.delete(added.key);
    show(added.key);
    if (title) voice.say(say(words.added, { n: place + 1, type: step.type }));
  }

  function show(key: number): void {
    open = key;
    paint();
    list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
    const first = editor?.editor.root.querySelector<HTMLElement>('textarea,select,input');
    if (first && document.activeElement !== canvas) first.focus({ preventScroll: true });
  }

  function moveTo(key: number, to: number): void {
    const m = store.get();
    const i = placeOf(history.now, key);
    const first = fixedOf(m);
    if (!may(m) || i < first) return;
    const at = Math.max(first, Math.min(history.now.cards.length - 1, to));
    if (at === i) return;
    change(move(history.now, key, at));
    voice.say(say(words.moved, { n: at + 1, of: history.now.cards.length }));
    list.cardOf(key)?.scrollIntoView({ block: 'nearest' });
  }

  function drop(key: number): void {
    const i = placeOf(history.now, key);
    if (!may() || i < fixed()) return;
    const next = history.now.cards[i + 1] ?? history.now.cards[i - 1];
    const within = list.cardOf(key)?.contains(document.activeElement);
    change(remove(history.now, key));
    offerUndo(say(words.deleted, { n: i + 1 }), true, () => travel(undo, words.undone));
    if (within) list.focus(next?.key ?? null);
  }

  // offerUndo shows what was deleted, and for 8 s the button that takes it back.
  function offerUndo(text: string, keys: boolean, back: () => void): void {
    setText(pick('.t', deleted), text);
    pick('button', deleted).onclick = () => {
      hideDeleted();
      back();
    };
    pick('kbd', deleted).hidden = !keys;
    deleted.hidden = false;
    clearTimeout(undoing);
    undoing = window.setTimeout(hideDeleted, UNDO_MS);
    voice.say(text);
  }

  function hideDeleted(): void {
    clearTimeout(undoing);
    if (deleted.contains(document.activeElement)) pick('#body').focus();
    deleted.hidden = true;
  }

  // ---- the virtual robot ----

  function think(): void {
    clearTimeout(thinking);
    const n = ++asked;
    const m = store.get();
    if (m.tab !== 'jobs' || !mayAct(m) || underWay(m.run) || history.now.cards.length === 0) return;
    thinking = window.setTimeout(() => void rethink(n), THINK_MS);
  }

  async function rethink(n: number): Promise<void> {
    const m = store.get();
    const now = history.now;
    if (faultsOf(now, m.plan.places).length > 0) return;
    const pose = m.state?.pose ?? null;
    const answer = await rehearse(stepsOf(now));
    if (n !== asked || history.now !== now) return;
    from = pose;
    figures = new Map();
    whole = answer.value;
    if (answer.value !== null) {
      answer.value.steps.forEach((s, i) => {
        const card = now.cards[i];
        if (card === undefined) return;
        const way = s.way ?? [];
        const bad = s.word !== undefined && s.word !== 'SUCCESS' && s.word !== 'MODIFIED';
        figures.set(card.key, { time: s.time, length: s.length, way, via: viaOn(way, m.plan.via), fault: bad ? s.reason : '' });
      });
    } else if (answer.faults.length > 0) {
      for (const f of answer.faults) {
        const card = now.cards[f.step];
        if (card) figures.set(card.key, { time: 0, length: 0, way: [], via: [], fault: f.text });
      }
    } else if (answer.status !== 0) {
      says = { text: answer.reason, bad: true };
    }
    paint();
  }

  const preview = new Preview((t) => {
    stage.redraw();
    paintList(store.get());
    if (t === null && whole !== null) voice.say(say(words.previewDone, { time: duration(whole.time) }));
    if (t === null) paint();
  });

  // ---- orders ----

  function order(o: Extract<Order, { type: 'job' }>): Promise<boolean> {
    says = { text: '', bad: false };
    return link.ask(o).then(({ word, reason }) => {
      const taken = word === 'SUCCESS' || word === 'MODIFIED';
      if (!taken) tell(reason, true);
      paint();
      return taken;
    });
  }

  function act(deed: Deed | 'ok'): void {
    const m = store.get();
    const { run } = m;
    if (!mayAct(m)) return;
    switch (deed) {
      case 'run':
        start();
        return;
      case 'preview':
        if (preview.on()) preview.end();
        else if (whole !== null) preview.begin(whole);
        paint();
        return;
      case 'pause':
        if (underWay(run)) void order({ type: 'job', action: run.phase === 'running' ? 'pause' : 'resume' });
        return;
      default:
        if (underWay(run)) void order({ type: 'job', action: deed });
    }
  }

  function start(): void {
    const now = history.now;
    if (blockedOf(sight()) !== '' || preparing) return;
    preparing = true;
    preview.end();
    open = null;
    paint();
    const known = now.id !== '' && !unsaved(now, saved) ? { job: now.id } : {};
    void order({ type: 'job', action: 'run', ...known, name: now.name, steps: stepsOf(now) }).then(() => {
      preparing = false;
      paint();
    });
  }

  // ---- the document and the robot ----

  async function save(): Promise<void> {
    const now = history.now;
    if (!mayAct(store.get()) || now.cards.length === 0 || !unsaved(now, saved)) return;
    const body = { name: now.name, steps: stepsOf(now) };
    const answer = now.id === '' ? await ask<Job>('POST', 'jobs', body) : await ask<Job>('PUT', `jobs/${encodeURIComponent(now.id)}`, { ...body, revision: now.revision });
    if (answer.value === null) {
      tell(answer.status === 0 ? words.failedSave : answer.reason, true);
      store.note('warn', answer.reason);
      return;
    }
    const { id, revision } = answer.value;
    saved = { ...now, id, revision };
    // The number and the revision are the robot's: nobody takes them back.
    const own = (d: Doc): Doc => (d.id === now.id ? { ...d, id, revision } : d);
    history = { ...history, past: history.past.map(own), now: own(history.now), future: history.future.map(own) };
    keep();
    store.toast(say(words.saved, { name: now.name }), 'SUCCESS');
    paint();
  }

  function take(next: Doc, keptNow: Doc | null): void {
    if (underWay(store.get().run)) return;
    saved = keptNow;
    open = null;
    change(next);
  }

  async function openJob(id: string): Promise<void> {
    const answer = await ask<Job>('GET', `jobs/${encodeURIComponent(id)}`);
    if (answer.value === null) {
      tell(answer.reason, true);
      return;
    }
    const next = docOf(answer.value);
    openCard.hidden = true;
    take(next, next);
    voice.say(say(words.opened, { name: next.name }));
    list.focus(next.cards[0]?.key ?? null);
  }

  async function forget(id: string, name: string): Promise<void> {
    const job = await ask<Job>('GET', `jobs/${encodeURIComponent(id)}`);
    const answer = await ask('DELETE', `jobs/${encodeURIComponent(id)}`);
    if (answer.value === null) {
      tell(answer.reason, true);
      return;
    }
    if (history.now.id === id) {
      saved = null;
      history = { ...history, now: { ...history.now, id: '', revision: 0 } };
      keep();
    }
    paint();
    const was = job.value;
    offerUndo(say(words.jobDeleted, { name }), false, () => {
      if (was !== null) void ask('POST', 'jobs', { name: was.name, steps: was.steps });
    });
  }

  async function importFile(f: File): Promise<void> {
    let read: unknown = null;
    try {
      read = JSON.parse(await f.text());
    } catch {
      // then it is no job
    }
    const own = fileAs === 'json' ? readFile(read) : null;
    const answer = fileAs === 'vda' && read !== null ? await ask<Job>('POST', 'jobs/vda5050', read) : null;
    if (own !== null) take(own, null);
    else if (answer?.value) {
      const next = docOf(answer.value);
      take(next, next);
    } else tell(answer?.reason ?? words.noFile, true);
  }

  function download(href: string, name: string): void {
    const a = document.createElement('a');
    a.href = href;
    a.download = name;
    a.click();
  }

  function exportFile(): void {
    const { name } = history.now;
    const text = JSON.stringify({ name, steps: stepsOf(history.now) }, null, 2);
    const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    download(href, `${name}.json`);
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }

  function exportVDA(): void {
    const { id } = history.now;
    download(`/api/v1/jobs/${encodeURIComponent(id)}/vda5050`, `${id}.vda5050.json`);
  }

  function choose(as: 'json' | 'vda'): void {
    fileAs = as;
    file.click();
  }

  // ---- menus ----

  const menu = mountMenu();

  function headMenu(anchor: HTMLElement): void {
    const m = store.get();
    const now = history.now;
    const busy = !may(m) || underWay(m.run);
    const none = now.cards.length === 0;
    const narrow: Item[] = headButton('redo').offsetWidth > 0 ? [] : [{ icon: 'redo-2', text: words.redo, off: history.future.length === 0, act: () => travel(redo, words.redone) }];
    menu(anchor, words.more, [
      ...narrow,
      { icon: 'plus', text: words.menuNew, off: busy || none, act: () => take(fresh(words.newName), null) },
      { icon: 'list-checks', text: words.menuOpen, off: busy, act: showOpen },
      { icon: 'copy', text: words.menuDuplicate, off: busy || none, act: () => take({ ...now, id: '', revision: 0, name: nameOfCopy(now.name) }, null) },
      { icon: 'download', text: words.menuExport, off: none, act: exportFile },
      { icon: 'arrow-up', text: words.menuImport, off: busy, act: () => choose('json') },
      { icon: 'download', text: words.menuExportVDA, off: now.id === '' || unsaved(now, saved), act: exportVDA },
      { icon: 'arrow-up', text: words.menuImportVDA, off: busy, act: () => choose('vda') },
      { icon: 'trash-2', text: words.menuClear, off: busy || none, act: clear },
    ]);
  }

  function clear(): void {
    change({ ...history.now, cards: [] });
    offerUndo(words.cleared, true, () => travel(undo, words.undone));
  }

  function stepMenu(key: number, anchor: HTMLElement): void {
    const i = placeOf(history.now, key);
    const first = fixed();
    const n = history.now.cards.length;
    const step = history.now.cards[i]?.step;
    if (step === undefined || !may()) return;
    menu(anchor, say(words.stepMore, { n: i + 1 }), [
      { icon: 'pencil', text: words.stepEdit, act: () => show(key) },
      { icon: 'copy', text: words.stepDuplicate, keys: 'Ctrl D', act: () => add(step, i + 1, false) },
      { icon: 'plus', text: words.stepInsert, act: () => addMenu(list.cardOf(key)?.querySelector('.more') ?? anchor, say(words.insertTitle, { n: i + 1 }), i) },
      { icon: 'chevron-up', text: words.stepUp, keys: 'Alt ↑', off: i <= first, act: () => moveTo(key, i - 1) },
      { icon: 'chevron-down', text: words.stepDown, keys: 'Alt ↓', off: i >= n - 1, act: () => moveTo(key, i + 1) },
      { icon: 'trash-2', text: words.stepDelete, keys: 'Del', act: () => drop(key) },
    ]);
  }

  function addMenu(anchor: HTMLElement, title: string, at?: number): void {
    const types = Object.keys(ICONS) as Step['type'][];
    menu(anchor, title, types.map((type) => ({ icon: ICONS[type], text: type, act: () => add(blank(type), at) })));
  }

  function showOpen(): void {
    openCard.hidden = false;
    paint();
    openCard.querySelector<HTMLElement>('ul button, button')?.focus();
  }

  // light shows which card and which pin belong together; not at once, for it is called while cards come and go.
  function light(key: number | null): void {
    if (lit === key) return;
    lit = key;
    requestAnimationFrame(() => paintList(store.get()));
    stage.redraw();
  }

  // ---- the parts ----

  const list = mountList({
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
    deed: act,
    first: () => fixed(),
  });

  const bar = mountBar(act);
  const speaker = mountSpeaker();

  const pins = mountPins(canvas, stage, () => {
    const m = store.get();
    const now = doc(m);
    if (m.tab !== 'jobs' || m.tool !== null || now.cards.length === 0) return null;
    return { pins: pinsOf(sight()), ways: waysOf(sight()), lit, open: open !== null && placeOf(now, open) >= fixedOf(m) ? open : null, may: may(m) && mayAct(m), ghost: preview.pose(), robot: m.robot };
  }, {
    light,
    open(key) {
      if (open !== key) show(key);
    },
    live(key, pose) {
      const step = history.now.cards[placeOf(history.now, key)]?.step;
      if (step === undefined) return;
      live = edit(history.now, key, { ...step, place: '', pose });
      paint();
    },
    put(key, pose) {
      const step = history.now.cards[placeOf(history.now, key)]?.step;
      live = null;
      if (step !== undefined && !Number.isNaN(pose[0])) change(edit(history.now, key, { ...step, place: '', pose }), `pose${key}`);
      paint();
    },
    picked() {
      editor?.editor.picking(false);
      if (says.text === words.picking) says = { text: '', bad: false };
      paint();
    },
  });

  function paintList(m: Readonly<Model>): void {
    const now = doc(m);
    list.paint(rowsOf(sight()), open, lit, may(m) && mayAct(m));
    const card = list.cardOf(open);
    const step = now.cards[placeOf(now, open)]?.step;
    if (open === null || card === null || step === undefined) {
      editor?.editor.root.remove();
      editor = null;
      return;
    }
    if (editor?.key !== open || editor.type !== step.type) {
      editor?.editor.root.remove();
      const key = open;
      editor = { key, type: step.type, editor: editorOf(step, {
        change: (next, mark) => change(edit(history.now, key, next), `${key}${mark}`),
        pick: () => {
          pins.pick(pins.picking() === key ? null : key, poseOfStep(history.now.cards[placeOf(history.now, key)]?.step ?? step, store.get().plan.places)?.[2] ?? 0);
          editor?.editor.picking(pins.picking() === key);
          if (pins.picking() !== null) tell(words.picking, false);
        },
        here: () => store.get().state?.pose ?? null,
        say: (s) => speaker.say(s, () => tell(words.tryNone, true)),
        places: () => store.get().plan.places,
        voices: () => speaker.voices(),
      }) };
      card.append(editor.editor.root);
    }
    editor.editor.fill(step, may(m) && mayAct(m) && placeOf(now, open) >= fixedOf(m));
  }

  function paintHead(m: Readonly<Model>): void {
    const now = doc(m);
    const can = may(m) && mayAct(m);
    const busy = underWay(m.run);
    const none = now.cards.length === 0;
    tools.hidden = none && now.id === '' && history.past.length === 0;
    pick('#job-none').hidden = !none;
    for (const b of pick('#job-none').querySelectorAll('button')) b.disabled = !can;
    pick('#job-none [data-do=open]').hidden = m.jobs.length === 0;
    root.dataset['steps'] = none ? 'none' : 'some';
    setText(nameButton, now.name);
    nameButton.disabled = !can;
    if (!can) nameField.hidden = true;
    nameButton.parentElement!.hidden = !nameField.hidden;
    const d = may(m) && unsaved(now, saved);
    pick('#job-unsaved').hidden = !d;
    headButton('undo').disabled = !can || history.past.length === 0;
    headButton('redo').disabled = !can || history.future.length === 0;
    headButton('save').disabled = !can || !d;
    headButton('add').disabled = !can;
    headButton('more').disabled = !may(m);
    for (const b of pick('#job-add').querySelectorAll('button')) b.disabled = !can;
    paintOpen(m, can && !busy);
    setText(badge, now.cards.length === 0 ? '' : String(now.cards.length));
    badge.hidden = now.cards.length === 0;
    pick('#tab-jobs kbd').hidden = now.cards.length > 0;
  }

  function paintOpen(m: Readonly<Model>, can: boolean): void {
    if (openCard.hidden) return;
    pick('p', openCard).hidden = m.jobs.length > 0;
    pick('ul', openCard).replaceChildren(...m.jobs.map((job) => {
      const row = clone<HTMLElement>('t-kept');
      const [openIt, trash] = row.querySelectorAll('button') as unknown as [HTMLButtonElement, HTMLButtonElement];
      setText(openIt, say(words.openRow, { name: job.name, steps: say(job.steps === 1 ? words.countOne : words.count, { n: job.steps }) }));
      openIt.onclick = () => void openJob(job.id);
      trash.setAttribute('aria-label', `${words.menuDelete}: ${job.name}`);
      trash.title = words.menuDelete;
      trash.onclick = () => void forget(job.id, job.name);
      openIt.disabled = trash.disabled = !can;
      return row;
    }));
  }

  function paint(): void {
    const m = store.get();
    const field = document.activeElement;
    if (editor !== null && (open !== editor.key || placeOf(doc(m), open) < 0) && field instanceof HTMLElement && editor.editor.root.contains(field)) field.blur(); // it says what was typed
    paintHead(m);
    paintList(m);
    bar(m.tab === 'jobs' ? barOf(sight()) : { ...barOf(sight()), kind: 'none' }, m.conn === 'lost');
    stage.redraw();
  }

  // follow scrolls to the current step when it is another one.
  function follow(m: Readonly<Model>): void {
    const { run } = m;
    if (!underWay(run) || m.tab !== 'jobs' || list.dragging()) return;
    const at = `${run.n} ${run.step}`;
    if (at === followed) return;
    followed = at;
    list.cardOf(doc(m).cards[run.step]?.key ?? null)?.scrollIntoView({ block: 'nearest' });
  }

  // ---- hands ----

  headButton('undo').onclick = () => travel(undo, words.undone);
  headButton('redo').onclick = () => travel(redo, words.redone);
  headButton('save').onclick = () => void save();
  headButton('more').onclick = () => headMenu(headButton('more'));
  headButton('add').onclick = () => addMenu(headButton('add'), words.add);
  pick('#job-add').onclick = (e) => {
    const type = e.target instanceof Element ? e.target.closest<HTMLElement>('[data-type]')?.dataset['type'] : undefined;
    if (type !== undefined) add(blank(type as Step['type']));
  };
  pick('#job-none').onclick = (e) => {
    const deed = e.target instanceof Element ? e.target.closest<HTMLElement>('[data-do]')?.dataset['do'] : undefined;
    if (deed === 'open') showOpen();
    if (deed === 'import') choose('json');
    if (deed !== 'example') return;
    const { plan } = store.get();
    take(example(plan.places, 'Dock'), null);
    list.focus(history.now.cards[0]?.key ?? null);
  };
  pick('[data-do=close]', openCard).onclick = () => {
    openCard.hidden = true;
    headButton('more').focus();
  };
  file.onchange = () => {
    const f = file.files?.[0];
    file.value = '';
    if (f) void importFile(f);
  };

  nameButton.onclick = () => {
    nameField.value = history.now.name;
    nameField.hidden = false;
    nameButton.parentElement!.hidden = true;
    nameField.select();
  };
  nameField.onkeydown = (e) => {
    if (e.key === 'Enter') nameField.blur();
    if (e.key === 'Escape') {
      nameField.value = history.now.name;
      nameField.blur();
    }
  };
  nameField.onblur = () => {
    const name = nameField.value.trim();
    nameField.hidden = true;
    nameButton.parentElement!.hidden = false;
    if (name !== '') change({ ...history.now, name });
  };

  const goalButton = pick<HTMLButtonElement>('#draft-job');
  goalButton.onclick = () => {
    const { draft } = store.get();
    if (draft?.kind !== 'goal') return;
    const step: Step = draft.name !== '' && store.get().plan.places.some((p) => p.name === draft.name) ? { type: 'MOVE', place: draft.name } : { type: 'MOVE', pose: draft.pose };
    store.set({ tab: 'jobs', draft: null, tool: null });
    add(step);
  };

  document.addEventListener('keydown', (e) => {
    const m = store.get();
    if (e.defaultPrevented || m.dialog || m.tab !== 'jobs' || m.tool !== null) return;
    const card = document.activeElement?.closest<HTMLElement>('.step');
    const key = card ? Number(card.dataset['key']) : null;
    const i = placeOf(history.now, key);
    const ctrl = (e.ctrlKey || e.metaKey) && !e.altKey;
    const field = typesIn(e.target);
    if (ctrl && e.code === 'KeyS') void save();
    else if (field) return;
    else if (ctrl && (e.code === 'KeyY' || (e.code === 'KeyZ' && e.shiftKey))) travel(redo, words.redone);
    else if (ctrl && e.code === 'KeyZ') travel(undo, words.undone);
    else if (ctrl && e.code === 'KeyD' && may(m) && i >= 0) add(history.now.cards[i]?.step ?? blank('WAIT'), i + 1, false);
    else if (e.altKey && (e.code === 'ArrowUp' || e.code === 'ArrowDown') && key !== null && i >= 0) moveTo(key, i + (e.code === 'ArrowUp' ? -1 : 1));
    else if (e.code === 'Delete' && !ctrl && !e.altKey && key !== null && i >= 0) drop(key);
    else return;
    e.preventDefault();
  });

  // P holds the job in every tab; nobody else has to know of it.
  document.addEventListener('keydown', (e) => {
    const m = store.get();
    if (e.code !== 'KeyP' || e.repeat || e.ctrlKey || e.altKey || e.metaKey || m.dialog || !m.prefs.letterKeys || typesIn(e.target) || !underWay(m.run)) return;
    if (m.run.phase !== 'stuck') act('pause');
    e.preventDefault();
  }, { capture: true });

  mountSpot(bench);

  store.subscribe((m, before) => {
    if (m.tab !== before.tab) {
      pins.pick(null, 0);
      preview.end();
      if (m.tab !== 'jobs') hideDeleted();
    }
    if (m.run !== before.run || may(m) !== may(before)) {
      if (m.run?.n !== before.run?.n || m.run?.phase !== before.run?.phase || m.run?.step !== before.run?.step) says = { text: '', bad: false };
      if (underWay(m.run) && !underWay(before.run)) preview.end();
      meet(m);
      for (const news of newsOf(m.run, before.run)) store.toast(news.text, news.word);
      if (!underWay(m.run) && underWay(before.run)) think();
    }
    if (m.plan !== before.plan || (m.tab !== before.tab && whole === null) || (mayAct(m) && !mayAct(before))) think();
    const moved = from !== null && m.state !== null && m.state.twist[0] === 0 && Math.hypot(m.state.pose[0] - from[0], m.state.pose[1] - from[1]) > STRAY;
    if (moved && m.state !== before.state) {
      from = null;
      think();
    }
    if (SHOWN.some((key) => m[key] !== before[key])) {
      paint();
      follow(m);
    } else if (m.tab === 'jobs' && m.state !== before.state) {
      if (underWay(m.run)) paintList(m);
      bar(barOf(sight()), false);
    }
  });

  badge.className = 'count';
  pick('#tab-jobs').append(badge);
  meet(store.get());
  paint();
  follow(store.get());
  think();

  function restored(): Desk | null {
    try {
      return readDesk(JSON.parse(sessionStorage.getItem(JOB) ?? 'null'));
    } catch {
      return null;
    }
  }
}

function nameOfCopy(name: string): string {
  return `${name} 2`.slice(-60);
}

arrive('jobs', mountTab);
