// What a person does to the simulated world: things in the way, doors, a wrong compass, and the robot carried elsewhere.
// The robot is told nothing of it.
import { drawThing, type Thing } from './marks.ts';
import { doorAt, roomOf } from './rooms.ts';
import { world as words } from '../../strings.json';
import { clone, pick, setText, under } from '../dom.ts';
import { typesIn } from '../field.ts';
import { type Aim, drag, grasp, neat, nudge } from '../goto/aim.ts';
import { drawDial, drawHull } from '../goto/marks.ts';
import type { Order } from '../link/index.ts';
import type { Touch } from '../map/stage.ts';
import { hasControl, mayAct, type Model } from '../store.ts';
import type { Context } from '../context.ts';
import { isTaken } from '../result.ts';
import { say } from '../words.ts';
import type { Point, Pose } from '../wire.ts';

type Tool = 'hand' | 'obstacle' | 'magnet' | 'carry';

const HOW: Readonly<Record<Tool, string>> = {
  hand: words.howHand,
  obstacle: words.howObstacle,
  magnet: words.howMagnet,
  carry: words.howCarry,
};
const GRAB = 12; // px beside a thing
const DOOR = 0.3; // m beside a door's leaf

export function mountWorld({ store, link, stage, voice }: Context): void {
  const card = pick('#world');
  const canvas = pick<HTMLCanvasElement>('#map');
  const says = pick('#world-says');
  const size = pick<HTMLInputElement>('#world-size');
  const sizeText = pick('output', card);
  const things = pick('#world-things');
  const doors = pick('#world-doors');
  const tools = [...card.querySelectorAll<HTMLButtonElement>('[data-tool]')];
  const sizes: Record<'obstacle' | 'magnet', number> = { obstacle: 0.25, magnet: 1 };

  let open = false;
  let tool: Tool = 'hand';
  let chosen: number | null = null; // the thing that the keys move
  let steps: Thing | null = null; // the chosen thing where the keys have it, while the world is still to tell
  let pressed = false; // a pointer is down
  let held: { thing: Thing; off: Point } | null = null;
  let aim: Aim | null = null; // of the robot that is carried
  let cursor: Pose | null = null; // where the keys put something
  let fault = '';

  const thingOf = (m: Readonly<Model>, n: number | null) => m.world?.things.find((t) => t.thing === n) ?? null;
  const closed = (m: Readonly<Model>) => (m.world?.doors ?? []).map((d) => d.closed);

  // change sends one change of the world and shows what is said against it. What was held is shown where it was let go
  // until the world tells where it is.
  function change(order: Extract<Order, { type: 'world' }>, done: string): void {
    if (!mayAct(store.get())) {
      held = aim = steps = null;
      return;
    }
    const sent = [held, aim, steps] as const;
    void link.ask(order).then(({ word, reason }) => {
      fault = isTaken({ word }) ? '' : reason;
      voice.say(fault || done);
      if (aim === sent[1]) aim = null;
      if (fault !== '' && held === sent[0]) held = null;
      if (fault !== '' && steps === sent[2]) steps = null;
      paint();
    });
  }

  function put(kind: 'obstacle' | 'magnet', at: Point): void {
    change({ type: 'world', action: 'put', kind, at, radius: sizes[kind] }, say(words.put, { name: words[kind] }));
  }

  function carry(pose: Pose): void {
    change({ type: 'world', action: 'carry', pose: neat(pose) }, words.carried);
  }

  function toggleDoor(i: number): void {
    const m = store.get();
    const door = m.plan.doors[i];
    if (!door) return;
    const shut = !closed(m)[i];
    change(
      { type: 'world', action: 'door', door: i, closed: shut },
      say(shut ? words.shut : words.opened, { name: doorName(m, i) }),
    );
  }

  // ---- the map ----

  function thingAt(m: Readonly<Model>, touch: Touch): Thing | null {
    let best: Thing | null = null;
    let least = GRAB + (touch.finger ? 10 : 0);
    for (const thing of m.world?.things ?? []) {
      const [x, y] = stage.screen(thing.at);
      const [edge] = stage.screen([thing.at[0] + thing.radius, thing.at[1]]);
      // A magnet is held by its middle: its rim may lie round everything.
      const radius = thing.kind === 'magnet' ? 0 : edge - x;
      const off = Math.hypot(touch.x - x, touch.y - y) - radius;
      if (off < least) [best, least] = [thing, off];
    }
    return best;
  }

  stage.grip({
    take(touch) {
      const m = store.get();
      if (!open || !mayAct(m)) return false;
      fault = '';
      const thing = tool === 'carry' ? null : thingAt(m, touch);
      if (thing !== null) {
        chosen = thing.thing;
        held = { thing, off: [thing.at[0] - touch.at[0], thing.at[1] - touch.at[1]] };
      } else if (tool === 'carry') {
        aim = grasp(touch, stage.at, null, true, m.state?.pose[2] ?? 0);
      } else if (tool === 'hand') {
        const door = doorAt(m.plan, closed(m), touch.at, DOOR);
        if (door < 0) return false;
        toggleDoor(door);
      } else {
        held = { thing: { thing: 0, kind: tool, at: touch.at, radius: sizes[tool] }, off: [0, 0] };
      }
      cursor = null;
      pressed = true;
      paint();
      return true;
    },
    move(touch) {
      if (held !== null) held.thing = { ...held.thing, at: [touch.at[0] + held.off[0], touch.at[1] + held.off[1]] };
      if (aim !== null) aim = drag(aim, touch, stage.screen(aim.pose));
      stage.redraw();
    },
    end(touch) {
      pressed = false;
      if (touch === null) {
        held = aim = null;
      } else if (aim !== null) {
        carry(aim.pose);
      } else if (held !== null) {
        const { thing } = held;
        const at: Point = [centi(thing.at[0]), centi(thing.at[1])];
        if (thing.thing === 0) put(thing.kind, at);
        else if (was(thing)) held = null;
        else
          change(
            { type: 'world', action: 'move', thing: thing.thing, at },
            say(words.moved, { name: thingName(thing) }),
          );
      }
      paint();
    },
  });

  // was tells whether a thing that was held is where it was.
  function was({ thing, at }: Thing): boolean {
    const now = thingOf(store.get(), thing);
    return now !== null && Math.hypot(now.at[0] - at[0], now.at[1] - at[1]) < 0.02;
  }

  stage.layer('over', (b) => {
    const m = store.get();
    if (!open) return;
    const mark = thingOf(m, chosen);
    if (held !== null) drawThing(b, held.thing, true);
    else if (mark !== null) drawThing(b, mark, true);
    const pose = aim?.pose ?? (tool === 'carry' ? cursor : null);
    if (pose !== null && m.robot !== null) {
      drawDial(b, pose, false);
      drawHull(b, pose, m.robot);
    } else if (cursor !== null && (tool === 'obstacle' || tool === 'magnet')) {
      drawThing(b, { kind: tool, at: [cursor[0], cursor[1]], radius: sizes[tool] }, true);
    }
  });

  // ---- keys ----

  canvas.addEventListener(
    'keydown',
    (e) => {
      const m = store.get();
      if (
        !open ||
        e.defaultPrevented ||
        e.ctrlKey ||
        e.altKey ||
        e.metaKey ||
        m.dialog ||
        typesIn(e.target) ||
        !mayAct(m)
      )
        return;
      const thing = steps?.thing === chosen ? steps : thingOf(m, chosen);
      if (e.code === 'Delete' || e.code === 'Backspace') {
        if (thing === null) return;
        removeThing(thing);
      } else if (tool === 'hand') {
        const to = thing === null ? null : nudge([...thing.at, 0], e.code, e.shiftKey);
        if (thing === null || to === null || e.code === 'KeyQ' || e.code === 'KeyE') return;
        stage.reveal([to[0], to[1]]);
        steps = { ...thing, at: [to[0], to[1]] };
        change(
          { type: 'world', action: 'move', thing: thing.thing, at: [to[0], to[1]] },
          say(words.moved, { name: thingName(thing) }),
        );
      } else if (e.code === 'Enter') {
        if (cursor === null) return;
        if (tool === 'carry') carry(cursor);
        else put(tool, [cursor[0], cursor[1]]);
        cursor = null;
      } else {
        const next = nudge(cursor ?? neat(m.state?.pose ?? [0, 0, 0]), e.code, e.shiftKey);
        if (next === null) return;
        cursor = next;
        stage.reveal([next[0], next[1]]);
        stage.redraw();
      }
      e.preventDefault();
    },
    { capture: true },
  );

  // ---- the card ----

  for (const b of tools) {
    b.onclick = () => {
      tool = b.dataset['tool'] as Tool;
      cursor = null;
      fault = '';
      paint();
    };
  }
  size.oninput = () => {
    if (tool === 'obstacle' || tool === 'magnet') sizes[tool] = size.valueAsNumber;
    paint();
  };
  pick('[data-do=ok]', card).onclick = () => change({ type: 'world', action: 'ok' }, words.okPressed);
  pick('[data-do=close]', card).onclick = () => store.set({ tool: null });
  things.onclick = (e) => {
    const b = under(e, 'button');
    const thing = thingOf(store.get(), Number(b?.closest<HTMLElement>('li')?.dataset['thing']));
    if (b === null || thing === null) return;
    if (b.dataset['do'] === 'remove') {
      removeThing(thing);
      return;
    }
    chosen = thing.thing;
    tool = 'hand';
    stage.reveal(thing.at);
    canvas.focus();
    paint();
  };
  doors.onclick = (e) => {
    const row = under(e, 'button')?.closest('li');
    if (row) toggleDoor(Number(row.dataset['door']));
  };

  function removeThing(thing: Thing): void {
    change({ type: 'world', action: 'remove', thing: thing.thing }, say(words.removed, { name: thingName(thing) }));
    canvas.focus();
  }

  function paint(): void {
    const m = store.get();
    card.hidden = !open;
    stage.redraw();
    if (!open) return;
    for (const b of tools) b.setAttribute('aria-pressed', String(b.dataset['tool'] === tool));
    const sized = tool === 'obstacle' || tool === 'magnet';
    size.closest('label')!.hidden = !sized;
    if (sized) {
      size.valueAsNumber = sizes[tool as 'obstacle' | 'magnet'];
      size.style.setProperty(
        '--at',
        ((size.valueAsNumber - Number(size.min)) / (Number(size.max) - Number(size.min))).toFixed(3),
      );
      setText(sizeText, say(words.sizeValue, { m: size.valueAsNumber.toFixed(2) }));
    }
    setText(says, fault || HOW[tool]);
    says.classList.toggle('bad', fault !== '');
    rows(
      things,
      't-thing',
      m.world?.things ?? [],
      'thing',
      ({ thing }) => thing,
      (row, thing) => {
        setText(pick('button:first-child', row), thingName(thing));
        pick('[data-do=remove]', row).setAttribute('aria-label', say(words.removeNamed, { name: thingName(thing) }));
        pick('button', row).setAttribute('aria-pressed', String(thing.thing === chosen));
      },
    );
    rows(
      doors,
      't-door',
      m.plan.doors,
      'door',
      (_, i) => i,
      (row, _, i) => {
        setText(pick('span', row), doorName(m, i));
        pick('button', row).setAttribute('aria-checked', String(closed(m)[i] === true));
        pick('button', row).setAttribute('aria-label', say(words.closedNamed, { name: doorName(m, i) }));
      },
    );
  }

  // rows keeps a list with one row for each of what there is; a row that stays keeps the focus.
  function rows<T>(
    list: HTMLElement,
    template: string,
    all: readonly T[],
    key: string,
    idOf: (t: T, i: number) => number,
    fill: (row: HTMLElement, t: T, i: number) => void,
  ): void {
    const old = new Map([...list.querySelectorAll<HTMLElement>('li')].map((row) => [row.dataset[key], row]));
    all.forEach((t, i) => {
      const id = String(idOf(t, i));
      const row = old.get(id) ?? clone<HTMLElement>(template);
      row.dataset[key] = id;
      if (!old.delete(id)) list.append(row);
      fill(row, t, i);
    });
    for (const row of old.values()) row.remove();
  }

  function thingName({ thing, kind }: Thing): string {
    return say(words.named, { name: words[kind], n: thing });
  }

  function doorName(m: Readonly<Model>, i: number): string {
    const door = m.plan.doors[i];
    const room = door ? roomOf(m.plan, door) : '';
    return room === '' ? say(words.doorNumber, { n: i + 1 }) : say(words.doorOf, { room });
  }

  function look(m: Readonly<Model>): void {
    const want = m.tool === 'world' && hasControl(m);
    if (want === open) return;
    open = want;
    held = aim = cursor = null;
    fault = '';
    if (open) voice.say(words.openedCard);
    paint();
  }

  store.subscribe((m, before) => {
    if (m.tool !== before.tool || m.holder !== before.holder || m.elsewhere !== before.elsewhere) look(m);
    if (open && m.world !== before.world) {
      if (thingOf(m, chosen) === null) chosen = null;
      if (!pressed) held = null;
      const told = thingOf(m, steps?.thing ?? null);
      if (told === null || (steps !== null && Math.hypot(told.at[0] - steps.at[0], told.at[1] - steps.at[1]) < 0.005))
        steps = null;
      paint();
    }
  });
  look(store.get());
}

function centi(metres: number): number {
  return Math.round(metres * 100) / 100;
}
