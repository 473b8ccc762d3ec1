// The page starts here: the store, the link, then every widget on its part of the page.
import { mountBanner } from './banner/index.ts';
import { loadCards } from './cards/load.ts';
import { mountCovered } from './covered.ts';
import { mountSuggestion } from './delay/suggest.ts';
import { focusPanel, hide, mark, pick, setText, toggle } from './dom.ts';
import { mountDock } from './drive/dock.ts';
import { mountDrive } from './drive/index.ts';
import { loadGoto } from './goto/load.ts';
import { mountHud } from './hud/index.ts';
import { mountJobs } from './jobs/index.ts';
import { Connection } from './link/connection.ts';
import { mountVoice } from './live.ts';
import { mountDescription } from './map/description.ts';
import { MapView } from './map/index.ts';
import { loadLoans } from './loans/load.ts';
import { loadMapping } from './mapping/load.ts';
import { loadMore } from './more/index.ts';
import { mountAnnouncements } from './announcements.ts';
import { mountNotice } from './notice.ts';
import { mountParts } from './parts/index.ts';
import { loadPrefs, savePrefs } from './prefs.ts';
import { loadScripts } from './scripts/load.ts';
import { mountShare } from './share/index.ts';
import { mountStop } from './stop/index.ts';
import { firstModel, type Model, Store } from './store.ts';
import { readTabItem, saveTabItem } from './tab-storage.ts';
import { mountTheme } from './theme/index.ts';
import { shown } from './theme/shown.ts';
import { mountTabs } from './tabs/index.ts';
import { mountTakeover } from './takeover.ts';
import { mountToasts } from './toasts/index.ts';
import { mountTopbar } from './topbar/index.ts';
import { lockOf } from './topbar/view.ts';
import { mountVideo } from './video/index.ts';
import { mountViewer } from './viewer/index.ts';
import { mountWorkshop } from './workshop/index.ts';
import type { Floorplan } from './wire.ts';

const plan = JSON.parse(pick('#floorplan').textContent ?? '') as Floorplan;
const prefs = loadPrefs();
const store = new Store(firstModel(plan, document.documentElement.dataset.build ?? '', prefs, shown(prefs.theme)));
const link = new Connection(store, {
  socket: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
  health: '/healthz',
  robot: '/api/v1/robot',
  stop: '/api/v1/stop',
  tab: tabWord(),
});

const voice = mountVoice(pick('#polite'), pick('#assertive'));
mountStop(store, link);
mountCovered(pick('#app'));
mountTakeover(store, link);
mountTheme(pick('#theme'), store);
mountTopbar(store, link);
mountBanner(store, link);
mountToasts(store, voice);
mountAnnouncements(store, voice);
mountNotice(store);
mountPanel();
mountTabs(store);
mountViewer(store);
const stage = new MapView(pick<HTMLCanvasElement>('#map'), store);
mountDescription(store, stage);
mountHud(pick('.hud'), store);
mountDock(store, link);
const predicted = mountDrive(pick('#drive'), store, link, stage);
mountSuggestion(store);
const context = { store, link, stage, voice, predicted };
loadCards(context);
loadGoto(context);
mountWorkshop(context);
mountJobs(context);
loadScripts(context);
mountVideo(context);
mountParts(context);
mountShare(context);
loadLoans(context);
loadMapping(context);
loadMore(context);
store.subscribe((m, before) => {
  if (m.prefs !== before.prefs) savePrefs(m.prefs);
});

// mountPanel updates what the whole page shows about the connection and about who may drive.
function mountPanel(): void {
  const app = pick('#app');
  const body = pick('#body');
  const lock = pick('#lock');
  let focused: HTMLElement | null = null; // in the panel when contact was lost
  const setInert = (on: boolean) => {
    if (on === body.inert) return;
    if (on) focused = focusIn(body);
    body.inert = on;
    // A person who was typing continues in the field: elsewhere in the page the keys drive the robot.
    if (!on) queueMicrotask(() => document.activeElement === document.body && focused?.focus());
  };
  // A button that its own press hides or disables leaves the focus in the panel.
  app.addEventListener('focusout', ({ target }) => {
    queueMicrotask(() => {
      const gone = target instanceof HTMLElement && (target.matches(':disabled') || !target.checkVisibility());
      if (gone && document.activeElement === document.body) focusPanel();
    });
  });
  const show = (m: Readonly<Model>) => {
    mark(app, 'conn', m.conn);
    toggle(app, 'dialog', m.dialog); // :has() would restyle the page with every frame
    setInert(m.conn === 'lost');
    const text = lockOf(m);
    hide(lock, text === '');
    toggle(app, 'watching', text !== '');
    setText(pick('span', lock), text);
  };
  store.subscribe(show);
  show(store.get());
}

// focusIn returns what has the focus in an element, also where that is within a shadow root.
function focusIn(element: HTMLElement): HTMLElement | null {
  const { activeElement: at } = document;
  const inner = at?.shadowRoot?.activeElement ?? at;
  return element.contains(at) && inner instanceof HTMLElement ? inner : null;
}

// tabWord returns an id that distinguishes this tab from others of the same browser, even after a reload. A
// browser that duplicates a tab copies what it stores, so the id is stored only while the page is not there.
function tabWord(): string {
  const key = 'mybot.tab';
  const kept = readTabItem(key);
  const letters = () => Array.from(crypto.getRandomValues(new Uint8Array(10)), (b) => (b % 36).toString(36));
  const word = typeof kept === 'string' ? kept : letters().join('');
  addEventListener('pagehide', () => saveTabItem(key, word));
  addEventListener('pageshow', () => saveTabItem(key, null));
  return word;
}
