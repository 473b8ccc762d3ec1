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
  by: number; // index of the pad whose bumper is held; -1: none
  waits: boolean; // bumpers that were held when that pad let go have to be released first
  stop: boolean; // B is down
}

export const noPad: Pad = { here: false, held: false, by: -1, waits: false, stop: false, forward: 0, left: 0 };

// readPad reads the pads; before is what it returned last. The pad whose bumper was pressed first counts until
// it lets go or is gone: another one never takes over in the middle of a drive. B on any pad stops.
export function readPad(pads: readonly (PadState | null)[], before: Pad): Pad {
  const here = pads.filter((p): p is PadState => p !== null && p.connected);
  const first = here[0];
  if (first === undefined) return noPad;
  const holding = here.filter(bumper);
  const owner = before.held
    ? holding.find((p) => pads.indexOf(p) === before.by)
    : before.waits
      ? undefined
      : holding[0];
  const { axes } = owner ?? first;
  return {
    here: true,
    held: owner !== undefined,
    by: owner === undefined ? -1 : pads.indexOf(owner),
    waits: owner === undefined && holding.length > 0,
    stop: here.some((p) => down(p, B)),
    ...deflect(axes[0] ?? 0, axes[1] ?? 0, 1),
  };
}

function bumper(p: PadState): boolean {
  return down(p, LEFT_BUMPER) || down(p, RIGHT_BUMPER);
}

function down(p: PadState, button: number): boolean {
  return p.buttons[button]?.pressed === true;
}
