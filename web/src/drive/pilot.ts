// Pilot drives the virtual robot and knows how far the real one is behind. Pure: it gets the model and page
// times.
//
// A press places the virtual robot at the robot or, while the robot still follows it, continues from where
// it is. After a HOLD the virtual robot is where the robot reports to be, and the rest of its path is
// discarded.
import { hasControl, isStopped, type Model } from '../store.ts';
import { bound, type Bounded, type Obstacles } from '../virtualrobot/free.ts';
import { wrap } from '../virtualrobot/step.ts';
import { comesToRest, VirtualRobot } from '../virtualrobot/virtual.ts';
import type { Pose, Robot, State, Virtual } from '../wire.ts';
import type { Sample } from './hold.ts';

const SPACING = 0.02; // m between points of the path
const TURNED = 0.05; // rad, or this turn
const REACH = 0.3; // m, distance that a turn of one radian counts as
const LEAST = 0.02; // m, least lead that is shown
const LEAST_TURN = 0.09; // rad of it
const KEPT = 0.5; // share of these above which a shown lead remains shown, so that it does not flicker
const GLIDE = 0.25; // s of the glide to the robot's reported pose
const FADE = 1.5; // s for which a discarded path is shown
const OLD = 1; // s of silence during which prediction continues
const BAND = 3.6; // s, length of the prediction for a hold that continues
const DT = 0.1; // s between its points
const STANDS = 0.01; // m/s and rad/s; slower counts as standing
const CLOSE = 0.03; // m from the end of its path, at which the robot has arrived

// Prediction is the virtual robot as the map shows it.
export interface Prediction {
  pose: Pose;
  behind: number | null; // s by which the robot is behind the virtual robot, at its last known pose; null before the first
  lead: number; // m along the path, from the robot's last known pose
  committed: Pose[]; // from the robot to the virtual robot
  ahead: Pose[]; // if the driver keeps holding
  shown: boolean; // the lead is large enough to show
}

export class Pilot {
  #virtual: VirtualRobot | null = null;
  #stream = ''; // lease and epoch of its samples
  #active = false; // the robot has a path to follow
  #seq = 0; // of the last sample
  #led = false; // a lead was last shown
  #path: Pose[] = []; // ahead of the robot
  #been: { pose: Pose; at: number }[] = []; // times of the virtual robot, from the robot's last known pose
  #behind: number | null = null; // s
  #gone: { path: Pose[]; from: Pose; to: Pose; at: number } | null = null; // what a HOLD has discarded

  // sample returns the sample for a request, and its limits; begins: it is the first one of a press.
  sample(
    m: Readonly<Model>,
    want: Sample,
    begins: boolean,
    obstacles: Obstacles,
    t: number,
  ): (Bounded & { virtual: { t: number; vr: Virtual } }) | null {
    const { robot, state } = m;
    if (robot === null || state === null) return null;
    const stream = `${m.epoch}.${m.hold}`;
    if (this.#virtual === null || stream !== this.#stream || (begins && this.#arrived(state, t)))
      this.#begin(m, robot, state, t);
    this.#stream = stream;
    const virtual = this.#virtual;
    if (virtual === null) return null;
    this.#advance(t);
    const given = bound(virtual.motion, want, virtual.limit, robot, obstacles);
    const out = virtual.ask(given, t);
    if (want.v !== 0 || want.w !== 0) this.#active = true;
    return { ...given, virtual: out };
  }

  // sent notes the number of the last sample.
  sent(seq: number): void {
    this.#seq = seq;
  }

  #begin(m: Readonly<Model>, robot: Robot, state: State, t: number): void {
    const said = m.held !== null && m.held.pose !== null && state.t <= (m.held.t ?? 0);
    const seen = said && m.held?.pose ? m.held.pose : state.pose;
    const pose = comesToRest(seen, state.twist, m.rtt ?? 0, robot);
    if (this.#virtual === null) this.#virtual = new VirtualRobot(robot, pose, t);
    else this.#virtual.place(pose, t);
    this.#path = [pose];
    this.#been = [{ pose, at: t }];
    this.#behind = null;
  }

  #advance(t: number): void {
    const virtual = this.#virtual;
    if (virtual === null) return;
    virtual.advance(t);
    const pose = virtual.pose;
    const last = this.#path.at(-1);
    if (last !== undefined && apart(pose, last) < SPACING && Math.abs(wrap(pose[2] - last[2])) < TURNED) return;
    this.#path.push(pose);
    this.#been.push({ pose, at: virtual.at });
  }

