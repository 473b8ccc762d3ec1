// Virtual: the robot that follows the stick at once. Its steps are TICK long and begin where it was placed,
// so that the robot's prediction from a sample matches it bit for bit, even without further samples. Pure:
// page times are arguments, in s.
import { type Limit, type Motion, step, TICK, type Twist, wrap } from './step.ts';
import type { Pose, Robot, Virtual as Wire } from '../wire.ts';

export const VALID = 0.25; // s that a sample lives without a successor

const NONE: Twist = { v: 0, w: 0 };

// limitOf returns the robot's limits by hand.
export function limitOf(r: Robot): Limit {
  return { v: r.drive[0], w: r.drive[1], av: r.slew[0], aw: r.slew[1], r: r.turning_radius };
}

export function axleOf([x, y, theta]: Pose, axle: number): Motion['axle'] {
  return { x: x - axle * Math.cos(theta), y: y - axle * Math.sin(theta), theta };
}

export function centreOf({ x, y, theta }: Motion['axle'], axle: number): Pose {
  return [x + axle * Math.cos(theta), y + axle * Math.sin(theta), wrap(theta)];
}

export class VirtualRobot {
  readonly limit: Limit;
  readonly #axle: number; // m, distance of the axle behind base_link
  #now: Motion;
  #want: Twist = NONE;
  #origin: number; // s, time of step zero
  #ticks = 0;
  #asked = 0; // in ticks, time of want
  #gone = 0; // m

  // The virtual robot stands at pose at t.
  constructor(robot: Robot, pose: Pose, t: number) {
    this.limit = limitOf(robot);
    this.#axle = robot.axle;
    this.#now = { axle: axleOf(pose, robot.axle), twist: NONE };
    this.#origin = t;
  }

  // place moves it, standing, to a pose. Its travelled distance stays.
  place(pose: Pose, t: number): void {
    this.#now = { axle: axleOf(pose, this.#axle), twist: NONE };
    this.#want = NONE;
    this.#origin = Math.max(t, this.at);
    this.#ticks = this.#asked = 0;
  }

  get at(): number {
    return this.#origin + this.#ticks * TICK;
  }

  get motion(): Motion {
    return this.#now;
  }

  get pose(): Pose {
    return centreOf(this.#now.axle, this.#axle);
  }

  get s(): number {
    return this.#gone;
  }

  get stands(): boolean {
    return still(this.#now.twist) && (still(this.#want) || this.#ticks - this.#asked >= VALID / TICK);
  }

  // advance simulates until t. The last request counts for VALID, then the speed decays.
  advance(t: number): void {
    const end = Math.floor((t - this.#origin) / TICK + 1e-6);
    while (this.#ticks < end && !this.stands) {
      const want = (this.#ticks - this.#asked) * TICK >= VALID - 1e-9 ? NONE : this.#want;
      this.#now = step(this.#now, want, this.limit, TICK);
      this.#gone += Math.abs(this.#now.twist.v) * TICK;
      this.#ticks++;
    }
    this.#ticks = Math.max(this.#ticks, end);
  }

  // ask applies a request of a driver at t, and returns the fields to send.
  ask(want: Twist, t: number): { t: number; vr: Wire } {
    this.advance(t);
    this.#want = want;
    this.#asked = this.#ticks;
    const { v, w } = this.#now.twist;
    const vr: Wire = [...this.pose, v, w, this.#gone];
    return { t: micro(this.at), vr: vr.map(micro) as Wire };
  }

  // rest returns where it stops if the driver lets go now.
  rest(): Pose {
    return centreOf(brake(this.#now, this.limit).axle, this.#axle);
  }

  // ahead returns its path for the next seconds if the driver keeps holding, a pose every dt seconds.
  ahead(seconds: number, dt: number): Pose[] {
    const out: Pose[] = [];
    if (still(this.#want)) return out;
    let m = this.#now;
    for (let t = 0; t < seconds; t += dt) {
      m = step(m, this.#want, this.limit, dt);
      out.push(centreOf(m.axle, this.#axle));
    }
    return out;
  }
}

// comesToRest returns where a robot stops that was seen at pose with a twist, if it continues for some
// seconds and then brakes.
export function comesToRest(pose: Pose, [v, w]: readonly [number, number], seconds: number, r: Robot): Pose {
  const limit = limitOf(r);
  const twist = { v, w };
  let m: Motion = { axle: axleOf(pose, r.axle), twist };
  for (let t = 0; t < seconds; t += TICK) m = step(m, twist, limit, TICK);
  return centreOf(brake(m, limit).axle, r.axle);
}

function brake(m: Motion, limit: Limit): Motion {
  while (!still(m.twist)) m = step(m, NONE, limit, TICK);
  return m;
}

function still({ v, w }: Twist): boolean {
  return v === 0 && w === 0;
}

// micro rounds to the resolution of the wire.
function micro(n: number): number {
  return Math.round(n * 1e6) / 1e6;
}
