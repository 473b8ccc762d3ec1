// HeadControl: requests for the camera's head, by the person in control or its borrower. Orders are sent at
// most every 60 ms, the newest one last.
import type { Context } from '../context.ts';
import type { Link } from '../link/index.ts';
import { isBaseLost, isStopped, mayUse, now, numbered, type Store } from '../store.ts';
import { Neck } from './frame-pose.ts';
import { type Angles, clampAngles } from './view.ts';

const STEP = (10 * Math.PI) / 180; // rad per press
const RATE = (45 * Math.PI) / 180; // rad/s while a key is held
const ORDER_MS = 60; // between two orders to the head
const TURNS: Readonly<Record<string, Angles>> = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] };
const KEYS: Readonly<Record<string, string>> = { KeyJ: 'left', KeyL: 'right', KeyI: 'up', KeyK: 'down' };

export const DIRECTIONS = Object.keys(TURNS);

export class HeadControl {
  readonly #store: Store;
  readonly #link: Link;
  readonly #neck = new Neck();
  #target: Angles | null = null; // the requested angles; null: this page has requested none
  #keys = new Set<string>(); // codes of the held keys that turn it
  #sentAt = 0; // ms, of the last order
  #timer = 0; // of an order that waits; 0: none

  constructor({ store, link }: Context) {
    this.#store = store;
    this.#link = link;
  }

  target(): Angles {
    return this.#target ?? this.#store.get().state?.head ?? [0, 0];
  }

  lookAt(to: Angles): void {
    const m = this.#store.get();
    const head = m.robot?.head;
    if (head === undefined || !mayUse(m, 'head') || isStopped(m) || isBaseLost(m)) return;
    this.#target = clampAngles(to, head);
    this.#neck.ask(this.#target, now());
    if (this.#timer === 0) this.#send();
  }

  // step turns it by one press of a button.
  step(direction: string): void {
    this.#turn([direction], STEP);
  }

  // pressKey returns false for a key that does not turn the head. After a cancelled hold, repeats of the
  // key do nothing until it is pressed again.
  pressKey(code: string, repeats: boolean): boolean {
    if (!(code in KEYS)) return false;
    if (!repeats) this.#keys.add(code);
    return true;
  }

  releaseKey(code: string): void {
    this.#keys.delete(code);
  }

  releaseKeys(): void {
    this.#keys.clear();
  }

  // advance turns it for dt seconds by the held keys, and returns its angles at page time t.
  advance(t: number, dt: number, seen: Angles, speed: number): Angles {
    if (this.#keys.size > 0)
      this.#turn(
        [...this.#keys].map((code) => KEYS[code] ?? ''),
        RATE * dt,
      );
    return this.#neck.advance(t, seen, speed);
  }

  // forget drops the request: the head stays where it is seen.
  forget(): void {
    this.#target = null;
  }

  // pass hands the head over to another user.
  pass(): void {
    this.releaseKeys();
    this.forget();
    this.halt();
  }

  // halt is called at a stop, which holds the head where it is.
  halt(): void {
    this.#neck.ask(null, 0);
  }

  #turn(directions: readonly string[], by: number): void {
    let [pan, tilt] = this.target();
    for (const direction of directions) {
      const [left, up] = TURNS[direction] ?? [0, 0];
      pan += left * by;
      tilt += up * by;
    }
    this.lookAt([pan, tilt]);
  }

  #send(): void {
    this.#timer = 0;
    const m = this.#store.get();
    if (this.#target === null || !mayUse(m, 'head')) return;
    const wait = this.#sentAt + ORDER_MS - performance.now();
    if (wait > 0) {
      this.#timer = window.setTimeout(() => this.#send(), wait);
      return;
    }
    this.#sentAt = performance.now();
    const [pan, tilt] = this.#target;
    void this.#link.ask({ type: 'look', ...numbered(m, 'head'), pan: round(pan), tilt: round(tilt) });
  }
}

function round(angle: number): number {
  return Math.round(angle * 1e4) / 1e4;
}
