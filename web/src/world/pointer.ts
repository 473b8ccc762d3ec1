// Pointer: placing and moving things, operating doors, and carrying the robot, with a pointer on the map.
import { drawThing, type Thing } from './marks.ts';
import { doorAt } from './rooms.ts';
import { distance, type WorldState } from './world-state.ts';
import { drag, grasp } from '../goto/aim.ts';
import { drawDial, drawHull } from '../goto/marks.ts';
import type { Brush } from '../map/brush.ts';
import type { Stage, Touch } from '../map/stage.ts';
import type { Point } from '../wire.ts';

const GRAB = 12; // px beside a thing
const DOOR = 0.3; // m beside a door's leaf
const STILL = 0.02; // m; a shorter move is only a press

export class Pointer {
  readonly #state: WorldState;
  readonly #stage: Stage;

  constructor(state: WorldState, stage: Stage, paint: () => void) {
    this.#state = state;
    this.#stage = stage;
    stage.grip({
      take: (touch) => {
        if (!state.takesInput() || !this.#take(touch)) return false;
        state.cursor = null;
        state.pressed = true;
        paint();
        return true;
      },
      move: (touch) => this.#move(touch),
      end: (touch) => {
        state.pressed = false;
        this.#end(touch);
        paint();
      },
    });
    stage.layer('over', (b) => this.#draw(b));
  }

  #take(touch: Touch): boolean {
    const state = this.#state;
    state.fault = '';
    if (state.tool === 'carry') {
      state.aim = grasp(touch, this.#stage.at, null, true, state.model().state?.pose[2] ?? 0);
      return true;
    }
    const kind = state.sized();
    const thing = this.#thingAt(touch);
    if (thing !== null) {
      state.chosen = thing.thing;
      state.held = { thing, off: [thing.at[0] - touch.at[0], thing.at[1] - touch.at[1]] };
    } else if (kind !== null) {
      state.held = { thing: { thing: 0, kind, at: touch.at, radius: state.sizes[kind] }, off: [0, 0] };
    } else {
      const door = doorAt(state.model().plan, state.closed(), touch.at, DOOR);
      if (door < 0) return false;
      state.toggleDoor(door);
    }
    return true;
  }

  #move(touch: Touch): void {
    const { held, aim } = this.#state;
    if (held !== null) held.thing = { ...held.thing, at: [touch.at[0] + held.off[0], touch.at[1] + held.off[1]] };
    if (aim !== null) this.#state.aim = drag(aim, touch, this.#stage.screen(aim.pose));
    this.#stage.redraw();
  }

  #end(touch: Touch | null): void {
    const state = this.#state;
    if (touch === null) state.held = state.aim = null;
    else if (state.aim !== null) state.carry(state.aim.pose);
    else if (state.held !== null) {
      const { thing } = state.held;
      const at: Point = [roundToCentimetres(thing.at[0]), roundToCentimetres(thing.at[1])];
      if (thing.thing === 0) state.put(thing.kind, at);
      else if (this.#isWhereItWas(thing)) state.held = null;
      else state.move(thing, at);
    }
  }

  #isWhereItWas({ thing, at }: Thing): boolean {
    const now = this.#state.thing(thing);
    return now !== null && distance(now.at, at) < STILL;
  }

  #thingAt(touch: Touch): Thing | null {
    let nearest: Thing | null = null;
    let least = GRAB + (touch.finger ? 10 : 0);
    for (const thing of this.#state.model().world?.things ?? []) {
      const [x, y] = this.#stage.screen(thing.at);
      const [edge] = this.#stage.screen([thing.at[0] + thing.radius, thing.at[1]]);
      // A magnet is grabbed at its centre, because its rim may surround everything.
      const radius = thing.kind === 'magnet' ? 0 : edge - x;
      const off = Math.hypot(touch.x - x, touch.y - y) - radius;
      if (off < least) [nearest, least] = [thing, off];
    }
    return nearest;
  }

  #draw(b: Brush): void {
    const { open, tool, held, aim, cursor, chosen, sizes } = this.#state;
    if (!open) return;
    const marked = held?.thing ?? this.#state.thing(chosen);
    if (marked !== null) drawThing(b, marked, true);
    const pose = aim?.pose ?? (tool === 'carry' ? cursor : null);
    const kind = this.#state.sized();
    const { robot } = this.#state.model();
    if (pose !== null && robot !== null) {
      drawDial(b, pose, false);
      drawHull(b, pose, robot);
    } else if (cursor !== null && kind !== null) {
      drawThing(b, { kind, at: [cursor[0], cursor[1]], radius: sizes[kind] }, true);
    }
  }
}

function roundToCentimetres(metres: number): number {
  return Math.round(metres * 100) / 100;
}
