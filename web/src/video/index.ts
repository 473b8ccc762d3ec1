// The camera. What it does comes as a script and a style sheet of its own, when the robot has one and this person may see through it.
import { pick } from '../dom.ts';
import type { Model } from '../store.ts';
import { type Bench, loader } from '../context.ts';

export function mountVideo(bench: Bench): void {
  const load = loader(pick('#eye'), bench);
  const show = (m: Readonly<Model>) => {
    if (m.sees && (m.camera || m.role !== 'observer')) load();
  };
  bench.store.subscribe(show);
  show(bench.store.get());
}
