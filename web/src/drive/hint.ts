// Hint: the text of the drive panel under the stick.
import { hindranceOf } from '../hindrance.ts';
import type { Source } from './hold.ts';
import { metres, side } from '../hud/figures.ts';
import { isBlind } from '../parts/lacks.ts';
import { overTCP } from '../link/band.ts';
import { hasControl, isStopped, type Model } from '../store.ts';
import { say, words } from '../words.ts';

const AHEAD = 0.7; // rad; neighbours that see what the front sonar sees also count as ahead

export interface Hint {
  strong: string; // shown in bold; empty: none
  text: string;
}

// hintOf returns the hint. owner is the input that drives; lost is why an input that is still held lost the
// robot (may be empty), null if none is; touch means that the page is for thumbs.
export function hintOf(m: Readonly<Model>, owner: Source | null, lost: string | null, touch: boolean): Hint {
  const plain = (text: string): Hint => ({ strong: '', text });
  const w = words.drive;
  if (m.conn === 'connecting') return plain(w.connecting);
  if (m.conn === 'lost' || !m.socket) return plain(w.noLink);
  if (isStopped(m)) return plain(m.stop === null ? w.stopping : w.stopped);
  if (!hasControl(m)) return plain(w.watching);
  const hindered = hindranceOf(m);
  if (hindered !== '') return plain(hindered);
  if (m.tool === 'edit') return plain(w.editing);
  const obstacle = owner === null ? null : obstacleOf(m);
  if (obstacle !== null) return { strong: w.held, text: obstacle };
  if (owner === 'step') return { strong: w.stepping, text: w.steppingStop };
  if (owner !== null) return { strong: w.driving, text: w.letGo };
  const held = (why: string) => (why !== '' && overTCP(m) ? `${why} ${words.delay.overTCP}` : why);
  if (lost !== null) return { strong: w.again, text: held(lost) };
  if (m.refusal !== '') return plain(held(m.refusal));
  const idle = m.prefs.stepMoves ? w.idleStep : touch ? w.idleTouch : w.idle;
  return isBlind(m.robot) ? { strong: words.parts.idle, text: idle } : plain(idle);
}

// obstacleOf describes the obstacle that holds the robot, with the number of the telemetry; null: nothing does.
function obstacleOf(m: Readonly<Model>): string | null {
  if (m.blockedBy === null) return null;
  const w = words.drive;
  const nearest = m.state?.nearest ?? null;
  if (nearest === null || nearest.distance === null) return w.heldNear;
  const theta = Math.abs(nearest.bearing ?? 0);
  const where = theta < AHEAD ? w.ahead : theta > Math.PI - AHEAD ? w.behind : side(nearest.bearing);
  return say(w.heldBy, { m: metres(nearest.distance), side: where });
}
