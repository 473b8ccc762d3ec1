import assert from 'node:assert/strict';
import test from 'node:test';
import { begin, docOf } from './draft.ts';
import { mountLibrary } from './library.ts';
import type { EditorState } from './editor-state.ts';
import type { Context } from '../context.ts';
import { Store } from '../store.ts';
import { driver } from '../testing.ts';

type Fake = Record<string, unknown>;

// element is as much of an element as the library needs.
function element(more: Fake = {}): Fake {
  const inner = new Map<string, Fake>();
  const find = (q: string) => inner.get(q) ?? inner.set(q, element()).get(q);
  const nothing = () => undefined;
  return { querySelector: find, children: [], insertBefore: nothing, setAttribute: nothing, focus: nothing, ...more };
}

const [openIt, trash] = [element(), element()];
const row = element({ querySelectorAll: () => [openIt, trash] });
const found: Record<string, Fake> = {
  'template#t-kept': { content: { firstElementChild: { cloneNode: () => row } } },
};
const document = element({ querySelector: (q: string) => (found[q] ??= element()) });

// robot answers the requests of the page one at a time, as a slow link does.
class Robot {
  asked: string[] = [];
  #answers: (() => void)[] = [];

  readonly fetch = (path: string, { method, body }: { method: string; body?: string }): Promise<unknown> => {
    this.asked.push(`${method} ${path.replace('/api/v1/', '')}`);
    const { revision = 0 } = JSON.parse(body ?? '{}') as { revision?: number };
    const job = { id: 'a', name: 'A', steps: [], revision: revision + 1 };
    return new Promise((resolve, reject) => {
      this.#answers.push(() =>
        this.gone
          ? reject(new Error('gone'))
          : resolve({
              status: method === 'PUT' && this.deleted ? 404 : 200,
              text: () => Promise.resolve(JSON.stringify(job)),
            }),
      );
    });
  };
  gone = false; // it answers no more
  deleted = false; // someone has deleted the job

  async answer(): Promise<void> {
    await settle();
    this.#answers.shift()?.();
    await settle();
  }
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

function open() {
  const robot = new Robot();
  Object.assign(globalThis, { document, fetch: robot.fetch });
  const store = new Store(driver({ jobs: [{ id: 'a', name: 'A', steps: 1, revision: 1, changed: '' }] }));
  const told: string[] = [];
  const offers: (() => void)[] = [];
  const steps = (s: number) => docOf({ id: '', name: 'A', revision: 0, steps: [{ type: 'WAIT', seconds: s }] });
  const editor: Pick<EditorState, 'history' | 'saved' | 'now' | 'unsaved' | 'own'> = {
    history: begin(steps(3)),
    saved: null,
    now: () => editor.history.now,
    unsaved: () => editor.saved === null || editor.saved.cards !== editor.now().cards,
    own: (_, id, revision) => (editor.history = begin({ ...editor.now(), id, revision })),
  };
  const library = mountLibrary(
    { store, voice: { say: () => undefined } } as unknown as Context,
    editor as EditorState,
    {
      take: () => undefined,
      first: () => undefined,
      tell: (text) => told.push(text),
      deleted: (_, back) => offers.push(back),
      paint: () => undefined,
    },
  );
  const change = () => (editor.history = begin({ ...editor.now(), cards: steps(9).cards }));
  return { robot, store, library, told, offers, change };
}

test('a job is saved once, however often a person presses Save before the answer', async () => {
  const { robot, library, told } = open();
  void library.save();
  void library.save();
  await robot.answer();
  await robot.answer();
  assert.deepEqual(robot.asked, ['POST jobs']);
  assert.deepEqual(told, []);
});

test('a change made before the answer to Save is saved after it, as the same job', async () => {
  const { robot, library, change, told } = open();
  void library.save();
  await settle();
  change();
  void library.save();
  await robot.answer();
  await robot.answer();
  assert.deepEqual(robot.asked, ['POST jobs', 'PUT jobs/a']);
  assert.deepEqual(told, []);
});

test('a deleted job can be brought back until the robot has it again', async () => {
  const { robot, store, library, told, offers } = open();
  library.show();
  library.paint(store.get(), true);
  (trash as { onclick: () => void }).onclick();
  await robot.answer();
  await robot.answer();
  assert.deepEqual(robot.asked, ['GET jobs/a', 'DELETE jobs/a']);
  assert.equal(offers.length, 1);

  robot.gone = true;
  offers.pop()?.();
  await robot.answer();
  assert.equal(told.length, 1);
  robot.gone = false;
  offers.pop()?.();
  await robot.answer();
  assert.deepEqual(robot.asked.slice(2), ['POST jobs', 'POST jobs']);
  assert.equal(offers.length, 0);
});

test('a job that cannot be read is not deleted', async () => {
  const { robot, store, library, told, offers } = open();
  library.show();
  library.paint(store.get(), true);
  robot.gone = true;
  (trash as { onclick: () => void }).onclick();
  await robot.answer();
  assert.deepEqual(robot.asked, ['GET jobs/a']);
  assert.equal(told.length, 1);
  assert.equal(offers.length, 0);
});

test('a job that someone deleted meanwhile is saved as a new one', async () => {
  const { robot, library, change, told } = open();
  void library.save();
  await robot.answer();
  change();
  robot.deleted = true;
  void library.save();
  await robot.answer();
  await robot.answer();
  assert.deepEqual(robot.asked, ['POST jobs', 'PUT jobs/a', 'POST jobs']);
  assert.deepEqual(told, []);
});
