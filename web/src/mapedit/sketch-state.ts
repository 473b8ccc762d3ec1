// SketchState: the edited sketch, its chosen item, and its history. Unsaved edits are stored in this tab.
import { clearanceOf } from '../hull.ts';
import { ClearanceMap, type Misfit, misfitsOf } from './clearance.ts';
import {
  begin,
  connect,
  done,
  has,
  type History,
  type Item,
  readHistory,
  sameSketch,
  type Sketch,
  sketchOf,
} from './sketch.ts';
import type { Tool } from './texts.ts';
import { DRAFT, floorOf, readMapDraft } from '../context.ts';
import type { Model, Store } from '../store.ts';
import type { Point, Robot } from '../wire.ts';

// from and rubber are set while an edge is begun: rubber only while the pointer draws it. live is set
// during a drag.
export class SketchState {
  history: History;
  live: Sketch | null = null;
  chosen: Item | null = null;
  tool: Tool = 'move';
  from: number | null = null; // the via point at which an edge begins
  rubber: Point | null = null; // its present end
  fault = ''; // why the robot refused to save
  clearance: ClearanceMap;
  readonly paint: () => void;
  readonly #store: Store;
  #walls: unknown;
  #judged: { of: Sketch; misfits: Misfit[] } | null = null;

  constructor(store: Store, paint: () => void) {
    const { plan, robot } = store.get();
    this.#store = store;
    this.paint = paint;
    this.#walls = plan.walls;
    this.clearance = new ClearanceMap(plan, fitOf(robot));
    this.history = readHistory(readMapDraft(plan)) ?? begin(sketchOf(plan));
  }

  now(): Sketch {
    return this.history.now;
  }

  sketch(): Sketch {
    return this.live ?? this.history.now;
  }

  isDirty(m: Readonly<Model> = this.#store.get()): boolean {
    return !sameSketch(this.history.now, sketchOf(m.plan));
  }

  // isOutdated: the robot has another map than the one that was edited, and saving would overwrite it.
  isOutdated(m: Readonly<Model>): boolean {
    return this.isDirty(m) && !sameSketch(this.history.base, sketchOf(m.plan));
  }

  misfits(): Misfit[] {
    const of = this.sketch();
    if (this.#judged?.of !== of) this.#judged = { of, misfits: misfitsOf(of, this.clearance) };
    return this.#judged.misfits;
  }

  choose(item: Item | null): void {
    this.chosen = item;
    this.paint();
  }

  blame(fault: string): void {
    this.fault = fault;
    this.paint();
  }

  // chooseIfThere keeps the choice only while the item exists.
  chooseIfThere(item = this.chosen): void {
    this.choose(has(this.history.now, item) ? item : null);
  }

  change(next: Sketch, item = this.chosen): void {
    this.live = null;
    this.#become(done(this.history, next), item);
  }

  // travel undoes or redoes a change.
  travel(step: (h: History) => History): void {
    this.endEdge();
    this.#become(step(this.history), this.chosen);
  }

  discard(): void {
    this.endEdge();
    this.#become(begin(sketchOf(this.#store.get().plan)), null);
  }

  endEdge(): void {
    this.from = this.rubber = null;
  }

  // join connects two via points and chooses the edge between them.
  join(a: number, b: number): void {
    const made = connect(this.history.now, a, b);
    if (made !== null) this.change(made.sketch, made.item);
  }

  // takePlan follows the robot's map, but keeps unsaved edits.
  takePlan({ plan, robot }: Readonly<Model>, before: Readonly<Model>): void {
    if (plan.walls !== this.#walls) {
      this.#walls = plan.walls;
      this.clearance = new ClearanceMap(plan, fitOf(robot));
      this.#judged = null;
    }
    const next = sketchOf(plan);
    if (sameSketch(this.history.now, next)) this.history = { ...this.history, base: next };
    else if (!this.isDirty(before)) this.history = begin(next);
    if (!has(this.history.now, this.chosen)) this.chosen = null;
  }

  // keep stores unsaved edits in this tab, for a reload.
  keep(): void {
    const floor = floorOf(this.#store.get().plan);
    try {
      if (this.isDirty()) sessionStorage.setItem(DRAFT, JSON.stringify({ ...this.history, floor }));
      else sessionStorage.removeItem(DRAFT);
    } catch {
      // Without storage they are lost with the page.
    }
  }

  #become(history: History, item: Item | null): void {
    this.history = history;
    this.fault = '';
    this.chooseIfThere(item);
    this.keep();
  }
}

// fitOf returns the clearance that the robot's centre needs, in m.
function fitOf(robot: Robot | null): number {
  return robot === null ? 0 : clearanceOf(robot.hull);
}
