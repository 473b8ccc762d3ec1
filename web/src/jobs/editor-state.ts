// EditorState: the job that a person writes here, what the robot has saved of it, and what is run of it.
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
import type { Job } from '../wire.ts';
import { type Context, JOB } from '../context.ts';

const CHANGE_MS = 600; // of rest before a change of a run is sent

export interface Hears {
  changed(was: Doc): void; // the document is another one
  refused(reason: string): void; // the robot did not take a change of the run
  sound(): boolean; // whether nothing is wrong with the document
  paint(): void;
}

export interface EditorState {
  history: History;
  saved: Doc | null; // what the robot keeps of it
  live: Doc | null; // while a pin is dragged
  now(): Doc;
  shown(): Doc; // who may not change anything sees the run
  may(): boolean; // this person may write here
  fixed(): number; // steps at the beginning that stay as they are
  unsaved(): boolean;
  sending(): boolean; // a change of the run is on its way
  meet(): void; // brings what is shown and what is run together
  own(of: Doc, id: string, revision: number): void; // notes by which number the robot keeps a document
  change(next: Doc, mark?: string): void;
  travel(way: (h: History) => History): boolean; // takes back or does again, nothing that is done already; false: there is nothing
}

export function mountEditorState({ store, link }: Context, hears: Hears): EditorState {
  const kept = restored();
  let seen: Doc | null = null; // of a run that is watched
  let timer = 0; // of a change of the run that waits to be sent
  let pending = 0; // changes of the run without an answer

  const now = () => editorState.history.now;
  const may = () => mayWrite(store.get());
  const fixed = () => fixedOf(store.get());
  const sending = () => pending > 0 || timer !== 0;

  // settled goes on after every change: it is told, kept, and sent to the run.
  function settled(was: Doc): void {
    hears.changed(was);
    keep();
    if (underWay(store.get().run)) {
      clearTimeout(timer);
      timer = window.setTimeout(send, CHANGE_MS);
    }
    hears.paint();
  }

  // send has the run go on with what stands in the document; as it was, while there is a fault.
  function send(): void {
    timer = 0;
    const { run } = store.get();
    const steps = stepsOf(now());
    if (!underWay(run) || sameSteps(steps, run.steps) || !hears.sound()) return;
    pending++;
    void link.ask({ type: 'job', action: 'change', steps }).then(({ word, reason }) => {
      pending--;
      if (!taken(word)) {
        hears.refused(reason);
        editorState.meet(); // back to what is run
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
      // Then it is gone with the page.
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
    // Who may change something finds the run in the document, and can take that back when the run is over.
    meet() {
      const { run } = store.get();
      const was = now();
      if (run === null || !may()) {
        seen = run === null ? null : docOf({ id: run.job, name: run.name, steps: run.steps, revision: 0 }, seen ?? was);
        return;
      }
      seen = null;
      if (!underWay(run) || sending() || editorState.live !== null || sameSteps(stepsOf(was), run.steps)) return;
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
    // The number and the revision are the robot's: nobody takes them back.
    own(of, id, revision) {
      const owned = (d: Doc): Doc => (d.id === of.id ? { ...d, id, revision } : d);
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
      if (underWay(run) && !sameSteps(stepsOf(next.now).slice(0, fixed()), run.steps.slice(0, fixed()))) return false;
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
