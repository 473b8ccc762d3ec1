// Changes of the simulated world by a person: obstacles, doors, a disturbed compass, and the robot carried
// elsewhere. The robot is not informed.
import { mountKeys } from './keys.ts';
import { Pointer } from './pointer.ts';
import { nameOfDoor, nameOfThing, type Tool, WorldState } from './world-state.ts';
import { battery, world as words } from '../../strings.json';
import { clone, pick, setText, under } from '../dom.ts';
import { hasControl, type Model } from '../store.ts';
import type { Context } from '../context.ts';
import { percent } from '../topbar/view.ts';
import { say } from '../words.ts';

const HOW: Readonly<Record<Tool, string>> = {
  hand: words.howHand,
  obstacle: words.howObstacle,
  magnet: words.howMagnet,
  carry: words.howCarry,
};

const ANSWER_MS = 1000; // until the robot has what a key has chosen

export function mountWorld(context: Context): void {
  const card = new WorldCard(context);
  context.store.subscribe((m, before) => card.follow(m, before));
  card.look(context.store.get());
}

class WorldCard {
  readonly #context: Context;
  readonly #state: WorldState;
  readonly #card = pick('#world');
  readonly #canvas = pick<HTMLCanvasElement>('#map');
  readonly #says = pick('#world-says');
  readonly #size = pick<HTMLInputElement>('#world-size');
  readonly #charge = pick<HTMLInputElement>('#world-charge');
  readonly #things = pick('#world-things');
  readonly #doors = pick('#world-doors');
  #charged = -Infinity; // ms, when a person last moved the slider of the charge
  readonly #tools = [...this.#card.querySelectorAll<HTMLButtonElement>('[data-tool]')];

  constructor(context: Context) {
    this.#context = context;
    this.#state = new WorldState(context, () => this.#paint());
    new Pointer(this.#state, context.stage, () => this.#paint());
    mountKeys(this.#canvas, this.#state, context.stage, () => this.#remove(this.#state.chosen));
    this.#listen();
  }

  // look opens or closes the card, according to the page's tool.
  look(m: Readonly<Model>): void {
    const state = this.#state;
    const wanted = m.tool === 'world' && hasControl(m);
    if (wanted === state.open) return;
    state.open = wanted;
    state.drop();
    if (wanted) this.#context.voice.say(words.openedCard);
    this.#paint();
  }

  follow(m: Readonly<Model>, before: Readonly<Model>): void {
    if (m.tool !== before.tool || m.holder !== before.holder || m.elsewhere !== before.elsewhere) this.look(m);
    if (!this.#state.open) return;
    if (m.state?.battery !== before.state?.battery) this.#paintCharge();
    if (m.world === before.world) return;
    this.#state.meet();
    this.#paint();
  }

  #listen(): void {
    const state = this.#state;
    for (const b of this.#tools) b.onclick = () => state.choose(b.dataset['tool'] as Tool);
    this.#size.oninput = () => {
      const kind = state.sized();
      if (kind !== null) state.sizes[kind] = this.#size.valueAsNumber;
      this.#paint();
    };
    this.#charge.oninput = () => {
      this.#charged = performance.now();
      this.#paintCharge(this.#charge.valueAsNumber);
    };
    this.#charge.onchange = () => state.charge(this.#charge.valueAsNumber);
    pick('[data-do=ok]', this.#card).onclick = () => state.pressOK();
    pick('[data-do=close]', this.#card).onclick = () => this.#context.store.set({ tool: null });
    this.#things.onclick = (e) => {
      const b = under(e, 'button');
      const n = Number(b?.closest<HTMLElement>('li')?.dataset['thing']);
      if (b?.dataset['do'] === 'remove') this.#remove(n);
      else if (b !== null) this.#choose(n);
    };
    this.#doors.onclick = (e) => {
      const row = under(e, 'button')?.closest('li');
      if (row) state.toggleDoor(Number(row.dataset['door']));
    };
  }

  #choose(n: number): void {
    const thing = this.#state.thing(n);
    if (thing === null) return;
    this.#state.chosen = n;
    this.#state.tool = 'hand';
    this.#context.stage.reveal(thing.at);
    this.#canvas.focus();
    this.#paint();
  }

