// Lendable: which parts of this robot can be lent, and to whom. Pure.
import type { Model } from '../store.ts';
import type { LentPart, Person } from '../wire.ts';

// lendable returns the parts that may be lent to a person: to an observer, only the head. The controls of
// head and voice are on the picture.
export function lendable({ robot, sees, hears }: Readonly<Model>, to: Pick<Person, 'role'>): LentPart[] {
  const parts: LentPart[] = [];
  if (robot?.head && sees) parts.push('head');
  if (to.role === 'observer') return parts;
  if (hears && sees) parts.push('voice');
  if (robot?.joints?.length) parts.push('arm');
  return parts;
}
