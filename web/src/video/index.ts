// The camera. Its script and style sheet load if the robot has one and this person may see it.
import { pick } from '../dom.ts';
import type { Model } from '../store.ts';
import { type Context, loader } from '../context.ts';

export function mountVideo(context: Context): void {
  const load = loader(pick('#eye'), context);
  const show = (m: Readonly<Model>) => {
    if (m.sees && (m.camera || m.role !== 'observer')) load();
  };
  context.store.subscribe(show);
  show(context.store.get());
}
