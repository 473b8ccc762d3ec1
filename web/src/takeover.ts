// Takeover: one browser is one person, with control in one of its tabs. When that tab is gone, the visible
// tab takes over by itself. The robot stops for that, so the driver has to press again.
import type { Link } from './link/index.ts';
import { type Model, personOf, type Store } from './store.ts';

const PATIENCE_MS = 2000; // a tab that only reloads is back by then

// isLeft: this person's control is in another tab, which has gone.
export function isLeft(m: Readonly<Model>): boolean {
  return m.elsewhere && m.socket && m.conn === 'live' && personOf(m, m.you)?.here !== true;
}

export function mountTakeover(store: Store, link: Link): void {
  let waits = 0;
  const look = () => {
    const left = isLeft(store.get()) && !document.hidden;
    if (!left) {
      clearTimeout(waits);
      waits = 0;
    } else if (waits === 0) {
      waits = window.setTimeout(() => {
        waits = 0;
        if (isLeft(store.get()) && !document.hidden) link.control('here');
      }, PATIENCE_MS);
    }
  };
  store.subscribe((m, before) => {
    if (isLeft(m) !== isLeft(before)) look();
  });
  document.addEventListener('visibilitychange', look);
}