  // see handles a new pose of the robot.
  see(m: Readonly<Model>, t: number): void {
    if (!this.#active || m.state === null) return;
    this.#advance(t);
    const at = m.state.pose;
    const path = this.#path;
    pass(path, (p) => apart(at, p));
    this.#time(at, m.offset === null ? t : Math.min(t, m.state.t - m.offset));
    if (this.#arrived(m.state, t)) this.#active = false;
  }

  // time finds how much later than the virtual robot the robot was at a pose, at the page time t.
  #time(at: Pose, t: number): void {
    const been = this.#been;
    pass(been, ({ pose }) => apart(at, pose) + REACH * Math.abs(wrap(at[2] - pose[2])));
    const there = been[0];
    if (there !== undefined && been.length > 1) this.#behind = Math.max(0, t - there.at);
  }

  // arrived reports whether the robot has reached the virtual robot's end.
  #arrived(state: State, t: number): boolean {
    const virtual = this.#virtual;
    if (virtual === null) return true;
    virtual.advance(t);
    if (!virtual.stands || state.seq < this.#seq || state.twist.some((x) => Math.abs(x) > STANDS)) return false;
    const ref = state.play?.ref ?? null;
    return ref === null ? state.play === null : apart(ref, virtual.pose) < CLOSE;
  }

  // hold: the robot has discarded its path, and reports where it is.
  hold(m: Readonly<Model>, t: number): void {
    const now = this.predict(m, t);
    const to = m.held?.pose ?? m.state?.pose;
    if (now !== null && to !== undefined)
      this.#gone = { path: now.shown ? now.committed : [], from: now.pose, to, at: t };
    this.forget();
  }

  // forget: the robot no longer follows a path.
  forget(): void {
    this.#virtual = null;
    this.#active = false;
    this.#led = false;
    this.#path = [];
  }

  // end returns where the virtual robot stops if it is released now; null while there is no path.
  end(t: number): Pose | null {
    if (!this.#active || this.#virtual === null) return null;
    this.#virtual.advance(t);
    return this.#virtual.rest();
  }

  // predict returns null while the robot follows no path of this page.
  predict(m: Readonly<Model>, t: number): Prediction | null {
    const { state } = m;
    if (!this.#active || this.#virtual === null || state === null || !hasControl(m) || isStopped(m)) return null;
    this.#advance(t);
    const pose = this.#virtual.pose;
    const committed = [state.pose, ...this.#path.slice(1), pose];
    const lead = committed.reduce((sum, p, i) => sum + apart(p, committed[i - 1] ?? p), 0);
    const k = this.#led ? KEPT : 1;
    this.#led = lead > k * LEAST || Math.abs(wrap(pose[2] - state.pose[2])) > k * LEAST_TURN;
    const shown = m.tab === 'drive' && m.silence <= OLD && m.conn !== 'lost' && this.#led;
    return { pose, behind: this.#behind, lead, committed, ahead: this.#virtual.ahead(BAND, DT), shown };
  }

  // discarded returns the path that a HOLD discarded, fading from 1 to 0, and the virtual robot on its way
  // to the robot; null when it has faded.
  discarded(t: number): { path: Pose[]; fresh: number; pose: Pose | null } | null {
    if (this.#gone === null) return null;
    const { path, from, to, at } = this.#gone;
    const age = t - at;
    if (age >= FADE) this.#gone = null;
    const f = age / GLIDE;
    const pose: Pose | null =
      f >= 1
        ? null
        : [from[0] + f * (to[0] - from[0]), from[1] + f * (to[1] - from[1]), from[2] + f * wrap(to[2] - from[2])];
    return { path, fresh: Math.max(0, 1 - age / FADE), pose };
  }
}

function apart(a: Pose, b: Pose): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

// pass drops what lies before the first point at which the distance grows again.
function pass<T>(way: T[], far: (p: T) => number): void {
  for (let next = way[1]; next !== undefined && far(next) <= far(way[0] ?? next) + 1e-3; next = way[1]) way.shift();
}
