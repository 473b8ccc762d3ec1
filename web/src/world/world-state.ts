// WorldState: the selected tool, what it holds, and the requested changes of the simulated world.
import type { Thing } from './marks.ts';
import { roomOf } from './rooms.ts';
import { world as words } from '../../strings.json';
import { type Aim, neat } from '../goto/aim.ts';
import type { Order } from '../link/index.ts';
import { mayAct, type Model } from '../store.ts';
import type { Context } from '../context.ts';
import { isTaken } from '../result.ts';
import { say } from '../words.ts';
import type { Point, Pose } from '../wire.ts';

export type Tool = 'hand' | 'obstacle' | 'magnet' | 'carry';
export type Kind = 'obstacle' | 'magnet';

// Held is a thing held by the pointer.
interface Held {
  thing: Thing; // its number is 0 until it is placed
  off: Point; // m, from the pointer to its centre
}

export class WorldState {
  readonly sizes: Record<Kind, number> = { obstacle: 0.25, magnet: 1 }; // m, radius
  open = false;
  tool: Tool = 'hand';
  chosen: number | null = null; // the thing that the keys move
  steps: Thing | null = null; // the chosen thing as moved by the keys, until the world reports it
  pressed = false; // a pointer is down
  held: Held | null = null;
  aim: Aim | null = null; // of the carried robot
  cursor: Pose | null = null; // the cursor of the keys
  fault = '';
  readonly #context: Context;
  readonly #changed: () => void;

  // changed is called when there is something new to show.
  constructor(context: Context, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
  }

  model(): Readonly<Model> {
    return this.#context.store.get();
  }

  // takesInput reports whether the card is open and this page may change the world.
  takesInput(): boolean {
    return this.open && mayAct(this.model());
  }

  thing(n: number | null): Thing | null {
    return this.model().world?.things.find((t) => t.thing === n) ?? null;
  }

  closed(): boolean[] {
    return (this.model().world?.doors ?? []).map((d) => d.closed);
  }

  // sized returns what the tool places, null for a tool that places nothing.
  sized(): Kind | null {
    return this.tool === 'obstacle' || this.tool === 'magnet' ? this.tool : null;
  }

  choose(tool: Tool): void {
    this.tool = tool;
    this.cursor = null;
    this.fault = '';
    this.#changed();
  }

  // drop drops what the pointer and the keys hold.
  drop(): void {
    this.held = this.aim = this.cursor = null;
    this.fault = '';
  }

  put(kind: Kind, at: Point): void {
    this.#change(
      { type: 'world', action: 'put', kind, at, radius: this.sizes[kind] },
      say(words.put, { name: words[kind] }),
    );
  }

  move(thing: Thing, at: Point): void {
    this.#change(
      { type: 'world', action: 'move', thing: thing.thing, at },
      say(words.moved, { name: nameOfThing(thing) }),
    );
  }

  remove(thing: Thing): void {
    this.#change(
      { type: 'world', action: 'remove', thing: thing.thing },
      say(words.removed, { name: nameOfThing(thing) }),
    );
  }

  carry(pose: Pose): void {
    this.#change({ type: 'world', action: 'carry', pose: neat(pose) }, words.carried);
  }

  pressOK(): void {
    this.#change({ type: 'world', action: 'ok' }, words.okPressed);
  }

  // charge sets the battery to a percentage.
  charge(percent: number): void {
    this.#change({ type: 'world', action: 'battery', charge: percent / 100 }, say(words.charged, { percent }));
  }

  toggleDoor(i: number): void {
    const m = this.model();
    if (m.plan.doors[i] === undefined) return;
    const shut = !this.closed()[i];
    this.#change(
      { type: 'world', action: 'door', door: i, closed: shut },
      say(shut ? words.shut : words.opened, { name: nameOfDoor(m, i) }),
    );
  }

  // meet adopts the state reported by the world.
  meet(): void {
    if (this.thing(this.chosen) === null) this.chosen = null;
    if (!this.pressed) this.held = null;
    const told = this.thing(this.steps?.thing ?? null);
    if (told === null || (this.steps !== null && distance(told.at, this.steps.at) < 0.005)) this.steps = null;
  }

  // change sends one change of the world and shows a refusal. A dropped thing is shown where it was dropped
  // until the world reports its place.
  #change(order: Extract<Order, { type: 'world' }>, done: string): void {
    if (!mayAct(this.model())) {
      this.held = this.aim = this.steps = null;
      return;
    }
    const { held, aim, steps } = this;
    void this.#context.link.ask(order).then(({ word, reason }) => {
      this.fault = isTaken({ word }) ? '' : reason;
      this.#context.voice.say(this.fault || done);
      if (this.aim === aim) this.aim = null;
      if (this.fault !== '' && this.held === held) this.held = null;
      if (this.fault !== '' && this.steps === steps) this.steps = null;
      this.#changed();
    });
  }
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

export function nameOfThing({ thing, kind }: Thing): string {
  return say(words.named, { name: words[kind], n: thing });
}

export function nameOfDoor(m: Readonly<Model>, i: number): string {
  const door = m.plan.doors[i];
  const room = door ? roomOf(m.plan, door) : '';
  return room === '' ? say(words.doorNumber, { n: i + 1 }) : say(words.doorOf, { room });
}
