// The tabs of the side panel. The arrow keys move between tabs, and keys 1 to 4 choose one. A reload shows
// the same tab; a page that opens shows what the robot is doing by itself. On a phone the panel folds down
// to the tabs, which leaves more room for the map.
import { tabOf } from './opening.ts';
import { pick, toggle } from '../dom.ts';
import { typesIn } from '../field.ts';
import { saveTabItem, readTabItem } from '../tab-storage.ts';
import type { Model, Store, Tab } from '../store.ts';
import { isViewer } from '../viewer/view.ts';
import { readMapDraft } from '../context.ts';

// TABS are in the order of their keys.
const TABS: readonly Tab[] = ['drive', 'goto', 'jobs', 'scripts'];
const KEY = 'mybot.panel';

export function mountTabs(store: Store): void {
  const before = TABS.find((tab) => tab === readTabItem(KEY));
  const reloaded = before !== undefined;
  if (reloaded) store.set({ tab: before });
  let opening = readMapDraft(store.get().plan) === null; // the map editor opens instead if it has unsaved changes
  const row = pick('.tabs');
  const tabs = [...row.querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const nameOf = (tab: HTMLElement) => tab.dataset['tab'] as Tab;

  const app = pick('#app');
  const grip = pick('#fold');
  const fold = (on: boolean) => {
    toggle(app, 'fold', on);
    grip.setAttribute('aria-expanded', String(!on));
  };
  const flip = () => fold(!('fold' in app.dataset));
  grip.onpointerup = flip; // a press or a swipe
  grip.onclick = (e) => {
    if (e.detail === 0) flip(); // from the keyboard
  };
  for (const tab of tabs) {
    tab.onclick = () => {
      fold(false);
      store.set({ tab: nameOf(tab) });
    };
  }
  row.onkeydown = (e) => {
    const i = tabs.findIndex((t) => t === document.activeElement);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const to =
      e.key === 'Home'
        ? 0
        : e.key === 'End'
          ? tabs.length - 1
          : step === undefined || i < 0
            ? -1
            : (i + step + tabs.length) % tabs.length;
    const tab = tabs[to];
    if (tab === undefined) return;
    e.preventDefault();
    tab.focus();
    store.set({ tab: nameOf(tab) });
  };
  document.addEventListener('keydown', (e) => {
    const m = store.get();
    const tab = TABS[Number(/^(?:Digit|Numpad)(\d)$/.exec(e.code)?.[1]) - 1];
    if (
      tab === undefined ||
      e.defaultPrevented ||
      e.ctrlKey ||
      e.altKey ||
      e.metaKey ||
      e.shiftKey ||
      m.dialog ||
      !m.prefs.letterKeys ||
      isViewer(m) ||
      typesIn(e.target)
    )
      return;
    e.preventDefault();
    store.set({ tab });
  });

  const show = (m: Readonly<Model>) => {
    app.dataset['tab'] = m.tab;
    for (const tab of tabs) {
      const on = nameOf(tab) === m.tab;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
      pick(`#${nameOf(tab)}`).hidden = !on;
    }
  };
  store.subscribe((m, before) => {
    if (m.tab !== before.tab) {
      opening = false;
      saveTabItem(KEY, m.tab);
      show(m);
    }
    if (!opening || m.state === null) return;
    opening = false;
    saveTabItem(KEY, m.tab);
    store.set({ tab: tabOf(m, reloaded) ?? m.tab });
  });
  show(store.get());
}
