// The button that opens the sheet of links for people who only watch. What the sheet does comes as a script and a style sheet of its own.
import { pick } from '../dom.ts';
import type { Model } from '../store.ts';
import { type Context, loader } from '../context.ts';

export function mountShare(context: Context): void {
  const { store } = context;
  const opener = pick<HTMLButtonElement>('#share-open');
  const load = loader(pick('#share'), context);
  opener.onclick = () => load(() => opener.click()); // by then it does something else
  const show = (m: Readonly<Model>) => {
    opener.hidden = m.you === null || m.role === 'observer';
  };
  store.subscribe(show);
  show(store.get());
}
