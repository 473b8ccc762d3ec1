// Frame pose: when a picture was taken, and the robot's pose then. Pure.
import { wrap } from '../virtualrobot/step.ts';
import type { Pose, State } from '../wire.ts';
import type { Angles } from './view.ts';

const CLOCK = 90000; // Hz of a picture's RTP timestamp, which is the robot's clock
const TURN = 2 ** 32 / CLOCK; // s after which it wraps
const KEPT = 6; // s of states

// takenAt returns the robot's time of a picture, s: of all possible times of its timestamp, the one nearest
// to about.
export function takenAt(rtp: number, about: number): number {
  const t = rtp / CLOCK;
  return t + Math.round((about - t) / TURN) * TURN;
}

// Seen is a pose of the robot and its head.
export interface Seen {
  t: number;
  pose: Pose;
  head: Angles;
}

// States stores the newest states.
export class States {
  #kept: Seen[] = [];

  add(s: State): void {
    const last = this.#kept.at(-1);
    if (last !== undefined && s.t <= last.t) {
      if (s.t === last.t) return;
      this.#kept = []; // another robot, or a restarted one
    }
    this.#kept.push({ t: s.t, pose: s.pose, head: s.head });
    while ((this.#kept[0]?.t ?? 0) < s.t - KEPT) this.#kept.shift();
  }

  // at returns the robot's pose at a time of its clock, interpolated between two states, or else the
  // nearest one.
  at(t: number): Seen | null {
    const i = this.#kept.findIndex((s) => s.t >= t);
    const b = this.#kept[i < 0 ? this.#kept.length - 1 : i];
    const a = this.#kept[Math.max(0, i - 1)];
    if (a === undefined || b === undefined) return null;
    if (i <= 0 || a === b) return b;
    const k = (t - a.t) / (b.t - a.t);
    const mix = (x: number, y: number) => x + k * (y - x);
    return {
      t,
      pose: [mix(a.pose[0], b.pose[0]), mix(a.pose[1], b.pose[1]), a.pose[2] + k * wrap(b.pose[2] - a.pose[2])],
      head: [mix(a.head[0], b.head[0]), mix(a.head[1], b.head[1])],
    };
  }
}

// Neck predicts the head: it turns to the requested angles at the head's speed.
export class Neck {
  angles: Angles = [0, 0];
  #want: Angles | null = null; // null: this page has requested none
  #at = 0;
  #until = 0;

  // ask sets the requested angles; null: the head stays where it is seen.
  ask(want: Angles | null, t: number): void {
    this.#want = want;
    this.#until = t + 5;
  }

  // advance returns the angles at page time t; seen are the last reported angles, and speed is the head's
  // speed.
  advance(t: number, seen: Angles, speed: number): Angles {
    const dt = Math.min(0.2, Math.max(0, t - this.#at));
    this.#at = t;
    if (this.#want === null || (t > this.#until && near(this.angles, this.#want))) {
      this.#want = null;
      this.angles = seen;
      return seen;
    }
    const most = speed * dt;
    const go = (from: number, to: number) => from + Math.max(-most, Math.min(most, to - from));
    this.angles = [go(this.angles[0], this.#want[0]), go(this.angles[1], this.#want[1])];
    return this.angles;
  }
}

function near(a: Angles, b: Angles): boolean {
  return Math.abs(a[0] - b[0]) < 0.01 && Math.abs(a[1] - b[1]) < 0.01;
}
