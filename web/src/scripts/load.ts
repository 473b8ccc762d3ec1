// The Scripts tab. What it does comes as a script and a style sheet of its own, when it is first wanted.
import { type Context, loader } from '../context.ts';
import { pick } from '../dom.ts';

export function loadScripts(context: Context): void {
  const { store } = context;
  const load = loader(pick('#scripts'), context);
  const show = () => {
    if (store.get().tab === 'scripts') load();
  };
  store.subscribe(show);
  show();
}
