// A trial on the map: the way of the virtual robot, and the virtual robot at the time that is shown.
import { poseAt } from '../jobs/preview.ts';
import { path } from '../map/brush.ts';
import type { Stage } from '../map/stage.ts';
import type { Trial } from './trial.ts';

export interface ShownTrial {
  trial: Trial;
  t: number; // s
}

// drawTrials draws on the map what shown returns; null: nothing.
export function drawTrials(stage: Stage, shown: () => ShownTrial | null): void {
  stage.layer('floor', (b) => {
    const { trial } = shown() ?? {};
    if (trial === undefined || trial.path.length < 2) return;
    const { c, p } = b;
    path(
      b,
      trial.path.map(([, x, y]) => [x, y]),
    );
    c.save();
    c.strokeStyle = p.ghost;
    c.lineJoin = c.lineCap = 'round';
    for (const [wide, alpha] of [
      [9, 0.2],
      [2.5, 0.9],
    ] as const) {
      c.lineWidth = wide;
      c.globalAlpha = alpha;
      c.stroke();
    }
    c.restore();
  });
  stage.layer('over', (b) => {
    const now = shown();
    const pose = now === null ? null : poseAt(now.trial, now.t);
    if (pose !== null) stage.drawGhost(b, pose);
  });
}
