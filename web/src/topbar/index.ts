// The top bar: the robot's state, the quality of the link, the battery, and the person in control.
import type { Link } from '../link/index.ts';
import { type Model, type Store } from '../store.ts';
import { say, words } from '../words.ts';
import { hide, mark, pick, setIcon, setText } from '../dom.ts';
import { authorityOf, type Badge, batteryOf, linkOf, pillOf } from './view.ts';

export function mountTopbar(store: Store, link: Link): void {
  const pill = pick('#pill');
  const badge = pick('#link');
  const battery = pick('#battery');
  const auth = pick('#auth');
  const button = pick<HTMLButtonElement>('button', auth);
  const narrow = matchMedia('(max-width: 1099px), (max-height: 480px)');
  button.onclick = () => {
    const a = authorityOf(store.get());
    if (a?.kind === 'yours') link.control('release');
    else if (a?.kind === 'free') link.control('take');
  };

  const show = (m: Readonly<Model>) => {
    const { kind, text, short } = pillOf(m);
    mark(pill, 'kind', kind);
    setText(pick('.t', pill), narrow.matches ? short : text);
    const name = m.robot?.name ?? words.brand.name;
    const title = say(words.brand.title, { state: text, name });
    if (document.title !== title) document.title = title;
    if (m.robot) {
      setText(pick('.names h1'), m.robot.name);
      setText(pick('.names p'), m.robot.place);
    }

    hide(pick('#rec'), !m.state?.recording);
    showBadge(badge, linkOf(m));
    showBadge(battery, batteryOf(m));

    const a = authorityOf(m);
    hide(auth, a === null);
    if (a) {
      mark(auth, 'kind', a.kind);
      setIcon(auth, a.icon);
      setText(pick('.t', auth), a.text);
      hide(button, a.button === '');
      button.disabled = !a.can;
      button.classList.toggle('pri', a.kind === 'free');
      setText(button, narrow.matches && a.kind === 'yours' && a.button !== '' ? words.control.releaseShort : a.button);
      if (button.ariaLabel !== a.button) button.ariaLabel = a.button;
    }
  };
  store.subscribe(show);
  narrow.addEventListener('change', () => show(store.get()));
  show(store.get());
}

function showBadge(element: HTMLElement, b: Badge): void {
  mark(element, 'kind', b.kind);
  setIcon(element, b.icon);
  setText(pick('b', element), b.main);
  setText(pick('b ~ span', element), b.under);
}