  // remove removes an obstacle or magnet; false: there is none.
  #remove(n: number | null): boolean {
    const thing = this.#state.thing(n);
    if (thing === null) return false;
    this.#state.remove(thing);
    this.#canvas.focus();
    return true;
  }

  #paint(): void {
    const { open, tool, fault } = this.#state;
    this.#card.hidden = !open;
    this.#context.stage.redraw();
    if (!open) return;
    for (const b of this.#tools) b.setAttribute('aria-pressed', String(b.dataset['tool'] === tool));
    this.#paintSize();
    this.#paintCharge();
    setText(this.#says, fault || HOW[tool]);
    this.#says.classList.toggle('bad', fault !== '');
    this.#paintThings();
    this.#paintDoors();
  }

  #paintSize(): void {
    const size = this.#size;
    const kind = this.#state.sized();
    size.closest('label')!.hidden = kind === null;
    if (kind === null) return;
    const [min, max] = [Number(size.min), Number(size.max)];
    size.valueAsNumber = this.#state.sizes[kind];
    size.style.setProperty('--at', ((size.valueAsNumber - min) / (max - min)).toFixed(3));
    setText(pick('output', this.#card), say(words.sizeValue, { m: size.valueAsNumber.toFixed(2) }));
  }

  // paintCharge shows the battery's charge as measured, or as chosen while the slider is moved: a charge that
  // was measured before the robot got the last key would move it back.
  #paintCharge(chosen: number | null = null): void {
    const measured = this.#state.model().state?.battery.charge ?? null;
    const at = chosen ?? (measured === null ? null : percent(measured));
    const moved = this.#charge.matches(':active') || performance.now() < this.#charged + ANSWER_MS;
    if (at === null || (chosen === null && moved)) return;
    this.#charge.value = String(at);
    this.#charge.style.setProperty('--at', String(at / 100));
    setText(pick('output', this.#charge.closest('label')!), say(battery.percent, { percent: at }));
  }

  #paintThings(): void {
    const things = this.#state.model().world?.things ?? [];
    const rows = rowsOf(
      this.#things,
      't-thing',
      'thing',
      things.map(({ thing }) => thing),
    );
    things.forEach((thing, i) => {
      const row = rows[i]!;
      const name = nameOfThing(thing);
      setText(pick('button:first-child', row), name);
      pick('[data-do=remove]', row).setAttribute('aria-label', say(words.removeNamed, { name }));
      pick('button', row).setAttribute('aria-pressed', String(thing.thing === this.#state.chosen));
    });
  }

  #paintDoors(): void {
    const m = this.#state.model();
    const closed = this.#state.closed();
    const rows = rowsOf(
      this.#doors,
      't-door',
      'door',
      m.plan.doors.map((_, i) => i),
    );
    rows.forEach((row, i) => {
      const name = nameOfDoor(m, i);
      setText(pick('span', row), name);
      pick('button', row).setAttribute('aria-checked', String(closed[i] === true));
      pick('button', row).setAttribute('aria-label', say(words.closedNamed, { name }));
    });
  }
}

// rowsOf gives the list one row per key, in order; a row that remains keeps the focus.
function rowsOf(list: HTMLElement, template: string, key: string, numbers: readonly number[]): HTMLElement[] {
  const old = new Map([...list.querySelectorAll<HTMLElement>('li')].map((row) => [row.dataset[key], row]));
  const rows = numbers.map((n) => {
    const id = String(n);
    const row = old.get(id) ?? clone<HTMLElement>(template);
    row.dataset[key] = id;
    if (!old.delete(id)) list.append(row);
    return row;
  });
  for (const row of old.values()) row.remove();
  return rows;
}
