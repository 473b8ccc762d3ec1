// What plain http denies a page, shown once in each browser. The sheet of keys always has it.
import { pick } from './dom.ts';
import type { Store } from './store.ts';

const KEY = 'mybot.insecure';

export function mountNotice(store: Store): void {
  const notice = document.querySelector('#insecure');
  if (!notice) return;
  try {
    if (localStorage.getItem(KEY) !== null) return;
    localStorage.setItem(KEY, 'told');
  } catch {
    return; // without storage it would be shown at every visit
  }
  store.toast(pick('#insecure').textContent ?? '');
}
