// The Scripts tab. The page loads its script and style sheet when a person first opens it.
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
