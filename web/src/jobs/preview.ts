// Preview: the virtual robot does the job, ten times as fast. The robot does not move.
import type { Rehearsal } from './api.ts';
import { wrap } from '../virtualrobot/step.ts';
import type { Pose } from '../wire.ts';

const FASTER = 10;

export class Preview {
  #began = 0; // ms; 0: no preview
  readonly #tell: (over: boolean) => void;

  // tell is called in every frame and at the end, with whether the job is over.
  constructor(tell: (over: boolean) => void) {
    this.#tell = tell;
  }

  // time returns the previewed time of the job in s; null: no preview.
  time(): number | null {
    return this.#began === 0 ? null : ((performance.now() - this.#began) / 1000) * FASTER;
  }

  begin({ time }: Rehearsal): void {
    this.#began = performance.now();
    const frame = () => {
      const t = this.time();
      if (t === null) return;
      const over = t > time;
      if (over) this.#began = 0;
      else requestAnimationFrame(frame);
      this.#tell(over);
    };
    frame();
  }

  end(): void {
    if (this.#began === 0) return;
    this.#began = 0;
    this.#tell(false);
  }
}

// poseAt returns the pose t seconds after the start of the job, at most its end.
export function poseAt({ path }: Pick<Rehearsal, 'path'>, t: number): Pose | null {
  const after = path.findIndex((p) => p[0] >= t);
  const b = path[after < 0 ? path.length - 1 : after];
  if (b === undefined) return null;
  const a = after > 0 ? path[after - 1] : undefined;
  if (a === undefined) return [b[1], b[2], b[3]];
  const f = (t - a[0]) / (b[0] - a[0]);
  return [a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2]), wrap(a[3] + f * wrap(b[3] - a[3]))];
}

// stepAt returns the step at t, and its completed share.
export function stepAt({ steps }: { steps: readonly { time: number }[] }, t: number): { step: number; part: number } {
  let begun = 0;
  for (const [i, { time }] of steps.entries()) {
    if (t < begun + time) return { step: i, part: (t - begun) / time };
    begun += time;
  }
  return { step: Math.max(0, steps.length - 1), part: 1 };
}
