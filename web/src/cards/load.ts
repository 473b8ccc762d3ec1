// Loads the cards: their style sheet applies after the first paint of the page, and their script loads
// after the page's own. If that fails, it is requested again once the robot is in contact again.
import { type Context, loader } from '../context.ts';
import { pick } from '../dom.ts';

export function loadCards(context: Context): void {
  const style = pick<HTMLLinkElement>('#cards');
  let missing = false;
  const load = loader(style, context, () => (missing = true));
  style.media = 'all';
  load();
  context.store.subscribe((m) => {
    if (!missing || m.conn !== 'live') return;
    missing = false;
    load();
  });
}
