// A sheet covers the side panel. It is not modal, so STOP stays in reach; but nothing drives while it is
// open.
import { pick } from './dom.ts';
import type { Store } from './store.ts';

export interface Sheet {
  toggle(): void;
}

// mountSheet binds a dialog to the button that opens it; its close button and Esc close it.
export function mountSheet(store: Store, sheet: HTMLDialogElement, opener: HTMLElement, opened?: () => void): Sheet {
  const close = pick('button.close', sheet);
  const toggle = () => {
    if (sheet.open) {
      store.set({ dialog: false }); // what had the focus is visible before the browser returns it
      sheet.close();
      return;
    }
    for (const other of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) other.close();
    sheet.show();
    opener.setAttribute('aria-expanded', 'true');
    store.set({ dialog: true });
    close.focus();
    opened?.();
  };
  opener.onclick = close.onclick = toggle;
  sheet.onclose = () => {
    opener.setAttribute('aria-expanded', 'false');
    store.set({ dialog: document.querySelector('dialog[open]') !== null });
  };
  addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && sheet.open) toggle();
  });
  return { toggle };
}
