// The button that opens the sheet of links for observers. The sheet's script and style sheet load
// separately.
import { pick } from '../dom.ts';
import type { Model } from '../store.ts';
import { type Context, loader } from '../context.ts';

export function mountShare(context: Context): void {
  const { store } = context;
  const opener = pick<HTMLButtonElement>('#share-open');
  const load = loader(pick('#share'), context);
  opener.onclick = () => load(() => opener.click()); // by then the button has its own handler
  const show = (m: Readonly<Model>) => {
    opener.hidden = m.you === null || m.role === 'observer';
  };
  store.subscribe(show);
  show(store.get());
}
