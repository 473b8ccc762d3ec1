// Loads the cards: their style sheet is applied after the first sight of the page, and their script comes after the page's own.
// Without a network it is asked for again as soon as the robot is heard from again.
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
