// Pointer: placing, moving, turning and connecting items on the map with a pointer.
import { type Hit, hit } from './marks.ts';
import { addPlace, addVia, type Item, moveTo, pointOf, split, turnTo } from './sketch.ts';
import type { SketchState } from './sketch-state.ts';
import { TICK } from '../goto/aim.ts';
import { mapedit as words } from '../../strings.json';
import type { Stage, Touch } from '../map/stage.ts';
import type { Point } from '../wire.ts';

// Hold is the action of the pointer until its release.
interface Hold {
  way: 'move' | 'turn' | 'aim' | 'edge';
  item: Item;
  off: Point; // m, from the pointer to the item
  press: Point; // px, where it went down
  far: boolean; // it has moved farther than a click
}

const CLICK = 5; // px
const AIM = 12; // px that a place is dragged before it turns

export class Pointer {
  readonly #state: SketchState;
  readonly #stage: Stage;
  #hold: Hold | null = null;

  // may reports whether the editor is open and takes a press.
  constructor(state: SketchState, stage: Stage, may: () => boolean) {
    this.#state = state;
    this.#stage = stage;
    stage.grip({
      take: (touch) => may() && this.#hold === null && this.#take(touch),
      move: (touch) => this.#move(touch),
      end: (touch) => this.#end(touch),
    });
  }

  holds(): boolean {
    return this.#hold !== null;
  }

  forget(): void {
    this.#hold = null;
  }

  #hit(touch: Touch, chosen: Item | null): Hit | null {
    return hit(this.#state.sketch(), chosen, [touch.x, touch.y], touch.finger, this.#stage.screen);
  }

  #take(touch: Touch): boolean {
    const state = this.#state;
    const under = this.#hit(touch, state.chosen);
    const puts = state.tool === 'via' || state.tool === 'place';
    if (state.tool === 'edge' && under?.item.kind === 'via') return this.#takeEdge(under.item, touch);
    const onto = puts && under?.item.kind === 'edge' ? under.item.ends : null; // the new item is meant, not the edge
    if (under !== null && onto === null) {
      const at = pointOf(state.sketch(), under.item) ?? touch.at;
      return this.#grasp(under.tip ? 'turn' : 'move', under.item, touch, [at[0] - touch.at[0], at[1] - touch.at[1]]);
    }
    if (puts) return this.#put(touch, onto);
    if (state.chosen !== null || state.from !== null) {
      state.endEdge();
      state.choose(null);
    }
    return false; // the press moves the map
  }

  #grasp(way: Hold['way'], item: Item, touch: Touch, off: Point = [0, 0]): true {
    this.#hold = { way, item, off, press: [touch.x, touch.y], far: false };
    if (way !== 'edge') this.#state.choose(item);
    return true;
  }

  // put adds an item of the tool; a via point on an edge splits it.
  #put(touch: Touch, onto: [number, number] | null): true {
    const state = this.#state;
    const s = state.sketch();
    const at = state.clearance.offWalls(touch.at);
    const place = state.tool === 'place';
    const { sketch, item } = place ? addPlace(s, [...at, 0], words.place) : onto ? split(s, onto, at) : addVia(s, at);
    state.live = sketch;
    return this.#grasp(place ? 'aim' : 'move', item, touch);
  }

  // takeEdge begins an edge at a via point, or ends one there that was begun by a click.
  #takeEdge(item: Item & { kind: 'via' }, touch: Touch): true {
    const state = this.#state;
    const { from } = state;
    state.from = item.id; // the next one begins here
    if (from !== null && from !== item.id) state.join(from, item.id);
    else state.choose(item);
    return this.#grasp('edge', item, touch);
  }

  #end(touch: Touch | null): void {
    const held = this.#hold;
    const state = this.#state;
    if (held === null) return;
    if (touch !== null) this.#move(touch);
    this.#hold = null;
    if (touch === null) {
      state.live = null;
      state.endEdge();
      state.chooseIfThere();
    } else if (held.way === 'edge') this.#endEdge(held, touch);
    else state.change(state.sketch(), held.item);
  }

  #endEdge(held: Hold, touch: Touch): void {
    const state = this.#state;
    const { from } = state;
    state.rubber = null;
    if (from !== null && moved(held, touch)) {
      const item = this.#hit(touch, null)?.item;
      state.from = null;
      if (item?.kind === 'via') state.join(from, item.id);
    }
    this.#state.paint();
  }

  #move(touch: Touch): void {
    const hold = this.#hold;
    if (hold === null) return;
    hold.far ||= moved(hold, touch);
    if (!hold.far) return;
    const state = this.#state;
    const at: Point = [touch.at[0] + hold.off[0], touch.at[1] + hold.off[1]];
    if (hold.way === 'edge') state.rubber = touch.at;
    else if (hold.way !== 'move') this.#turn(hold, touch, at);
    else if (hold.item.kind !== 'edge') state.live = moveTo(state.sketch(), hold.item, state.clearance.offWalls(at));
    this.#state.paint();
  }

  #turn({ way, item }: Hold, touch: Touch, at: Point): void {
    const state = this.#state;
    const [x, y] = this.#stage.screen(pointOf(state.sketch(), item) ?? at);
    if (way === 'aim' && Math.hypot(touch.x - x, touch.y - y) < AIM) return;
    const theta = Math.atan2(y - touch.y, touch.x - x);
    state.live = turnTo(state.sketch(), item, touch.shift ? Math.round(theta / TICK) * TICK : theta);
  }
}

function moved({ press }: Hold, touch: Touch): boolean {
  return Math.hypot(touch.x - press[0], touch.y - press[1]) > CLICK;
}
