// The gamepad: its left stick drives while one of the bumpers is held; B stops.
import type { Deflection } from './keys.ts';
import { deflect } from './stick.ts';

const LEFT_BUMPER = 4;
const RIGHT_BUMPER = 5;
const B = 1;

// PadState has the fields of a Gamepad (standard mapping) that matter here.
export interface PadState {
  connected: boolean;
  axes: readonly number[];
  buttons: readonly { pressed: boolean }[];
}

export interface Pad extends Deflection {
  here: boolean; // a pad is connected
  held: boolean; // a bumper is held
  stop: boolean; // B is down
}

export const noPad: Pad = { here: false, held: false, stop: false, forward: 0, left: 0 };

// readPad reads the pad whose bumper is held, or else the first; B on any pad stops.
export function readPad(pads: readonly (PadState | null)[]): Pad {
  const here = pads.filter((p): p is PadState => p !== null && p.connected);
  const pad = here.find(bumper) ?? here[0];
  if (pad === undefined) return noPad;
  return {
    here: true,
    held: bumper(pad),
    stop: here.some((p) => down(p, B)),
    ...deflect(pad.axes[0] ?? 0, pad.axes[1] ?? 0, 1),
  };
}

function bumper(p: PadState): boolean {
  return down(p, LEFT_BUMPER) || down(p, RIGHT_BUMPER);
}

function down(p: PadState, button: number): boolean {
  return p.buttons[button]?.pressed === true;
}
