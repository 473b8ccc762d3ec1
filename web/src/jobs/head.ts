// Head: the job's name, and the actions on the whole job.
import type { EditorState } from './editor-state.ts';
import { type Doc, example, fresh } from './draft.ts';
import type { Library } from './library.ts';
import type { Deed, Menu } from './menu.ts';
import { underWay } from './view.ts';
import { jobs as words } from '../../strings.json';
import { deedOf, pick, setText } from '../dom.ts';
import { firstLetters } from '../format.ts';
import { mayAct, type Model, type Store } from '../store.ts';

export interface Acts {
  undo(): void;
  redo(): void;
  add(anchor: HTMLElement): void; // opens the menu for a new step
  take(next: Doc, kept: Doc | null): void;
  first(): void;
  clear(): void;
}

const LONGEST = 60; // letters of a name

export function mountHead(
  store: Store,
  editorState: EditorState,
  library: Library,
  menu: Menu,
  acts: Acts,
): (m: Readonly<Model>) => void {
  const root = pick('#jobs');
  const head = pick('#job-head');
  const none = pick('#job-none');
  const nameButton = pick<HTMLButtonElement>('#job-name');
  const nameField = pick<HTMLInputElement>('#job-rename');
  const title = nameButton.parentElement as HTMLElement;
  const badge = document.createElement('i');
  const button = (name: string) => pick<HTMLButtonElement>(`[data-do=${name}]`, head);
  const [undo, redo, save, add, more] = ['undo', 'redo', 'save', 'add', 'more'].map(button) as [
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
  ];

  undo.onclick = acts.undo;
  redo.onclick = acts.redo;
  save.onclick = () => void library.save();
  add.onclick = () => acts.add(add);
  more.onclick = () => {
    const now = editorState.now();
    const busy = !editorState.may() || underWay(store.get().run);
    const empty = now.cards.length === 0;
    const narrow: Deed[] =
      redo.offsetWidth > 0 ? [] : [{ icon: 'redo-2', text: words.redo, off: redo.disabled, act: acts.redo }];
    menu(more, words.more, [
      ...narrow,
      { icon: 'plus', text: words.menuNew, off: busy || empty, act: () => acts.take(fresh(words.newName), null) },
      { icon: 'list-checks', text: words.menuOpen, off: busy, act: library.show },
      {
        icon: 'copy',
        text: words.menuDuplicate,
        off: busy || empty,
        act: () => acts.take({ ...fresh(`${firstLetters(now.name, LONGEST - 2)} 2`), cards: now.cards }, null),
      },
      { icon: 'download', text: words.menuExport, off: empty, act: () => library.write('json') },
      { icon: 'arrow-up', text: words.menuImport, off: busy, act: () => library.choose('json') },
      {
        icon: 'download',
        text: words.menuExportVDA,
        off: now.id === '' || editorState.unsaved(),
        act: () => library.write('vda'),
      },
      { icon: 'arrow-up', text: words.menuImportVDA, off: busy, act: () => library.choose('vda') },
      { icon: 'trash-2', text: words.menuClear, off: busy || empty, act: acts.clear },
    ]);
  };
  none.onclick = (e) => {
    const deed = deedOf(e);
    if (deed === 'open') library.show();
    if (deed === 'import') library.choose('json');
    if (deed !== 'example') return;
    acts.take(example(store.get().plan.places, 'Dock'), null);
    acts.first();
  };

  nameButton.onclick = () => {
    nameField.value = editorState.now().name;
    nameField.hidden = false;
    title.hidden = true;
    nameField.select();
  };
  nameField.onkeydown = (e) => {
    if (e.key === 'Escape') nameField.value = editorState.now().name;
    if (e.key !== 'Enter' && e.key !== 'Escape') return;
    e.preventDefault(); // Enter would press the button
    nameField.blur();
    nameButton.focus();
  };
  nameField.onblur = () => {
    const name = nameField.value.trim();
    nameField.hidden = true;
    title.hidden = false;
    if (name !== '') editorState.change({ ...editorState.now(), name });
  };

  badge.className = 'count';
  pick('#tab-jobs').append(badge);

  return (m) => {
    const { id, name, cards } = editorState.shown();
    const { past, future } = editorState.history;
    const can = editorState.may() && mayAct(m);
    const empty = cards.length === 0;
    head.hidden = empty && id === '' && past.length === 0;
    none.hidden = !empty;
    for (const b of none.querySelectorAll('button')) b.disabled = !can;
    pick('[data-do=open]', none).hidden = m.jobs.length === 0;
    root.dataset['steps'] = empty ? 'none' : 'some';
    setText(nameButton, name);
    nameButton.disabled = !can;
    if (!can) nameField.hidden = true;
    title.hidden = !nameField.hidden;
    const news = editorState.may() && editorState.unsaved();
    pick('#job-unsaved').hidden = !news;
    undo.disabled = !can || past.length === 0;
    redo.disabled = !can || future.length === 0;
    save.disabled = !can || !news;
    add.disabled = !can;
    more.disabled = !editorState.may();
    for (const b of pick('#job-add').querySelectorAll('button')) b.disabled = !can;
    library.paint(m, can && !underWay(m.run));
    setText(badge, empty ? '' : String(cards.length));
    badge.hidden = empty;
    pick('#tab-jobs kbd').hidden = !empty;
  };
}
