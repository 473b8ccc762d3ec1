// The viewer's panel replaces the side panel for an invited observer: it has nothing that only a driver can
// use.
import { isViewer, toldOf } from './view.ts';
import { hide, pick, setText, toggle } from '../dom.ts';
import type { Model, Store } from '../store.ts';

export function mountViewer(store: Store): void {
  const app = pick('#app');
  const panel = pick('#viewer');
  const who = pick('.who', panel);
  const does = pick('.does', panel);
  const unshared = pick('.unshared', panel);
  const show = (m: Readonly<Model>) => {
    const on = isViewer(m);
    toggle(app, 'viewer', on);
    hide(panel, !on);
    if (!on) return;
    const told = toldOf(m);
    setText(who, told.who);
    setText(does, told.does);
    unshared.hidden = !told.unshared;
  };
  store.subscribe(show);
  show(store.get());
}
