// The driving keys, by position on the keyboard, so that W A S D are together on every layout.

// Deflection is a request of an input: -1 to 1 of the speed limit forward, -1 to 1 of the turning limit to
// the left.
export interface Deflection {
  forward: number;
  left: number;
}

export interface Keys {
  down: readonly string[]; // codes of the pressed driving keys
  slow: boolean; // Shift: half speed
  ramp: Deflection; // the deflection reached so far
  at: number; // and when, in s
}

export const RAMP = 0.25; // s from zero to full

export const noKeys: Keys = { down: [], slow: false, ramp: { forward: 0, left: 0 }, at: 0 };

const WAY: Readonly<Record<string, Deflection>> = {
  KeyW: { forward: 1, left: 0 },
  ArrowUp: { forward: 1, left: 0 },
  KeyS: { forward: -1, left: 0 },
  ArrowDown: { forward: -1, left: 0 },
  KeyA: { forward: 0, left: 1 },
  ArrowLeft: { forward: 0, left: 1 },
  KeyD: { forward: 0, left: -1 },
  ArrowRight: { forward: 0, left: -1 },
};

export function isDriveKey(code: string): boolean {
  return Object.hasOwn(WAY, code);
}

// wayOf returns the direction of a driving key, as its letter.
export function wayOf(code: string): 'W' | 'A' | 'S' | 'D' | null {
  const way = WAY[code];
  if (!way) return null;
  if (way.forward !== 0) return way.forward > 0 ? 'W' : 'S';
  return way.left > 0 ? 'A' : 'D';
}

export function press(keys: Keys, code: string, t: number): Keys {
  if (keys.down.includes(code)) return keys;
  return { ...grow(keys, t), down: [...keys.down, code] };
}

export function release(keys: Keys, code: string, t: number): Keys {
  return grow({ ...grow(keys, t), down: keys.down.filter((c) => c !== code) }, t);
}

// grow returns the keys at the time t: each axis ramps from zero to full in RAMP seconds, and drops at
// once.
export function grow(keys: Keys, t: number): Keys {
  const want = target(keys.down);
  const most = Math.max(0, t - keys.at) / RAMP;
  const ramp = { forward: run(keys.ramp.forward, want.forward, most), left: run(keys.ramp.left, want.left, most) };
  return { ...keys, ramp, at: t };
}

// deflection returns the deflection of the keys when they were last grown.
export function deflection(keys: Keys): Deflection {
  const f = keys.slow ? 0.5 : 1;
  return { forward: keys.ramp.forward * f, left: keys.ramp.left * f };
}

// target returns the direction of the keys: opposite keys cancel, two keys for the same direction count
// once.
function target(down: readonly string[]): Deflection {
  const any = (way: 'W' | 'A' | 'S' | 'D') => (down.some((code) => wayOf(code) === way) ? 1 : 0);
  return { forward: any('W') - any('S'), left: any('A') - any('D') };
}

function run(now: number, want: number, most: number): number {
  if (want === 0) return 0;
  const from = now * want > 0 ? now : 0;
  return want > 0 ? Math.min(want, from + most) : Math.max(want, from - most);
}
