// GamepadReader polls the gamepads while one is connected.
import { noPad, type Pad, readPad } from './pad.ts';

export class GamepadReader {
  pad: Pad = noPad;
  readonly #changed: (pad: Pad, before: Pad) => void;
  #frame = 0; // animation frame of the next poll; 0: none is requested

  // changed is called at every poll.
  constructor(changed: (pad: Pad, before: Pad) => void) {
    this.#changed = changed;
  }

  start(): void {
    const wake = () => {
      if (this.#frame === 0) this.#poll();
    };
    window.addEventListener('gamepadconnected', wake);
    window.addEventListener('gamepaddisconnected', () => {
      cancelAnimationFrame(this.#frame);
      this.#poll();
    });
    wake();
  }

  #poll(): void {
    this.#frame = 0;
    const before = this.pad;
    this.pad = readPad(navigator.getGamepads?.() ?? [], before);
    this.#changed(this.pad, before);
    if (this.pad.here) this.#frame = requestAnimationFrame(() => this.#poll());
  }
}
