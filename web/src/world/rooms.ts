// Rooms: the names of doors. A floor plan does not name its doors, so each has the name of the room behind
// it.
import { along } from './marks.ts';
import { contains } from '../map/floor.ts';
import type { Floorplan } from '../wire.ts';

const BEHIND = 0.4; // m from the middle of the doorway

// roomOf returns the name of the room behind a door, seen from the corridor; empty: none.
export function roomOf(plan: Floorplan, door: Floorplan['doors'][number]): string {
  const middle = along(door.hinge, door.closed, door.length / 2);
  const sides = [1, -1].map((s) => along(middle, door.closed + (s * Math.PI) / 2, BEHIND));
  const rooms = sides.map((at) => plan.rooms.find((r) => contains(r.outline, at)));
  return (rooms.find((r) => r && !r.corridor && r.name !== '') ?? rooms.find((r) => r && r.name !== ''))?.name ?? '';
}

// doorAt returns the index of the door whose leaf, open or closed, is nearest to a place; -1: none is near.
export function doorAt(
  plan: Floorplan,
  closed: readonly boolean[],
  at: readonly [number, number],
  near: number,
): number {
  let best = -1;
  let least = near;
  plan.doors.forEach((door, i) => {
    for (const angle of closed[i] ? [door.closed] : [door.open, door.closed]) {
      for (const part of [0.25, 0.5, 0.75, 1]) {
        const [x, y] = along(door.hinge, angle, door.length * part);
        const off = Math.hypot(x - at[0], y - at[1]);
        if (off < least) [best, least] = [i, off];
      }
    }
  });
  return best;
}
