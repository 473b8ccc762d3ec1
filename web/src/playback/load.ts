// Loads what plays a recording, where the page shows one.
import { type Context, loader } from '../context.ts';

export function loadPlayback(context: Context): void {
  const host = document.querySelector<HTMLElement>('#playback');
  if (host !== null) loader(host, context)();
}
