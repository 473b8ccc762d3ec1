// Keyboard: the held driving keys.
import type { Driver } from './driver.ts';
import { isDriveKey, type Keys, noKeys, press, release, wayOf } from './keys.ts';
import type { Way } from './stepmove.ts';
import { typesIn } from '../field.ts';
import { now, type Store } from '../store.ts';

const STEP_OF_KEY: Readonly<Record<'W' | 'A' | 'S' | 'D', Way>> = { W: 'ahead', A: 'left', S: 'back', D: 'right' };

export class Keyboard {
  keys: Keys = noKeys;
  readonly #driver: Driver;

  constructor(store: Store, driver: Driver) {
    this.#driver = driver;
    document.addEventListener('keydown', (e) => {
      const m = store.get();
      if (e.key === 'Meta') {
        driver.forget(); // the system reports no releases of other keys while this one is down
        return;
      }
      this.#setSlow(e.shiftKey);
      if (!isDriveKey(e.code) || e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || m.dialog || keepsKeys(e))
        return;
      e.preventDefault();
      if (e.repeat) return;
      this.keys = press(this.keys, e.code, now());
      const way = wayOf(e.code);
      if (m.prefs.stepMoves && way !== null) driver.startStep(STEP_OF_KEY[way]);
      else driver.pump();
    });
    document.addEventListener('keyup', (e) => {
      this.#setSlow(e.shiftKey);
      if (!this.keys.down.includes(e.code)) return;
      this.keys = release(this.keys, e.code, now());
      driver.pump();
    });
  }

  #setSlow(slow: boolean): void {
    if (this.keys.slow === slow) return;
    this.keys = { ...this.keys, slow };
    if (this.#driver.owner() === 'keys') this.#driver.pump();
  }
}

// keepsKeys reports whether the focused element needs the key itself: a field or a list needs every driving
// key; the map, the camera's picture, a slider or a row of tools the arrows.
function keepsKeys(e: KeyboardEvent): boolean {
  if (typesIn(e.target)) return true;
  if (!(e.target instanceof Element)) return false;
  if (e.target.closest('select, [role=listbox]') !== null) return true;
  const arrows = 'input, [role=application], [role=toolbar], [role=slider]';
  return e.code.startsWith('Arrow') && e.target.closest(arrows) !== null;
}
