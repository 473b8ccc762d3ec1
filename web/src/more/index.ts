// The button of a phone for what its map has no room for. What it opens comes as a script of its own, when it is first wanted.
import { pick } from '../dom.ts';
import { type Context, loader } from '../context.ts';

export function loadMore(context: Context): void {
  const opener = pick<HTMLButtonElement>('#more-open');
  const load = loader(pick('#more'), context);
  opener.onclick = () => load(() => opener.click()); // by then it does something else
}
