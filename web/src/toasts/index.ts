// Toasts: short messages in the map's corner. An error stays until it is closed; others disappear by
// themselves.
import type { Model, Store, Toast } from '../store.ts';
import { clone, pick, setIcon, setText } from '../dom.ts';
import type { Word } from '../wire.ts';
import type { Voice } from '../live.ts';

const STAYS_MS = 6000;
const MOST = 3;

const LOOKS: Partial<Record<Word, { kind: string; icon: string }>> = {
  SUCCESS: { kind: 'ok', icon: 'check' },
  ERROR: { kind: 'bad', icon: 'triangle-alert' },
  NA: { kind: 'bad', icon: 'triangle-alert' },
  PANIC: { kind: 'bad', icon: 'octagon-x' },
  MODIFIED: { kind: 'warn', icon: 'triangle-alert' },
  BUSY: { kind: 'warn', icon: 'info' },
};

export function mountToasts(store: Store, voice: Voice): void {
  const list = pick('#toasts');
  const shown = new Map<number, HTMLElement>();

  const close = (id: number) => store.set({ toasts: store.get().toasts.filter((t) => t.id !== id) });

  const add = (toast: Toast) => {
    const li = clone('t-toast');
    const look = (toast.word && LOOKS[toast.word]) ?? { kind: 'news', icon: 'info' };
    li.dataset.kind = look.kind;
    setIcon(li, look.icon);
    setText(pick('.t', li), toast.text);
    pick('button', li).onclick = () => close(toast.id);
    shown.set(toast.id, li);
    list.append(li);
    voice.say(toast.text);
    if (toast.word !== 'ERROR') stay(toast.id, li);
  };

  // A toast under the pointer or with the focus stays.
  const stay = (id: number, li: HTMLElement) => {
    setTimeout(() => (li.matches(':hover, :focus-within') ? stay(id, li) : close(id)), STAYS_MS);
  };

  const show = (m: Readonly<Model>) => {
    for (const [id, li] of shown) {
      if (m.toasts.some((t) => t.id === id)) continue;
      li.remove();
      shown.delete(id);
    }
    for (const toast of m.toasts) if (!shown.has(toast.id)) add(toast);
    const oldest = m.toasts[0];
    if (m.toasts.length > MOST && oldest) close(oldest.id);
  };
  store.subscribe((m, before) => {
    if (m.toasts !== before.toasts) show(m);
  });
}
