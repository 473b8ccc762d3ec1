// How: what the drive panel says under the stick.
import type { Source } from './hold.ts';
import { hasControl, isStopped, type Model } from '../store.ts';
import { words } from '../words.ts';

export interface How {
  strong: string; // written stronger, empty for nothing
  text: string;
}

// how: owner is the hand that has the robot; lost is why a hand that is still held lost it (may be empty), null when
// none is; touch tells whether this is a page for thumbs.
export function how(m: Readonly<Model>, owner: Source | null, lost: string | null, touch: boolean): How {
  const plain = (text: string): How => ({ strong: '', text });
  const w = words.drive;
  if (m.conn === 'connecting') return plain(w.connecting);
  if (m.conn === 'lost' || !m.socket) return plain(w.noLink);
  if (isStopped(m)) return plain(m.stop === null ? w.stopping : w.stopped);
  if (!hasControl(m)) return plain(w.watching);
  if (m.tool === 'edit') return plain(w.editing);
  if (owner === 'step') return { strong: w.stepping, text: w.steppingStop };
  if (owner !== null) return { strong: w.driving, text: w.letGo };
  if (lost !== null) return { strong: w.again, text: lost };
  if (m.refusal !== '') return plain(m.refusal);
  if (m.prefs.stepMoves) return plain(w.idleStep);
  return plain(touch ? w.idleTouch : w.idle);
}
