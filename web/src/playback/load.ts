// Loads the script that plays a recording, if the page shows one.
import { type Context, loader } from '../context.ts';

export function loadPlayback(context: Context): void {
  const host = document.querySelector<HTMLElement>('#playback');
  if (host !== null) loader(host, context)();
}
