// Joystick: the stick on the screen, moved by one pointer.
import { circle } from './stick.ts';
import { pick } from '../dom.ts';

export interface Thumb {
  x: number; // of the unit circle: 1 at the end of the knob's travel, x right, y down
  y: number;
}

export class Joystick {
  readonly area: HTMLElement;
  thumb: Thumb | null = null; // null: not held
  readonly #knob: HTMLElement;
  #pointer = 0; // id, while it is held
  #travel = 0; // px, from the centre to the end of the knob's travel; 0: not measured yet
  #shown = '';

  // may reports whether the stick may be grabbed now; changed is called at every move.
  constructor(root: HTMLElement, may: () => boolean, changed: () => void) {
    const area = (this.area = pick('.joy', root));
    this.#knob = pick('.knob', area);
    new ResizeObserver(() => {
      this.#travel = 0;
    }).observe(area);
    area.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || this.thumb !== null || !may()) return;
      e.preventDefault();
      area.setPointerCapture(e.pointerId);
      this.#pointer = e.pointerId;
      this.thumb = this.#at(e);
      changed();
    });
    area.addEventListener('pointermove', (e) => {
      if (!this.#holds(e)) return;
      this.thumb = this.#at(e);
      changed();
    });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      area.addEventListener(name, (e) => {
        if (!this.#holds(e)) return;
        this.thumb = null;
        changed();
      });
    }
    area.addEventListener('contextmenu', (e) => e.preventDefault());
  }

  // show moves the knob.
  show(to: Thumb | null): void {
    const [x, y] = to === null ? [0, 0] : circle(to.x, to.y);
    const at = `${x} ${y}`;
    if (at === this.#shown) return;
    this.#shown = at;
    const far = x === 0 && y === 0 ? 0 : this.#reach();
    const { style } = this.area;
    style.setProperty('--x', (x * far).toFixed(1));
    style.setProperty('--y', (y * far).toFixed(1));
    style.setProperty('--reach', (Math.hypot(x, y) * far).toFixed(1));
    style.setProperty('--aim', `${Math.atan2(y, x).toFixed(3)}rad`);
  }

  #holds(e: PointerEvent): boolean {
    return this.thumb !== null && e.pointerId === this.#pointer;
  }

  #at(e: PointerEvent): Thumb {
    const r = this.area.getBoundingClientRect();
    const reach = this.#reach();
    return { x: (e.clientX - r.left - r.width / 2) / reach, y: (e.clientY - r.top - r.height / 2) / reach };
  }

  #reach(): number {
    return (this.#travel ||= (this.area.clientWidth - this.#knob.clientWidth) / 2);
  }
}
