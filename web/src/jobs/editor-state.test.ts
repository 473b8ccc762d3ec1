import assert from 'node:assert/strict';
import test from 'node:test';
import { docOf, fresh, undo, type Doc } from './draft.ts';
import { type EditorState, mountEditorState } from './editor-state.ts';
import type { Context } from '../context.ts';
import { Store } from '../store.ts';
import { driver } from '../testing.ts';
import type { Step } from '../wire.ts';

const wait = (seconds: number): Step => ({ type: 'WAIT', seconds });

// jobs returns an editor of the person in control, and what it works on.
function jobs(sound = () => true): { store: Store; editor: EditorState; asked: unknown[] } {
  const store = new Store(driver());
  const asked: unknown[] = [];
  const link = {
    ask: (order: unknown) => {
      asked.push(order);
      return Promise.resolve({ word: 'SUCCESS', reason: '' });
    },
  };
  const editor = mountEditorState({ store, link } as unknown as Context, {
    changed: () => undefined,
    refused: () => undefined,
    sound,
    paint: () => undefined,
  });
  return { store, editor, asked };
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
