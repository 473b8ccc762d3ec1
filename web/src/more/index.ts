// The button of a phone for what does not fit on its map. What it opens loads as a separate script when it
// is first needed.
import { pick } from '../dom.ts';
import { type Context, loader } from '../context.ts';

export function loadMore(context: Context): void {
  const opener = pick<HTMLButtonElement>('#more-open');
  const load = loader(pick('#more'), context);
  opener.onclick = () => load(() => opener.click()); // by then the button has its own handler
}
