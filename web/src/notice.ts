// What plain http denies a page, told once in each browser. The sheet of keys keeps saying it.
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
    return; // it would be told at every visit
  }
  store.toast(pick('#insecure').textContent ?? '');
}
