// EditorState: the job that a person edits here, its saved version, and its run.
import {
  begin,
  type Doc,
  docOf,
  done,
  fresh,
  type History,
  type Kept,
  readStored,
  sameSteps,
  stepsOf,
  unsaved,
} from './draft.ts';
import { ask, taken } from './api.ts';
import { fixedOf, mayWrite } from './view-model.ts';
import { underWay } from './view.ts';
import { jobs as words } from '../../strings.json';
import type { Job, Run } from '../wire.ts';
import { type Context, JOB } from '../context.ts';

const CHANGE_MS = 600; // without edits before a change of a run is sent

export interface Hears {
  changed(was: Doc): void; // the document has changed
  refused(reason: string): void; // the robot refused a change of the run
  sound(): boolean; // reports whether the document has no faults
  paint(): void;
}

export interface EditorState {
  history: History;
  saved: Doc | null; // the version that the robot has saved
  live: Doc | null; // the document while a pin is dragged
  now(): Doc;
  shown(): Doc; // a person who may not edit sees the run
  may(): boolean; // this person may edit here
  fixed(): number; // number of fixed steps at the beginning
  unsaved(): boolean;
  sending(): boolean; // a change of the run is on its way
  meet(): void; // synchronizes the document with the run
  own(of: Doc, id: string, revision: number): void; // sets the id and revision under which the robot has saved a document
  change(next: Doc, mark?: string): void;
  travel(way: (h: History) => History): boolean; // undoes or redoes, except for executed steps; false: there is nothing to do
}

export function mountEditorState({ store, link }: Context, hears: Hears): EditorState {
  const kept = restored();
  let seen: Doc | null = null; // the document of a run that this person only watches
  let timer = 0; // of a change of the run that waits to be sent
  let pending = 0; // unanswered changes of the run
  let held: Run | null = null; // the run as it was when a change with a fault was not sent

  const now = () => editorState.history.now;
  const may = () => mayWrite(store.get());
  const fixed = () => fixedOf(store.get());
  const sending = () => pending > 0 || timer !== 0;
  // begins reports whether a document begins with the fixed steps of the run.
  const begins = (run: Run, doc = now()) => sameSteps(stepsOf(doc).slice(0, fixed()), run.steps.slice(0, fixed()));

  // yieldTo moves the unsent steps of the document behind those that the run has begun meanwhile; false: it
  // does not know which steps are those of the run.
  function yieldTo(run: Run): boolean {
    const { past, future } = editorState.history;
    const sent = [...future, ...past].findLast((doc) => sameSteps(stepsOf(doc), run.steps));
    if (sent === undefined) return false;
    const begun = sent.cards.slice(0, fixed());
    const rest = now().cards.filter(({ key }) => !begun.some((c) => c.key === key));
    editorState.history = done(editorState.history, { ...now(), cards: [...begun, ...rest] });
    keep();
    return true;
  }

  // settled runs after every change: it notifies, stores, and sends the change to the run.
  function settled(was: Doc): void {
    hears.changed(was);
    keep();
    if (underWay(store.get().run)) {
      clearTimeout(timer);
      timer = window.setTimeout(send, CHANGE_MS);
    }
    hears.paint();
  }

  // send changes the run to the document's steps; while there is a fault, the run remains.
  function send(): void {
    timer = 0;
    held = null;
    const { run } = store.get();
    if (!underWay(run)) return;
    if (!begins(run)) yieldTo(run);
    const steps = stepsOf(now());
    if (sameSteps(steps, run.steps)) return;
    if (!hears.sound()) {
      held = run;
      return;
    }
    pending++;
    void link.ask({ type: 'job', action: 'change', steps }).then(({ word, reason }) => {
      pending--;
      const { run: next } = store.get();
      if (!taken(word) && underWay(next) && !begins(next) && yieldTo(next)) {
        send();
      } else if (!taken(word)) {
        hears.refused(reason);
        editorState.meet(); // back to the steps of the run
      }
      hears.paint();
    });
  }

  async function load(id: string): Promise<void> {
    const { value } = await ask<Job>('GET', `jobs/${encodeURIComponent(id)}`);
    if (value === null) return;
    editorState.saved = docOf(value);
    if (now().id === id) editorState.own(now(), id, value.revision);
    hears.paint();
  }

  function keep(): void {
    const { history, saved } = editorState;
    const stored: Kept = { history, saved };
    try {
      if (history.now.cards.length > 0 || history.past.length > 0) sessionStorage.setItem(JOB, JSON.stringify(stored));
      else sessionStorage.removeItem(JOB);
    } catch {
      // Without storage it is lost with the page.
    }
  }

  const editorState: EditorState = {
    history: kept?.history ?? begin(fresh(words.newName)),
    saved: kept?.saved ?? null,
    live: null,
    now,
    may,
    fixed,
    sending,
    shown: () => (seen !== null && !may() ? seen : (editorState.live ?? now())),
    unsaved: () => unsaved(now(), editorState.saved),
    // A person who may edit finds the run in the document, and can undo that when the run is over.
    meet() {
      const { run } = store.get();
      const was = now();
      if (run === null || !may()) {
        held = null;
        seen = run === null ? null : docOf({ id: run.job, name: run.name, steps: run.steps, revision: 0 }, seen ?? was);
        return;
      }
      seen = null;
      if (!underWay(run) || sending() || editorState.live !== null || sameSteps(stepsOf(was), run.steps)) return;
      // What a person is still writing remains, unless the run or its later steps are others by now.
      if (held?.n === run.n && held.edition === run.edition && (begins(run) || yieldTo(run))) return;
      editorState.history = done(
        editorState.history,
        docOf(
          {
            id: run.job,
            name: run.name,
            steps: run.steps,
            revision: editorState.saved?.id === run.job ? editorState.saved.revision : 0,
          },
          was,
        ),
      );
      keep();
      if (run.job !== '' && editorState.saved?.id !== run.job) void load(run.job);
    },
    // The id and the revision are the robot's, so undo does not affect them.
    own(of, id, revision) {
      const owned = (d: Doc): Doc =>
        d.id === of.id && (d.id !== '' || d.made === of.made) ? { ...d, id, revision } : d;
      const { past, future, mark } = editorState.history;
      editorState.history = { past: past.map(owned), now: owned(now()), future: future.map(owned), mark };
      keep();
    },
    change(next, mark = '') {
      editorState.live = null;
      if (!may()) return;
      const was = now();
      editorState.history = done(editorState.history, next, mark);
      if (now() === was) hears.paint();
      else settled(was);
    },
    travel(way) {
      const { run } = store.get();
      const was = now();
      const next = way(editorState.history);
      if (next === editorState.history || !may() || editorState.live !== null) return false;
      if (underWay(run) && !begins(run, next.now)) return false;
      editorState.history = next;
      settled(was);
      return true;
    },
  };
  return editorState;
}

function restored(): Kept | null {
  try {
    return readStored(JSON.parse(sessionStorage.getItem(JOB) ?? 'null'));
  } catch {
    return null;
  }
}
