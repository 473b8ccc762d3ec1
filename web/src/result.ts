// The result of an order.
import type { Word } from './wire.ts';

// isTaken: it was executed, perhaps modified.
export function isTaken({ word }: { word: Word | '' }): boolean {
  return word === 'SUCCESS' || word === 'MODIFIED';
}
