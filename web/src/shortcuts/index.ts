// The sheet of keys. It lies over the side panel and is not modal: STOP stays within reach.
import type { Store } from '../store.ts';
import { pick } from '../dom.ts';
import { typesIn } from '../field.ts';

export function mountShortcuts(store: Store): void {
  const sheet = pick<HTMLDialogElement>('#shortcuts');
  const help = pick('#help');
  const letters = pick('#letters');

  const open = () => {
    if (sheet.open) return;
    sheet.show();
    help.setAttribute('aria-expanded', 'true');
    store.set({ dialog: true });
    pick('#shortcuts-close').focus();
  };
  help.onclick = () => (sheet.open ? sheet.close() : open());
  pick('#shortcuts-close').onclick = () => sheet.close();
  sheet.onclose = () => {
    help.setAttribute('aria-expanded', 'false');
    store.set({ dialog: false });
    help.focus();
  };
  addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && sheet.open) sheet.close();
    if (e.key !== '?' || e.ctrlKey || e.altKey || e.metaKey || typesIn(e.target) || !store.get().prefs.letterKeys) return;
    e.preventDefault();
    if (sheet.open) sheet.close();
    else open();
  });
  letters.onclick = () => {
    const { prefs } = store.get();
    store.set({ prefs: { ...prefs, letterKeys: !prefs.letterKeys } });
  };
  const show = () => letters.setAttribute('aria-checked', String(store.get().prefs.letterKeys));
  store.subscribe((m, before) => {
    if (m.prefs !== before.prefs) show();
  });
  show();
}
