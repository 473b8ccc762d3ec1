// What became of an order.
import type { Word } from './wire.ts';

// isTaken: it was done, perhaps not as asked.
export function isTaken({ word }: { word: Word | '' }): boolean {
  return word === 'SUCCESS' || word === 'MODIFIED';
}
