// DrivePanel: the inputs, the speed and their settings.
import type { Driver } from './driver.ts';
import { hintOf } from './hint.ts';
import type { Thumb } from './joystick.ts';
import { wayOf } from './keys.ts';
import { limitsOf, speedLimitOf } from './limits.ts';
import type { Way } from './stepmove.ts';
import { circle } from './stick.ts';
import { mark, pick, setText, toggle } from '../dom.ts';
import { mayDrive, type Model, type Store } from '../store.ts';
import { say, words } from '../words.ts';

export class DrivePanel {
  readonly #root: HTMLElement;
  readonly #store: Store;
  readonly #driver: Driver;
  readonly #strong = document.createElement('b');
  readonly #text = document.createElement('span');
  readonly #keys: HTMLElement[];
  readonly #wayKeys: HTMLElement;
  readonly #wayPad: HTMLElement;
  readonly #limit: HTMLInputElement;
  readonly #stepMoves: HTMLElement;
  readonly #steps: HTMLButtonElement[];
  readonly #touch = matchMedia('(pointer: coarse)');
  #painted: unknown[] = [];

  constructor(root: HTMLElement, store: Store, driver: Driver) {
    this.#root = root;
    this.#store = store;
    this.#driver = driver;
    this.#keys = [...root.querySelectorAll<HTMLElement>('[data-key]')];
    this.#wayKeys = pick('[data-way=keys]', root);
    this.#wayPad = pick('[data-way=pad]', root);
    this.#limit = pick('input[type=range]', root);
    this.#stepMoves = pick('[role=switch]', root);
    this.#steps = [...root.querySelectorAll<HTMLButtonElement>('[data-step]')];
    pick('.how', root).replaceChildren(this.#strong, this.#text);
    for (const b of this.#steps) b.onclick = () => driver.startStep(b.dataset['step'] as Way);
    this.#stepMoves.onclick = () => {
      driver.forget(); // in steps, keys are not held
      const { prefs } = store.get();
      store.set({ prefs: { ...prefs, stepMoves: !prefs.stepMoves } });
    };
    this.#limit.oninput = () => {
      const speedLimit = this.#limit.valueAsNumber;
      const { prefs, suggested } = store.get();
      store.set({ prefs: { ...prefs, speedLimit }, faster: speedLimit > suggested });
    };
    this.#limit.onchange = () => {
      store.note('drive', say(words.drive.logLimit, { v: limitsOf(store.get()).v.toFixed(2) }));
    };
  }

  paint(): void {
    const m = this.#store.get();
    const driver = this.#driver;
    const owner = driver.owner();
    const may = mayDrive(m);
    toggle(this.#root, 'driving', owner !== null);
    toggle(this.#root, 'off', !may);
    mark(driver.joystick.area, 'blocked', m.blockedBy ?? '');
    driver.joystick.show(owner === null ? null : owner === 'stick' ? driver.joystick.thumb : this.#knob(m));
    const { strong, text } = hintOf(m, owner, driver.lost(), this.#touch.matches);
    setText(this.#strong, strong);
    setText(this.#text, strong === '' ? text : ` ${text}`);
    const ways = owner === 'keys' || owner === 'step' ? driver.keyboard.keys.down.map(wayOf) : [];
    for (const key of this.#keys) key.classList.toggle('on', ways.includes(key.dataset['key'] as 'W'));
    this.#wayKeys.classList.toggle('on', owner === 'keys');
    this.#wayPad.classList.toggle('on', owner === 'pad');
    const w = words.drive;
    setText(pick('span', this.#wayPad), m.pad ? (owner === 'pad' ? w.padDriving : w.padReady) : w.padNone);
    const key = [m.prefs, m.robot, may, driver.step(), m.suggested, m.faster];
    if (key.some((k, i) => k !== this.#painted[i])) this.#paintPrefs(m, may);
    this.#painted = key;
  }

  // knob returns the position of the stick's knob while another input drives: the deflection of the last
  // sample.
  #knob(m: Readonly<Model>): Thumb {
    const limit = limitsOf(m);
    const { v, w } = this.#driver.sent();
    const [x, y] = circle(-w / limit.w, -v / limit.v);
    return { x, y };
  }

  #paintPrefs(m: Readonly<Model>, may: boolean): void {
    const { prefs, robot } = m;
    const input = this.#limit;
    const max = robot?.drive[0] ?? Number(input.max);
    const min = Number(input.min);
    if (input.max !== String(max)) input.max = String(max);
    const limit = Math.min(speedLimitOf(m), max);
    if (input.valueAsNumber !== limit) input.valueAsNumber = limit;
    const v = limit.toFixed(2);
    input.style.setProperty('--at', ((limit - min) / (max - min)).toFixed(3));
    setText(pick('output', this.#root), say(words.drive.limitValue, { v }));
    input.setAttribute('aria-valuetext', say(words.drive.limitSpoken, { v }));
    this.#stepMoves.setAttribute('aria-checked', String(prefs.stepMoves));
    this.#driver.joystick.area.hidden = prefs.stepMoves;
    pick('.stepper', this.#root).hidden = !prefs.stepMoves;
    const way = this.#driver.step()?.way;
    for (const b of this.#steps) {
      b.disabled = !may;
      b.classList.toggle('on', way !== undefined && way === b.dataset['step']);
    }
  }
}
