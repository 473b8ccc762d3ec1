// The sheet of keys, with the switches for keys and sounds.
import type { Context } from '../context.ts';
import type { Prefs, Store } from '../store.ts';
import { pick } from '../dom.ts';
import { typesIn } from '../field.ts';
import { mountSheet } from '../sheet.ts';

export function mountShortcuts({ store }: Context): void {
  const sheet = mountSheet(store, pick<HTMLDialogElement>('#shortcuts'), pick('#help'));
  addEventListener('keydown', (e) => {
    if (e.key !== '?' || e.ctrlKey || e.altKey || e.metaKey || typesIn(e.target) || !store.get().prefs.letterKeys)
      return;
    e.preventDefault();
    sheet.toggle();
  });
  mountSwitch(store, pick('#letters'), 'letterKeys');
  mountSwitch(store, pick('#sounds'), 'sounds');
}

function mountSwitch(store: Store, button: HTMLElement, pref: 'letterKeys' | 'sounds'): void {
  button.onclick = () => {
    const { prefs } = store.get();
    store.set({ prefs: { ...prefs, [pref]: !prefs[pref] } });
  };
  const show = (prefs: Prefs) => button.setAttribute('aria-checked', String(prefs[pref]));
  store.subscribe((m, before) => {
    if (m.prefs !== before.prefs) show(m.prefs);
  });
  show(store.get().prefs);
}
