// Ghost: the virtual robot on the map, the path to it that has been sent, and the path that a HOLD
// discarded.
import type { Pilot, Prediction } from './pilot.ts';
import { widthOf } from '../hull.ts';
import { drawAhead, drawCommitted, drawGhost, drawTag } from '../map/marks.ts';
import type { Stage } from '../map/stage.ts';
import { now, type Store } from '../store.ts';
import { say, words } from '../words.ts';

const TAGGED = 0.1; // m of lead from which both robots are labelled
const ROOM = 600; // px of map width that labels need

// mountGhost draws the ghost for as long as the page lives.
export function mountGhost(store: Store, stage: Stage, pilot: Pilot): void {
  let seen: Prediction | null = null;
  let back: ReturnType<Pilot['discarded']> = null;

  stage.layer('path', (b) => {
    const t = now();
    const m = store.get();
    seen = pilot.predict(m, t);
    back = pilot.discarded(t);
    if (seen !== null || back !== null) stage.redraw();
    if (m.robot === null) return;
    const width = widthOf(m.robot.hull);
    if (back !== null && back.path.length > 1) drawCommitted(b, back.path, width, 'text-2', back.fresh);
    if (!seen?.shown) return;
    drawAhead(b, seen.ahead, width);
    drawCommitted(b, seen.committed, width, 'ghost', 1);
  });

  stage.layer('over', (b) => {
    const m = store.get();
    if (m.robot === null || m.state === null) return;
    const pose = seen?.shown ? seen.pose : back?.pose;
    if (pose) drawGhost(b, pose, m.robot.hull);
    if (!seen?.shown || seen.lead < TAGGED || b.v.width < ROOM || m.silence > 0) return;
    if (m.offset !== null)
      drawTag(
        b,
        m.state.pose,
        say(words.map.tagSeen, { s: Math.max(0, now() + m.offset - m.state.t).toFixed(2) }),
        'robot',
        'left',
      );
    drawTag(b, seen.pose, words.map.tagGhost, 'ghost', 'right');
  });
}
