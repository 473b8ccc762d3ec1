// The virtual robot: the same kinematics as the robot's own (package robot, step.go), so that both take the
// same path. The tests compare both to 1e-9 with robot/testdata/step.json. Lengths are metres, angles
// radians, times seconds.

export interface Pose {
  x: number;
  y: number;
  theta: number; // in (-pi, pi], counter-clockwise from +x
}

export interface Twist {
  v: number; // m/s, forward
  w: number; // rad/s, counter-clockwise
}

// Limit bounds a motion: the largest speeds and accelerations.
export interface Limit {
  v: number; // m/s
  w: number; // rad/s
  av: number; // m/s2
  aw: number; // rad/s2
  r?: number | undefined; // m, the smallest turning radius; left out: it turns in place
}

// Motion is the pose of the axle point M, in map, and its speeds.
export interface Motion {
  axle: Pose;
  twist: Twist;
}

// TICK is the length of one step, in seconds.
export const TICK = 0.01;

// step returns the motion dt seconds later with the request want: the speed changes at most by the
// accelerations of limit, a car turns no tighter than it can, then the axle follows the exact arc of the
// new speed.
export function step(m: Motion, want: Twist, limit: Limit, dt: number): Motion {
  const twist = slew(m.twist, clamp(want, limit), limit, dt);
  if (limit.r) twist.w = approach(0, twist.w, Math.abs(twist.v) / limit.r);
  return { axle: arc(m.axle, twist, dt), twist };
}

// clamp scales both parts by the same factor, so that the robot turns less far rather than along another
// curve.
export function clamp(t: Twist, limit: Limit): Twist {
  let f = 1;
  if (Math.abs(t.v) > limit.v) f = Math.min(f, limit.v / Math.abs(t.v));
  if (Math.abs(t.w) > limit.w) f = Math.min(f, limit.w / Math.abs(t.w));
  return f === 1 ? t : { v: t.v * f, w: t.w * f };
}

// wrap returns the angle equal to a in (-pi, pi].
export function wrap(a: number): number {
  if (a > -Math.PI && a <= Math.PI) return a;
  const r = a % (2 * Math.PI);
  if (r > Math.PI) return r - 2 * Math.PI;
  if (r <= -Math.PI) return r + 2 * Math.PI;
  return r;
}

function slew(now: Twist, want: Twist, limit: Limit, dt: number): Twist {
  return { v: approach(now.v, want.v, limit.av * dt), w: approach(now.w, want.w, limit.aw * dt) };
}

function approach(now: number, want: number, most: number): number {
  return now + Math.max(-most, Math.min(most, want - now));
}

// arc returns the pose after dt seconds of constant twist. With the half angle h = w dt/2 the chord is v dt
// sin(h)/h long and points along theta + h.
function arc(p: Pose, t: Twist, dt: number): Pose {
  const h = (t.w * dt) / 2;
  const chord = t.v * dt * sinc(h);
  return {
    x: p.x + chord * Math.cos(p.theta + h),
    y: p.y + chord * Math.sin(p.theta + h),
    theta: wrap(p.theta + 2 * h),
  };
}

function sinc(h: number): number {
  return Math.abs(h) < 1e-4 ? 1 - (h * h) / 6 : Math.sin(h) / h;
}
