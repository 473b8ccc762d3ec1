import assert from 'node:assert/strict';
import test from 'node:test';
import { blank, docOf, edit, fresh, insert, stepsOf, undo, type Doc } from './draft.ts';
import { type EditorState, mountEditorState } from './editor-state.ts';
import type { Context } from '../context.ts';
import { Store } from '../store.ts';
import { driver } from '../testing.ts';
import type { Run, Step } from '../wire.ts';

const wait = (seconds: number): Step => ({ type: 'WAIT', seconds });

// jobs returns an editor of the person in control, and what it works on.
function jobs(
  sound = () => true,
  answers: { word: string; reason: string }[] = [],
): { store: Store; editor: EditorState; asked: unknown[]; refused: string[] } {
  const store = new Store(driver());
  const asked: unknown[] = [];
  const refused: string[] = [];
  const link = {
    ask: (order: unknown) => {
      asked.push(order);
      return Promise.resolve(answers.shift() ?? { word: 'SUCCESS', reason: '' });
    },
  };
  const editor = mountEditorState({ store, link } as unknown as Context, {
    changed: () => undefined,
    refused: (reason) => refused.push(reason),
    sound,
    paint: () => undefined,
  });
  return { store, editor, asked, refused };
}

function brought(name: string, ...steps: Step[]): Doc {
  return docOf({ id: '', name, revision: 0, steps });
}

test('a job that was never saved does not get the id of another one that is saved after it', () => {
  const { editor } = jobs();
  editor.change(brought('Alpha', wait(3)));
  editor.change(brought('Beta', wait(7)));
  editor.change({ ...editor.now(), name: 'Gamma' });
  editor.own(editor.now(), 'gamma', 1);
  editor.travel(undo);
  assert.deepEqual([editor.now().name, editor.now().id], ['Beta', 'gamma']);
  editor.travel(undo);
  assert.deepEqual([editor.now().name, editor.now().id], ['Alpha', '']);
});

test('a job that is begun while another one is saved does not get its id', () => {
  const { editor } = jobs();
  editor.change(brought('Alpha', wait(3)));
  const saving = editor.now();
  editor.change(fresh('New'));
  editor.own(saving, 'alpha', 1);
  assert.equal(editor.now().id, '');
  editor.travel(undo);
  assert.equal(editor.now().id, 'alpha');
});

let due: () => void = () => undefined; // what the editor does after a pause of the edits
const pause = () => due();
Object.assign(globalThis, { window: { setTimeout: (f: () => void) => ((due = f), 1) } });

// runOf returns a run of WAIT steps that is at a step.
function runOf(step: number, edition: number, ...seconds: number[]): Run {
  const steps = seconds.map((s) => ({ ...wait(s), state: 'WAITING' }));
  return { n: 5, job: '', name: 'Job', phase: 'running', step, edition, steps, ways: [] } as unknown as Run;
}

test('a step that a person still writes remains when the run goes on, and is sent once it is sound', () => {
  let sound = false;
  const { store, editor, asked } = jobs(() => sound);
  const goOn = (run: Run) => {
    store.set({ run });
    editor.meet();
  };
  const types = () => stepsOf(editor.now()).map((s) => s.type);
  goOn(runOf(0, 0, 6, 6, 20));
  const { doc, key } = insert(editor.now(), 3, blank('VOICE'));
  editor.change(doc);
  pause();
  goOn(runOf(1, 0, 6, 6, 20));
  goOn(runOf(2, 0, 6, 6, 20));
  assert.deepEqual(types(), ['WAIT', 'WAIT', 'WAIT', 'VOICE']);
  assert.equal(asked.length, 0);

  sound = true;
  editor.change(edit(editor.now(), key, { type: 'VOICE', text: 'Hello' }));
  pause();
  assert.equal(asked.length, 1);
});

test('a new step right behind the current one stays when the run goes on before it is sent', () => {
  let sound = false;
  const { store, editor, asked } = jobs(() => sound);
  const goOn = (run: Run) => {
    store.set({ run });
    editor.meet();
  };
  const stepsNow = () => stepsOf(editor.now()).map((s) => s.seconds ?? s.type);
  goOn(runOf(0, 0, 6, 7, 20));
  const { doc, key } = insert(editor.now(), 1, blank('VOICE'));
  editor.change(doc);
  pause();
  goOn(runOf(1, 0, 6, 7, 20));
  assert.deepEqual(stepsNow(), [6, 7, 'VOICE', 20]);
  assert.equal(editor.now().cards[2]?.key, key);

  sound = true;
  editor.change(edit(editor.now(), key, { type: 'VOICE', text: 'Hello' }));
  goOn(runOf(2, 0, 6, 7, 20)); // before the pause of the edits
  pause();
  assert.deepEqual(stepsNow(), [6, 7, 20, 'VOICE']);
  assert.deepEqual((asked[0] as { steps: Step[] }).steps, stepsOf(editor.now()));
});

test('a change that the robot refuses because the run has gone on is sent again behind the steps it has begun', async () => {
  const answers = [{ word: 'ERROR', reason: 'Step 2 is under way.' }];
  const { store, editor, asked, refused } = jobs(() => true, answers);
  store.set({ run: runOf(0, 0, 6, 7) });
  editor.meet();
  editor.change(insert(editor.now(), 1, wait(9)).doc);
  pause();
  store.set({ run: runOf(1, 0, 6, 7) });
  editor.meet();
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(
    (asked[1] as { steps: Step[] } | undefined)?.steps.map((s) => s.seconds),
    [6, 7, 9],
  );
  assert.deepEqual(refused, []);
});

test('an edit of a step gives way when that step begins, and what a person writes to a change of others', () => {
  const { store, editor } = jobs(() => false);
  store.set({ run: runOf(0, 0, 6, 7, 20) });
  editor.meet();
  editor.change(edit(editor.now(), editor.now().cards[1]!.key, wait(0)));
  pause();
  store.set({ run: runOf(1, 0, 6, 7, 20) });
  editor.meet();
  assert.deepEqual(
    stepsOf(editor.now()).map((s) => s.seconds),
    [6, 7, 20],
  );

  editor.change(insert(editor.now(), 2, blank('VOICE')).doc);
  pause();
  store.set({ run: runOf(1, 1, 6, 7, 8) });
  editor.meet();
  assert.deepEqual(
    stepsOf(editor.now()).map((s) => s.seconds),
    [6, 7, 8],
  );
});
