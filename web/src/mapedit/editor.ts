// The map editor: via points, edges and places are changed on the map, and saved on the robot when a person says so.
// What is not saved stays in this tab. Nothing here moves the robot.
import { drawSketch, hit } from './marks.ts';
import { type Misfit, misfitsOf, ClearanceMap } from './clearance.ts';
import { send } from './send.ts';
import {
  addPlace,
  addVia,
  begin,
  connect,
  done,
  has,
  type History,
  type Item,
  itemsOf,
  moveTo,
  pointOf,
  readHistory,
  redo,
  remove,
  rename,
  sameItem,
  sameSketch,
  setWay,
  type Sketch,
  split,
  sketchOf,
  turnTo,
  undo,
  type Way,
  wayOf,
} from './sketch.ts';
import { mapedit as words } from '../../strings.json';
import { pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import type { Touch } from '../map/stage.ts';
import { hasControl, mayAct, type Model } from '../store.ts';
import { wrap } from '../virtualrobot/step.ts';
import { type Context, DRAFT } from '../context.ts';
import { say } from '../words.ts';
import type { Point } from '../wire.ts';

type Tool = 'move' | 'via' | 'edge' | 'place';

// Hold is what the pointer does until it is let go.
interface Hold {
  way: 'move' | 'turn' | 'aim' | 'edge';
  item: Item;
  off: Point; // m, from the pointer to the item
  press: Point; // px, where it went down
  far: boolean; // it moved farther than a click does
}

const HOW: Readonly<Record<Tool, string>> = {
  move: words.howMove,
  via: words.howVia,
  edge: words.howEdge,
  place: words.howPlace,
};
const CLICK = 5; // px
const AIM = 12; // px that a place is dragged before it turns
const TICK = Math.PI / 12; // rad
const ADDRESS = '/api/v1/map';

export function mountEditor({ store, stage, voice }: Context): void {
  const card = pick('#mapedit');
  const canvas = pick<HTMLCanvasElement>('#map');
  const changed = pick('#mapedit-changed');
  const says = pick('#mapedit-says');
  const form = pick<HTMLFormElement>('#mapedit-item');
  const title = pick('#mapedit-kind');
  const nameField = pick<HTMLInputElement>('#mapedit-name');
  const numbers = ['#mapedit-x', '#mapedit-y', '#mapedit-deg'].map((q) => pick<HTMLInputElement>(q));
  const wayField = pick<HTMLSelectElement>('#mapedit-way');
  const tools = [...card.querySelectorAll<HTMLButtonElement>('[data-tool]')];
  const button = (name: string) => pick<HTMLButtonElement>(`[data-do=${name}]`, card);

  let open = false;
  let history: History = restored() ?? begin(sketchOf(store.get().plan));
  let live: Sketch | null = null; // while something is dragged
  let chosen: Item | null = null;
  let tool: Tool = 'move';
  let hold: Hold | null = null;
  let from: number | null = null; // the via point at which an edge begins
  let rubber: Point | null = null; // where it ends for now
  let saving = false;
  let fault = ''; // what the robot says against what was to be saved
  let walls = store.get().plan.walls;
  let clearance = new ClearanceMap(store.get().plan);
  let judged: { of: Sketch; misfits: Misfit[] } | null = null;

  const sketch = () => live ?? history.now;
  const dirty = (m = store.get()) => !sameSketch(history.now, sketchOf(m.plan));
  const misfits = (): Misfit[] => {
    if (judged?.of !== sketch()) judged = { of: sketch(), misfits: misfitsOf(sketch(), clearance) };
    return judged.misfits;
  };

  // ---- changes ----

  function change(next: Sketch, item: Item | null = chosen): void {
    live = null;
    history = done(history, next);
    fault = '';
    choose(has(history.now, item) ? item : null);
    keep();
  }

  function choose(item: Item | null): void {
    chosen = item;
    paint();
  }

  function travel(step: (h: History) => History): void {
    if (hold !== null) return;
    history = step(history);
    fault = '';
    from = rubber = null;
    choose(has(history.now, chosen) ? chosen : null);
    keep();
  }

  function drop(): void {
    if (chosen === null) return;
    const name = titleOf(chosen);
    change(remove(history.now, chosen), null);
    voice.say(say(words.removed, { name }));
  }

  // keep writes what is not saved into this tab, where a reload finds it.
  function keep(): void {
    try {
      if (dirty()) sessionStorage.setItem(DRAFT, JSON.stringify(history));
      else sessionStorage.removeItem(DRAFT);
    } catch {
      // Then it is gone with the page.
    }
  }

  async function save(): Promise<void> {
    const m = store.get();
    if (saving || !dirty(m) || !mayAct(m)) return;
    saving = true;
    paint();
    const { via, edges, places } = history.now;
    fault = await send('PUT', ADDRESS, { lease: m.epoch, via, edges, places });
    saving = false;
    if (fault === '') {
      const now: Sketch = { via, edges, places };
      store.set({ plan: { ...store.get().plan, ...now } });
      store.toast(words.saved, 'SUCCESS');
    } else {
      store.note('warn', fault);
    }
    keep();
    paint();
  }

  function discard(): void {
    history = begin(sketchOf(store.get().plan));
    fault = '';
    chosen = null;
    from = rubber = null;
    keep();
    paint();
    voice.say(words.discarded);
  }

  // ---- the map ----

  const screen = (p: Point): Point => {
    const { x, y } = stage.touch(p);
    return [x, y];
  };

  stage.layer('floor', (b) => {
    if (!open) return;
    const start = from === null ? null : pointOf(sketch(), { kind: 'via', id: from });
    drawSketch(
      b,
      sketch(),
      chosen,
      misfits().map((f) => f.item),
      start !== null && rubber !== null ? [start, rubber] : null,
    );
  });

  stage.grip({
    take(touch) {
      if (!open || saving || hold !== null) return false;
      const under = hit(sketch(), chosen, [touch.x, touch.y], touch.finger, screen);
      const press: Point = [touch.x, touch.y];
      if (tool === 'edge' && under?.item.kind === 'via') return takeEdge(under.item, press);
      const onto = under?.item.kind === 'edge' && (tool === 'via' || tool === 'place') ? under.item.ends : null; // what is put there, not the edge, is meant
      if (under !== null && onto === null) {
        const at = pointOf(sketch(), under.item) ?? touch.at;
        hold = {
          way: under.tip ? 'turn' : 'move',
          item: under.item,
          off: [at[0] - touch.at[0], at[1] - touch.at[1]],
          press,
          far: false,
        };
        choose(under.item);
        return true;
      }
      if (tool === 'via' || tool === 'place') {
        const at = clearance.offWalls(touch.at);
        const added =
          tool === 'place'
            ? addPlace(sketch(), [...at, 0], words.place)
            : onto !== null
              ? split(sketch(), onto, at)
              : addVia(sketch(), at);
        live = added.sketch;
        hold = { way: tool === 'via' ? 'move' : 'aim', item: added.item, off: [0, 0], press, far: false };
        choose(added.item);
        return true;
      }
      if (chosen !== null || from !== null) {
        from = rubber = null;
        choose(null);
      }
      return false; // the press moves the map
    },
    move: follow,
    end(touch) {
      const held = hold;
      if (held === null) return;
      if (touch !== null) follow(touch);
      hold = null;
      if (touch === null) {
        live = null;
        from = rubber = null;
        choose(has(history.now, chosen) ? chosen : null);
      } else if (held.way === 'edge') {
        endEdge(held, touch);
      } else {
        change(sketch(), held.item);
      }
    },
  });

  // takeEdge begins an edge at a via point, or ends at it the one that was begun by a click.
  function takeEdge(item: Item & { kind: 'via' }, press: Point): true {
    if (from !== null && from !== item.id) {
      join(from, item.id);
      from = item.id; // the next one goes on from here
    } else {
      from = item.id;
      choose(item);
    }
    hold = { way: 'edge', item, off: [0, 0], press, far: false };
    return true;
  }

  function endEdge(held: Hold, touch: Touch): void {
    rubber = null;
    const start = from;
    if (start !== null && moved(held, touch)) {
      const under = hit(sketch(), null, [touch.x, touch.y], touch.finger, screen);
      from = null;
      if (under?.item.kind === 'via') join(start, under.item.id);
    }
    paint();
  }

  function join(a: number, b: number): void {
    const made = connect(history.now, a, b);
    if (made !== null) change(made.sketch, made.item);
  }

  const moved = (h: Hold, touch: Touch) => Math.hypot(touch.x - h.press[0], touch.y - h.press[1]) > CLICK;

  function follow(touch: Touch): void {
    if (hold === null) return;
    hold.far ||= moved(hold, touch);
    if (!hold.far) return;
    const { item } = hold;
    const at: Point = [touch.at[0] + hold.off[0], touch.at[1] + hold.off[1]];
    switch (hold.way) {
      case 'edge':
        rubber = touch.at;
        break;
      case 'move':
        if (item.kind !== 'edge') live = moveTo(sketch(), item, clearance.offWalls(at));
        break;
      case 'turn':
      case 'aim': {
        const [x, y] = screen(pointOf(sketch(), item) ?? at);
        if (hold.way === 'aim' && Math.hypot(touch.x - x, touch.y - y) < AIM) break;
        const theta = Math.atan2(y - touch.y, touch.x - x);
        live = turnTo(sketch(), item, touch.shift ? Math.round(theta / TICK) * TICK : theta);
      }
    }
    paint();
  }

  // ---- keys ----

  document.addEventListener(
    'keydown',
    (e) => {
      const m = store.get();
      if (!open || e.defaultPrevented || m.dialog || typesIn(e.target)) return;
      const here = e.target === canvas;
      if (e.ctrlKey || e.metaKey) {
        const again = e.code === 'KeyY' || (e.code === 'KeyZ' && e.shiftKey);
        if (again) travel(redo);
        else if (e.code === 'KeyZ') travel(undo);
        else if (e.code === 'KeyS') void save();
        else return;
      } else if (e.altKey) {
        return;
      } else if (e.code === 'Escape') {
        if (chosen === null && from === null) return;
        from = rubber = null;
        choose(null);
        return; // and STOP counts it too
      } else if (!here || !key(e)) {
        return;
      }
      e.preventDefault();
    },
    { capture: true },
  );

  // key does what a key means on the map; false when it means nothing there.
  function key(e: KeyboardEvent): boolean {
    switch (e.code) {
      case 'Tab':
        return walk(e.shiftKey ? -1 : 1);
      case 'Delete':
      case 'Backspace':
        drop();
        return true;
      case 'Enter':
        return enter();
      case 'KeyQ':
      case 'KeyE': {
        if (chosen?.kind !== 'place') return false;
        const theta = history.now.places[chosen.n]?.pose[2] ?? 0;
        change(turnTo(history.now, chosen, Math.round(theta / TICK + (e.code === 'KeyQ' ? 1 : -1)) * TICK));
        return true;
      }
    }
    const way = ARROWS[e.code];
    const at = chosen === null || chosen.kind === 'edge' ? null : pointOf(history.now, chosen);
    if (way === undefined || at === null || chosen === null) return false;
    const step = e.shiftKey ? 1 : 0.1;
    change(moveTo(history.now, chosen, [at[0] + way[0] * step, at[1] + way[1] * step]));
    show(chosen);
    return true;
  }

  // walk chooses the next item. Before the first and after the last the focus leaves the map.
  function walk(step: number): boolean {
    const items = itemsOf(history.now);
    const now = items.findIndex((i) => sameItem(i, chosen));
    const next = items[now < 0 ? (step > 0 ? 0 : items.length - 1) : now + step];
    choose(next ?? null); // who comes back begins at the end where they enter
    if (next === undefined) return false;
    show(next);
    return true;
  }

  // enter makes what the tool makes: in the middle of what is seen, or between via points.
  function enter(): boolean {
    if (tool === 'via' || tool === 'place') {
      const at = clearance.offWalls(stage.at(canvas.clientWidth / 2, canvas.clientHeight / 2));
      const added = tool === 'via' ? addVia(history.now, at) : addPlace(history.now, [...at, 0], words.place);
      change(added.sketch, added.item);
      show(added.item);
      return true;
    }
    if (tool !== 'edge' || chosen?.kind !== 'via') return false;
    if (from !== null && from !== chosen.id) {
      join(from, chosen.id);
      from = null;
    } else {
      from = chosen.id;
      voice.say(say(words.edgeFrom, { name: titleOf(chosen) }));
    }
    return true;
  }

  function show(item: Item): void {
    const at = pointOf(history.now, item);
    if (at !== null) stage.reveal(at);
    voice.say(spoken(item));
  }

  // ---- the card ----

  for (const b of tools) {
    b.onclick = () => {
      tool = b.dataset['tool'] as Tool;
      from = rubber = null;
      paint();
    };
  }
  button('undo').onclick = () => travel(undo);
  button('redo').onclick = () => travel(redo);
  button('delete').onclick = () => {
    drop();
    canvas.focus();
  };
  button('save').onclick = () => void save();
  button('discard').onclick = discard;
  button('close').onclick = () => store.set({ tool: null });
  form.onsubmit = (e) => e.preventDefault();
  nameField.onchange = () => {
    if (chosen !== null) change(rename(history.now, chosen, nameField.value.trim()));
  };
  for (const field of numbers) field.onchange = typed;
  wayField.onchange = () => {
    if (chosen?.kind === 'edge') change(setWay(history.now, chosen.ends, wayField.value as Way));
  };

  function typed(): void {
    if (chosen === null || chosen.kind === 'edge') return;
    const [x, y, degrees] = numbers.map((f) => Number(f.value.trim().replace(',', '.').replace('−', '-') || NaN)) as [
      number,
      number,
      number,
    ];
    if (!Number.isFinite(x) || !Number.isFinite(y) || (chosen.kind === 'place' && !Number.isFinite(degrees))) {
      fault = words.numbers;
      paint();
      return;
    }
    change(turnTo(moveTo(history.now, chosen, [x, y]), chosen, wrap((degrees * Math.PI) / 180)));
  }

  function titleOf(item: Item): string {
    const named = (id: number) => history.now.via.find((v) => v.id === id)?.name || String(id);
    switch (item.kind) {
      case 'via':
        return say(words.viaNamed, { name: named(item.id) });
      case 'edge':
        return say(words.edgeNamed, { from: named(item.ends[0]), to: named(item.ends[1]) });
      case 'place':
        return nameOfPlace(history.now.places[item.n]?.name ?? '');
    }
  }

  function spoken(item: Item): string {
    const at = pointOf(history.now, item);
    const misfit = misfits().find((f) => sameItem(f.item, item));
    return (
      say(words.spoken, { name: titleOf(item), x: (at?.[0] ?? 0).toFixed(2), y: (at?.[1] ?? 0).toFixed(2) }) +
      (misfit ? ` ${misfitText(misfit)}` : '')
    );
  }

  function misfitText({ item, clearance }: Misfit): string {
    return say(clearance < 0.02 ? words.inside : words.tight, {
      name: titleOf(item),
      m: Math.max(0, clearance).toFixed(2),
    });
  }

  // status is the one line that tells what matters most now.
  function status(): { text: string; bad: boolean } {
    if (fault !== '') return { text: fault, bad: true };
    const own = misfits().find((f) => sameItem(f.item, chosen)) ?? misfits()[0];
    if (own !== undefined) return { text: misfitText(own), bad: true };
    if (tool === 'edge' && from !== null) return { text: words.edgeNext, bad: false };
    return { text: HOW[tool], bad: false };
  }

  function paint(): void {
    const m = store.get();
    card.hidden = !open;
    stage.redraw();
    if (!open) return;
    for (const b of tools) b.setAttribute('aria-pressed', String(b.dataset['tool'] === tool));
    const d = dirty(m);
    changed.hidden = !d;
    button('undo').disabled = history.past.length === 0;
    button('redo').disabled = history.future.length === 0;
    button('save').disabled = !d || saving || !mayAct(m);
    button('discard').disabled = !d || saving;
    const { text, bad } = status();
    setText(says, text);
    says.classList.toggle('bad', bad);
    form.hidden = chosen === null;
    if (chosen !== null) paintItem(chosen);
  }

  function paintItem(item: Item): void {
    const s = sketch();
    setText(title, titleOf(item));
    const edge = item.kind === 'edge';
    const name =
      item.kind === 'via'
        ? s.via.find((v) => v.id === item.id)?.name
        : item.kind === 'place'
          ? s.places[item.n]?.name
          : '';
    fill(nameField, name ?? '', edge);
    const at = pointOf(s, item) ?? [0, 0];
    const heading = item.kind === 'place' ? ((s.places[item.n]?.pose[2] ?? 0) * 180) / Math.PI : null;
    [at[0].toFixed(2), at[1].toFixed(2), heading === null ? '' : String(Math.round(heading * 100) / 100)].forEach(
      (v, i) => {
        const field = numbers[i];
        if (field) fill(field, v, edge || (i === 2 && heading === null));
      },
    );
    wayField.closest('label')!.hidden = !edge;
    if (edge) {
      const [a, b] = item.ends.map((id) => s.via.find((v) => v.id === id)?.name || String(id)) as [string, string];
      setText(pick('[value=forth]', wayField), say(words.oneWay, { from: a, to: b }));
      setText(pick('[value=back]', wayField), say(words.oneWay, { from: b, to: a }));
      wayField.value = wayOf(s, item.ends) ?? 'both';
    }
  }

  // fill leaves a field alone that somebody types in.
  function fill(field: HTMLInputElement, value: string, hidden: boolean): void {
    field.closest('label')!.hidden = hidden;
    if (document.activeElement !== field) field.value = value;
  }

  // ---- opening and closing ----

  function look(m: Readonly<Model>): void {
    const want = m.tool === 'edit' && hasControl(m);
    if (want === open) return;
    open = want;
    hold = live = from = rubber = null;
    if (open) {
      if (!dirty(m)) history = begin(sketchOf(m.plan));
      stage.overview(true);
      voice.say(words.opened);
    } else {
      chosen = null;
      stage.overview(false);
      if (dirty(m)) store.toast(words.kept);
    }
    paint();
  }

  store.subscribe((m, before) => {
    if (m.plan !== before.plan) {
      if (m.plan.walls !== walls) {
        walls = m.plan.walls;
        clearance = new ClearanceMap(m.plan);
        judged = null;
      }
      const mine = sameSketch(history.now, sketchOf(m.plan));
      if (!mine && !dirty(before)) history = begin(sketchOf(m.plan));
      else if (!mine && open) store.toast(words.meanwhile);
      if (!has(history.now, chosen)) chosen = null;
      keep();
      paint();
    }
    if (m.tool !== before.tool || m.holder !== before.holder || m.elsewhere !== before.elsewhere) look(m);
    else if (open && mayAct(m) !== mayAct(before)) paint();
  });
  look(store.get());

  function restored(): History | null {
    try {
      return readHistory(JSON.parse(sessionStorage.getItem(DRAFT) ?? 'null'));
    } catch {
      return null;
    }
  }
}

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

// nameOfPlace calls it a place, unless its name does.
function nameOfPlace(name: string): string {
  return name.startsWith('Place ') ? name : say(words.placeNamed, { name });
}
