// Preview: the virtual robot does the job, ten times as fast. Nothing else moves.
import type { Rehearsal } from './rest.ts';
import { wrap } from '../virtualrobot/step.ts';
import type { Pose } from '../wire.ts';

const FASTER = 10;

export class Preview {
  private began: number | null = null; // ms
  private of: Rehearsal | null = null;
  private readonly tell: (t: number | null) => void;

  // tell hears of every frame, and of the end (null).
  constructor(tell: (t: number | null) => void) {
    this.tell = tell;
  }

  on(): boolean {
    return this.began !== null;
  }

  begin(of: Rehearsal): void {
    this.of = of;
    this.began = performance.now();
    const frame = () => {
      if (this.began === null) return;
      if (this.time() > of.time) this.end();
      else {
        this.tell(this.time());
        requestAnimationFrame(frame);
      }
    };
    frame();
  }

  end(): void {
    if (this.began === null) return;
    this.began = null;
    this.tell(null);
  }

  // pose is where the virtual robot is now; null when it does nothing.
  pose(): Pose | null {
    return this.began === null || this.of === null ? null : poseAt(this.of.path, this.time());
  }

  step(): { step: number; part: number } | null {
    return this.began === null || this.of === null ? null : stepAt(this.of.steps, this.time());
  }

  private time(): number {
    return ((performance.now() - (this.began ?? 0)) / 1000) * FASTER;
  }
}

// poseAt is where a path is t seconds after it began; at its ends it stands.
export function poseAt(path: Rehearsal['path'], t: number): Pose | null {
  const after = path.findIndex((p) => p[0] >= t);
  const b = path[after < 0 ? path.length - 1 : after];
  if (b === undefined) return null;
  const a = after > 0 ? path[after - 1] : undefined;
  if (a === undefined) return [b[1], b[2], b[3]];
  const f = (t - a[0]) / (b[0] - a[0]);
  return [a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2]), wrap(a[3] + f * wrap(b[3] - a[3]))];
}

// stepAt is which step is done at t, and how much of it.
export function stepAt(steps: readonly { time: number }[], t: number): { step: number; part: number } {
  let begun = 0;
  for (const [i, { time }] of steps.entries()) {
    if (t < begun + time) return { step: i, part: (t - begun) / time };
    begun += time;
  }
  return { step: Math.max(0, steps.length - 1), part: 1 };
}
