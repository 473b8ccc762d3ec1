// Loads the script for loans as soon as there is a person to lend to.
import { type Context, loader } from '../context.ts';
import { pick } from '../dom.ts';
import type { Model } from '../store.ts';
import { lendable } from './lendable.ts';

export function loadLoans(context: Context): void {
  const load = loader(pick('#loans'), context);
  const show = (m: Readonly<Model>) => {
    if (m.people.length > 1 && lendable(m, { role: 'operator' }).length > 0) load();
  };
  context.store.subscribe(show);
  show(context.store.get());
}
