// Making a map. Its script and style sheet load if a map can be made or there is none.
import { pick } from '../dom.ts';
import { type Context, loader } from '../context.ts';

export function loadMapping(context: Context): void {
  const load = loader(pick('#mapping'), context);
  context.store.subscribe(({ mapping }) => {
    if (mapping && (mapping.can[0] || mapping.state !== 'map')) load();
  });
}
