// The map editor: a person changes via points, edges and places on the map, and saves them on the robot.
// Nothing here moves the robot.
import { ItemForm } from './item-form.ts';
import { drawSketch, itemAt } from './marks.ts';
import { Pointer } from './pointer.ts';
import { send } from './send.ts';
import {
  addPlace,
  addVia,
  begin,
  type History,
  type Item,
  itemsOf,
  moveTo,
  pointOf,
  redo,
  remove,
  sameItem,
  sketchOf,
  turnTo,
  undo,
} from './sketch.ts';
import { SketchState } from './sketch-state.ts';
import { spokenOf, statusOf, titleOf, type Tool } from './texts.ts';
import { mapedit as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import { nudge } from '../goto/aim.ts';
import type { Voice } from '../live.ts';
import type { Stage } from '../map/stage.ts';
import { hasControl, mayAct, type Model, type Store } from '../store.ts';
import { say } from '../words.ts';
import type { Point } from '../wire.ts';

const ADDRESS = '/api/v1/map';

export class MapEditor {
  readonly #store: Store;
  readonly #stage: Stage;
  readonly #voice: Voice;
  readonly #card = pick('#mapedit');
  readonly #canvas = pick<HTMLCanvasElement>('#map');
  readonly #tools = [...this.#card.querySelectorAll<HTMLButtonElement>('[data-tool]')];
  readonly #state: SketchState;
  readonly #pointer: Pointer;
  readonly #form: ItemForm;
  #open = false;
  #saving = false;

  constructor({ store, stage, voice }: Context) {
    this.#store = store;
    this.#stage = stage;
    this.#voice = voice;
    const state = (this.#state = new SketchState(store, () => this.#paint()));
    this.#pointer = new Pointer(state, stage, () => this.#open && !this.#saving);
    this.#form = new ItemForm(state);
    stage.layer('floor', (b) => {
      const { from, rubber } = state;
      const start = from === null ? null : pointOf(state.sketch(), { kind: 'via', id: from });
      const edge: [Point, Point] | null = start !== null && rubber !== null ? [start, rubber] : null;
      if (this.#open)
        drawSketch(
          b,
          state.sketch(),
          state.chosen,
          state.misfits().map((f) => f.item),
          edge,
        );
    });
    this.#bindCard();
    document.addEventListener('keydown', (e) => this.#key(e), { capture: true });
    store.subscribe((m, before) => this.#follow(m, before));
    this.#showOrHide(store.get());
  }

  #button(name: string): HTMLButtonElement {
    return pick<HTMLButtonElement>(`[data-do=${name}]`, this.#card);
  }

  #bindCard(): void {
    for (const b of this.#tools) {
      b.onclick = () => {
        this.#state.tool = b.dataset['tool'] as Tool;
        this.#state.endEdge();
        this.#paint();
      };
    }
    this.#button('undo').onclick = () => this.#travel(undo);
    this.#button('redo').onclick = () => this.#travel(redo);
    this.#button('delete').onclick = () => {
      this.#remove();
      this.#canvas.focus();
    };
    this.#button('save').onclick = () => void this.#save();
    this.#button('discard').onclick = () => {
      this.#state.discard();
      this.#voice.say(words.discarded);
    };
    this.#button('close').onclick = () => this.#store.set({ tool: null });
  }

  #travel(step: (h: History) => History): void {
    if (!this.#pointer.holds()) this.#state.travel(step);
  }

  #remove(): void {
    const { chosen } = this.#state;
    if (chosen === null) return;
    const name = titleOf(this.#state.now(), chosen);
    this.#state.change(remove(this.#state.now(), chosen), null);
    this.#voice.say(say(words.removed, { name }));
  }

  async #save(): Promise<void> {
    const state = this.#state;
    const m = this.#store.get();
    if (this.#saving || !state.isDirty(m) || !mayAct(m)) return;
    this.#saving = true;
    this.#paint();
    const { via, edges, places } = state.now();
    const refused = await send('PUT', ADDRESS, { lease: m.epoch, via, edges, places });
    this.#saving = false;
    state.fault = refused?.reason ?? '';
    if (refused === null) {
      this.#store.set({ plan: { ...this.#store.get().plan, via, edges, places } });
      this.#store.toast(words.saved, 'SUCCESS');
    } else {
      this.#store.note('warn', refused.reason);
      const item = refused.at ? itemAt(state.now(), refused.at) : null;
      if (refused.at && item !== null) {
        state.choose(item); // the item at the point, visible
        this.#stage.reveal(refused.at);
      }
    }
    state.keep();
    this.#paint();
  }

  #key(e: KeyboardEvent): void {
    const state = this.#state;
    if (!this.#open || e.defaultPrevented || this.#store.get().dialog || typesIn(e.target)) return;
    if (e.ctrlKey || e.metaKey) {
      const again = e.code === 'KeyY' || (e.code === 'KeyZ' && e.shiftKey);
      if (again) this.#travel(redo);
      else if (e.code === 'KeyZ') this.#travel(undo);
      else if (e.code === 'KeyS') void this.#save();
      else return;
    } else if (e.altKey) {
      return;
    } else if (e.code === 'Escape') {
      if (state.chosen === null && state.from === null) return;
      state.endEdge();
      state.choose(null);
      return; // Esc also counts for STOP
    } else if (e.target !== this.#canvas || !this.#mapKey(e)) {
      return;
    }
    e.preventDefault();
  }

  // mapKey handles a key on the map; false if it has no meaning there.
  #mapKey(e: KeyboardEvent): boolean {
    switch (e.code) {
      case 'Tab':
        return this.#walk(e.shiftKey ? -1 : 1);
      case 'Delete':
      case 'Backspace':
        this.#remove();
        return true;
      case 'Enter':
        return this.#make();
      default:
        return this.#nudge(e);
    }
  }

  // nudge moves the chosen item by an arrow key, or turns a place.
  #nudge({ code, shiftKey }: KeyboardEvent): boolean {
    const state = this.#state;
    const { chosen } = state;
    const at = chosen === null || chosen.kind === 'edge' ? null : pointOf(state.now(), chosen);
    if (chosen === null || at === null) return false;
    const place = chosen.kind === 'place' ? state.now().places[chosen.n] : undefined;
    const pose = nudge([...at, place?.pose[2] ?? 0], code, shiftKey);
    const arrow = code.startsWith('Arrow');
    if (pose === null || (!arrow && !place)) return false;
    state.change(turnTo(moveTo(state.now(), chosen, [pose[0], pose[1]]), chosen, pose[2]));
    if (arrow) this.#show(chosen);
    return true;
  }

  // walk chooses the next item. Before the first and after the last the focus leaves the map.
  #walk(step: number): boolean {
    const items = itemsOf(this.#state.now());
    const now = items.findIndex((i) => sameItem(i, this.#state.chosen));
    const next = items[now < 0 ? (step > 0 ? 0 : items.length - 1) : now + step];
    this.#state.choose(next ?? null); // the next visit starts at that end
    if (next === undefined) return false;
    this.#show(next);
    return true;
  }

  // make creates an item of the tool: in the middle of the view, or between via points.
  #make(): boolean {
    const state = this.#state;
    const { tool, chosen, from } = state;
    if (tool === 'via' || tool === 'place') {
      const { clientWidth, clientHeight } = this.#canvas;
      const at = state.clearance.offWalls(this.#stage.at(clientWidth / 2, clientHeight / 2));
      const added = tool === 'via' ? addVia(state.now(), at) : addPlace(state.now(), [...at, 0], words.place);
      state.change(added.sketch, added.item);
      this.#show(added.item);
      return true;
    }
    if (tool !== 'edge' || chosen?.kind !== 'via') return false;
    if (from !== null && from !== chosen.id) {
      state.join(from, chosen.id);
      state.from = null;
    } else {
      state.from = chosen.id;
      this.#voice.say(say(words.edgeFrom, { name: titleOf(state.now(), chosen) }));
    }
    return true;
  }

  #show(item: Item): void {
    const at = pointOf(this.#state.now(), item);
    if (at !== null) this.#stage.reveal(at);
    this.#voice.say(spokenOf(this.#state.now(), item, this.#state.misfits()));
  }

  #follow(m: Readonly<Model>, before: Readonly<Model>): void {
    if (m.plan !== before.plan) {
      this.#state.takePlan(m, before);
      this.#warn(m);
      this.#state.keep();
      this.#paint();
    }
    if (m.tool !== before.tool || m.holder !== before.holder || m.elsewhere !== before.elsewhere) this.#showOrHide(m);
    else if (this.#open && mayAct(m) !== mayAct(before)) this.#paint();
  }

  // warn: saving would overwrite what was saved since the person began to edit.
  #warn(m: Readonly<Model>): void {
    if (this.#open && this.#state.isOutdated(m)) this.#store.toast(words.meanwhile);
  }

  #showOrHide(m: Readonly<Model>): void {
    const state = this.#state;
    const open = m.tool === 'edit' && hasControl(m);
    if (open === this.#open) return;
    this.#open = open;
    this.#pointer.forget();
    state.live = null;
    state.endEdge();
    this.#stage.overview(open);
    if (open) {
      if (!state.isDirty(m)) state.history = begin(sketchOf(m.plan));
      this.#voice.say(words.opened);
      this.#warn(m);
    } else {
      state.chosen = null;
      if (state.isDirty(m)) this.#store.toast(words.kept);
    }
    this.#paint();
  }

  #paint(): void {
    const state = this.#state;
    const m = this.#store.get();
    this.#card.hidden = !this.#open;
    this.#stage.redraw();
    if (!this.#open) return;
    for (const b of this.#tools) b.setAttribute('aria-pressed', String(b.dataset['tool'] === state.tool));
    const dirty = state.isDirty(m);
    pick('#mapedit-changed').hidden = !dirty;
    this.#button('undo').disabled = state.history.past.length === 0;
    this.#button('redo').disabled = state.history.future.length === 0;
    this.#button('save').disabled = !dirty || this.#saving || !mayAct(m);
    this.#button('discard').disabled = !dirty || this.#saving;
    const { text, bad } =
      state.fault !== ''
        ? { text: state.fault, bad: true }
        : statusOf(state.sketch(), state.chosen, state.misfits(), state.tool, state.from !== null);
    const says = pick('#mapedit-says');
    setText(says, text);
    says.classList.toggle('bad', bad);
    this.#form.paint(state.sketch(), state.chosen);
  }
}
