// The banner under the top bar: one at a time.
import type { Link } from '../link/index.ts';
import { type Model, now, type Store } from '../store.ts';
import { COUNT_MS, hide, pick, setIcon, setText } from '../dom.ts';
import { bannerOf, counts, type Deed, type Press } from './view.ts';
import { sendToDock } from '../drive/dock.ts';

export function mountBanner(store: Store, link: Link): void {
  const element = pick('#banner');
  const deeds: Record<Deed, () => unknown> = {
    retry: () => link.retry(),
    here: () => link.control('here'),
    take: () => link.control('take'),
    stay: () => link.sendDrive(0, 0), // any input of the person in control keeps control
    ask: () => store.set({ asking: true }),
    dock: () => {
      const { dock } = store.get().plan;
      if (dock !== null) sendToDock(store, link, dock);
    },
    pose: () => store.set({ tab: 'goto', tool: 'pose', draft: null }),
    cancel: () => link.control('cancel'),
    reload: () => location.reload(),
  };
  const showPress = (button: HTMLButtonElement, press: Press | null) => {
    button.hidden = press === null;
    if (press === null) return;
    button.disabled = press.deed === null;
    button.onclick = () => {
      if (press.deed !== null) deeds[press.deed]();
    };
    setText(button, press.text);
  };
  const button = pick<HTMLButtonElement>('button:not(.other)', element);
  const other = pick<HTMLButtonElement>('button.other', element);

  const show = (m: Readonly<Model>) => {
    const b = bannerOf(m, now());
    hide(element, b === null);
    if (!b) return;
    element.dataset.kind = b.kind;
    setIcon(element, b.icon);
    setText(pick('b', element), b.head);
    setText(pick('.main', element), b.main);
    setText(pick('.long', element), b.long);
    showPress(button, b.press);
    showPress(other, b.other);
    button.classList.toggle('pri', b.press?.deed === 'take' || b.press?.deed === 'ask');
  };
  store.subscribe(show);
  setInterval(() => {
    const m = store.get();
    if (counts(m)) show(m);
  }, COUNT_MS);
  show(store.get());
}
