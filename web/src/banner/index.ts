// The banner under the top bar: one at a time.
import type { Link } from '../link/index.ts';
import { type Model, now, type Store } from '../store.ts';
import { pick, setIcon, setText } from '../dom.ts';
import { bannerOf, type Deed } from './view.ts';

const COUNT_MS = 200; // how often what counts seconds is looked at

export function mountBanner(store: Store, link: Link): void {
  const element = pick('#banner');
  const button = pick<HTMLButtonElement>('button', element);
  const deeds: Record<Deed, () => void> = { retry: link.retry, take: link.take, reload: () => location.reload() };
  let deed: Deed | null = null;
  button.onclick = () => {
    if (deed) deeds[deed]();
  };

  const show = (m: Readonly<Model>) => {
    const b = bannerOf(m, now());
    element.hidden = b === null;
    deed = b?.deed ?? null;
    if (!b) return;
    element.dataset.kind = b.kind;
    setIcon(element, b.icon);
    setText(pick('b', element), b.head);
    setText(pick('.main', element), b.main);
    setText(pick('.long', element), b.long);
    button.hidden = b.button === '';
    button.disabled = b.deed === null;
    button.classList.toggle('pri', b.deed === 'take');
    setText(button, b.button);
  };
  store.subscribe(show);
  setInterval(() => {
    const m = store.get();
    if (m.stopping || m.freeAt !== null) show(m);
  }, COUNT_MS);
  show(store.get());
}
