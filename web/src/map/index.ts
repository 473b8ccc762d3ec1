// The map: the floor, the robot on it and what it sees, on a canvas. It is drawn after changes, at most
// once per frame of the screen, and only from the Model and the view.
import { reachOf } from '../hull.ts';
import { mayBeAt } from '../alone.ts';
import { ageOf } from '../base.ts';
import type { Brush } from './brush.ts';
import { Camera, type Scene } from './camera.ts';
import { insets, underCorner } from './cards.ts';
import { drawFloor, drawNames, drawViaNames } from './floor.ts';
import { FloorCache } from './floorcache.ts';
import { at, type Glide, isOver, still, toward } from './glide.ts';
import { listenPointers } from './gestures.ts';
import { keepLayers, type Layers, readLayers } from './layers.ts';
import {
  drawDock,
  drawGhost,
  drawRobot,
  drawScan,
  drawSonar,
  drawTag,
  drawThings,
  drawTrail,
  drawUncertainty,
} from './marks.ts';
import { greyed, type Palette, readPalette } from './palette.ts';
import { Stamps } from './stamps.ts';
import type { Grip, Height, Stage, Touch } from './stage.ts';
import { readSavedView, SAVED_VIEW } from './saved-view.ts';
import { findTools, type Mode, type Tools } from './tools.ts';
import { type Crumb, longer } from './trail.ts';
import { type Line, linesOf, look, shown, type Thing } from './unknown.ts';
import { type Insets, ruler, snapped, toScreen, toWorld, type View } from './view.ts';
import { pick, toggle } from '../dom.ts';
import { typesIn } from '../field.ts';
import { saveTabItem } from '../tab-storage.ts';
import { isOld, type Model, now, type Store } from '../store.ts';
import { say, words } from '../words.ts';
import type { Point, Pose, Robot, State } from '../wire.ts';

// Drawn has counts and times, in ms, of a map's frames, the shown part of the floor, and the robot's place
// on it, in px of the canvas.
export interface Drawn {
  frames: number;
  last: number;
  worst: number;
  total: number;
  robot: Point;
  mayBe: Pose | null; // how far it may have come without contact
  view: View;
}

const ZOOM = 1.3; // of one press
const RULER = 110; // px, the longest scale bar
const STEP = 60; // px, one press of an arrow
const ARROWS: Readonly<Record<string, [dx: number, dy: number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};
const KEYS: Readonly<Record<string, string>> = {
  KeyF: 'back',
  Digit0: 'floor',
  Numpad0: 'floor',
  Equal: 'in',
  NumpadAdd: 'in',
  Minus: 'out',
  NumpadSubtract: 'out',
};

// SHOWN are the fields of the model that the map shows.
const SHOWN = ['state', 'conn', 'silence', 'theme', 'robot', 'plan', 'world', 'tool'] as const;

// MapView draws the map on a canvas for as long as the page lives. It finds its tools beside the canvas:
// the elements of MapTools. The counts are also the canvas's property "drawn", for tests.
export class MapView implements Stage {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #region: HTMLElement;
  readonly #corner: HTMLElement;
  readonly #store: Store;
  readonly #tools: Tools;
  readonly #camera: Camera;
  readonly #cache: FloorCache;
  readonly #stamps = new Stamps();
  readonly #lines: readonly Line[];
  readonly #added: Record<Height, ((b: Brush) => void)[]> = { floor: [], path: [], over: [] };
  readonly #grips: Grip[] = [];
  readonly #drawn: Drawn;
  #gripped: Grip | null = null;
  #layers: Layers = readLayers();
  #palette: Palette | null = null;
  #fonts = false;
  #glide: Glide | null = null; // null: no state of the robot yet
  #trail: readonly Crumb[] = [];
  #things: readonly Thing[] = [];
  #turn = 0; // rad, of the robot's marks
  #cards = { width: 0, height: 0 }; // px, of the corner's
  #asked = 0; // animation frame of the next drawing
  #shownMode: Mode = 'floor';

  constructor(canvas: HTMLCanvasElement, store: Store) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('map: this browser has no 2D canvas');
    const calm = matchMedia('(prefers-reduced-motion: reduce)');
    this.#canvas = canvas;
    this.#context = context;
    this.#region = canvas.parentElement ?? document.body;
    this.#corner = pick('.corner', this.#region);
    this.#store = store;
    this.#tools = findTools(this.#region);
    this.#camera = new Camera(readSavedView(), () => !calm.matches);
    this.#cache = new FloorCache(canvas);
    this.#lines = linesOf(store.get().plan);
    this.#drawn = { frames: 0, last: 0, worst: 0, total: 0, robot: [0, 0], mayBe: null, view: this.#camera.view };
    Object.assign(canvas, { drawn: this.#drawn });
    store.subscribe((m, before) => this.#notice(m, before));
    this.#observeSizes();
    this.#listen();
    void document.fonts.ready.then(() => {
      this.#fonts = true;
      this.redraw();
    });
    addEventListener('pagehide', () => {
      if (this.#glide !== null) saveTabItem(SAVED_VIEW, this.#camera.saved());
    });
    this.#showMode();
  }

  // ---- interface for other widgets ----

  layer(height: Height, draw: (b: Brush) => void): void {
    this.#added[height].push(draw);
  }

  grip(grip: Grip): void {
    this.#grips.push(grip);
  }

  redraw(): void {
    if (this.#asked === 0) this.#asked = requestAnimationFrame(() => this.#draw());
  }

  readonly screen = ([x, y]: readonly [x: number, y: number, ...rest: unknown[]]): Point =>
    toScreen(this.#camera.view, x, y);

  readonly at = (x: number, y: number): Point => toWorld(this.#camera.view, x, y);

  turn(angle: number): void {
    this.#turn = angle;
    this.redraw();
  }

  drawGhost(b: Brush, pose: Pose): void {
    const { robot } = this.#store.get();
    if (robot !== null) drawGhost(b, pose, robot.hull);
  }

  free(): Insets {
    return this.#camera.free;
  }

  overview(on: boolean): void {
    if (!this.#camera.overview(on, now())) return;
    this.#measure();
    this.#moved();
  }

  things(): readonly Thing[] {
    return shown(this.#things);
  }

  reveal(place: Point): void {
    this.#camera.reveal(this.#scene(now()), place);
    this.#moved();
  }

  // ---- the view ----

  #scene(t: number): Scene {
    return { bounds: this.#store.get().plan.bounds, robot: this.#glide && at(this.#glide, t) };
  }

  #choose(mode: Mode): void {
    this.#measure();
    this.#camera.choose(mode, now());
    this.#moved();
  }

  // moved redraws after a change of the camera.
  #moved(): void {
    if (this.#camera.mode !== this.#shownMode) this.#showMode();
    this.redraw();
  }

  #showMode(): void {
    this.#shownMode = this.#camera.mode;
    this.#tools.show(this.#shownMode, this.#glide !== null);
  }

  #measure(): void {
    this.#camera.free = insets(this.#canvas, this.#region);
  }

  // remeasure measures cards that come and go, once they are laid out.
  #remeasure(): void {
    requestAnimationFrame(() => {
      this.#measure();
      this.#camera.refit(now());
      this.redraw();
    });
  }

  #observeSizes(): void {
    const canvas = this.#canvas;
    new ResizeObserver(() => {
      const ratio = devicePixelRatio || 1;
      this.#camera.resize(canvas.clientWidth, canvas.clientHeight);
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
      this.#measure();
      this.redraw();
    }).observe(canvas);
    // New cards move away from the robot, or the view moves.
    new ResizeObserver(() => {
      this.#cards = { width: this.#corner.offsetWidth, height: this.#corner.offsetHeight };
      this.#remeasure();
    }).observe(this.#corner);
  }

  // ---- drawing ----

  #draw(): void {
    this.#asked = 0;
    if (this.#camera.view.width === 0) return; // not laid out: all walls would be one pixel, which takes a minute with a large map
    const began = performance.now();
    const t = now();
    const m = this.#store.get();
    const { scale } = this.#camera.view;
    const view = this.#camera.step(t, this.#scene(t));
    this.#drawAll(m, t, view, view.scale !== scale);
    if (this.#camera.easing || (this.#glide !== null && !isOver(this.#glide, t))) this.redraw();
    const took = performance.now() - began;
    const d = this.#drawn;
    d.view = view;
    d.frames++;
    d.last = took;
    d.total += took;
    d.worst = Math.max(d.worst, took);
    this.#tools.measure(ruler(view.scale, RULER), view.scale);
  }

  #drawAll(m: Readonly<Model>, t: number, view: View, zooming: boolean): void {
    const c = this.#context;
    const ratio = devicePixelRatio || 1;
    const palette = (this.#palette ??= readPalette(getComputedStyle(document.documentElement)));
    const lost = m.conn === 'lost';
    const old = isOld(m);
    const b: Brush = { c, v: snapped(view, ratio), p: lost ? greyed(palette) : palette, stamps: this.#stamps };
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, view.width, view.height);
    const via = this.#layers.via && m.tool !== 'edit'; // there the editor draws them
    const floor = (brush: Brush) => drawFloor(brush, m.plan, via, m.world?.doors ?? []);
    if (zooming) this.#cache.zoom(b, ratio, floor);
    else this.#cache.show(b, ratio, [ratio, m.theme, palette, lost, via, this.#fonts, m.plan, m.world?.doors], floor);
    const pose = this.#glide && at(this.#glide, t);
    if (this.#layers.names) drawNames(b, m.plan, this.#camera.free, pose);
    if (m.plan.dock !== null) drawDock(b, m.plan.dock);
    for (const layer of this.#added.floor) layer(b);
    if (via) drawViaNames(b, m.plan);
    if (m.state !== null && m.robot !== null && pose !== null) this.#drawRobot(b, m, pose, m.state, m.robot, old);
    for (const layer of this.#added.over) layer(b);
  }

  #drawRobot(b: Brush, m: Readonly<Model>, pose: Pose, state: State, robot: Robot, old: boolean): void {
    const layers = this.#layers;
    const drawn = this.#drawn;
    const [x, y] = toScreen(b.v, 0, 0);
    b.c.save();
    b.c.translate(x, y);
    b.c.rotate(-this.#turn);
    b.c.translate(-x, -y);
    if (layers.trail) drawTrail(b, [...this.#trail, { x: pose[0], y: pose[1], t: state.t, jump: false }], state.t);
    if (layers.unknown && !old) drawThings(b, this.things());
    if (layers.sonar && !old) {
      drawSonar(b, pose, robot, state.ranges);
      drawScan(b, state.scan);
    }
    for (const layer of this.#added.path) layer(b);
    if (layers.estimate && !old) drawUncertainty(b, pose, state.cov);
    drawRobot(b, pose, robot.hull, old);
    drawn.robot = this.screen(pose);
    const radius = Math.max(14, reachOf(robot.hull) * b.v.scale);
    const low = 'low' in this.#corner.dataset;
    toggle(this.#corner, 'low', underCorner(this.#cards, b.v.width, ...drawn.robot, radius, low));
    const by = mayBeAt(m);
    if (by !== null) {
      drawRobot(b, by, robot.hull, true);
      if (b.v.height > 300) drawTag(b, by, words.map.tagMayBe, 'text-2', 'right'); // otherwise the two tags would overlap
    }
    drawn.mayBe = by;
    if (m.silence > 0 || old) {
      const s = m.silence > 0 ? m.silence.toFixed(1) : ageOf(m, now());
      drawTag(b, pose, say(old ? words.map.tagLost : words.map.tagStale, { s }));
    }
    b.c.restore();
  }

  // ---- changes ----

  #notice(m: Readonly<Model>, before: Readonly<Model>): void {
    if (m.state !== null && m.state !== before.state) this.#take(m.state, m);
    if (m.theme !== before.theme) this.#palette = null;
    if (m.stop !== before.stop || m.stopping !== before.stopping) this.#remeasure();
    if (SHOWN.some((key) => m[key] !== before[key])) this.redraw();
  }

  #take(state: State, m: Readonly<Model>): void {
    const t = now();
    const first = this.#glide === null;
    this.#glide = this.#glide === null ? still(state.pose) : toward(this.#glide, state.pose, t);
    this.#trail = longer(this.#trail, state);
    // Without known walls, no obstacle is unknown.
    this.#things = m.robot !== null && m.plan.walls.length > 0 ? look(this.#things, state, m.robot, this.#lines) : [];
    if (!first) return;
    this.#camera.resize(this.#canvas.clientWidth, this.#canvas.clientHeight);
    this.#camera.meetRobot(t);
    this.#showMode();
  }

  #listen(): void {
    const camera = this.#camera;
    listenPointers(this.#canvas, {
      take: (e) => {
        this.#gripped = this.#grips.find((g) => g.take(this.#touchOf(e))) ?? null;
        return this.#gripped !== null;
      },
      taken: (e) => this.#gripped?.move(this.#touchOf(e)),
      end: (e) => {
        this.#gripped?.end(e === null ? null : this.#touchOf(e));
        this.#gripped = null;
      },
      pan: (dx, dy) => this.#pan(dx, dy),
      zoom: (factor, x, y) => {
        camera.zoomAt(factor, x, y);
        this.#moved();
      },
      following: () => camera.mode === 'follow',
    });
    this.#tools.onAct((name) => this.#act(name));
    this.#tools.onLayer(this.#layers, (layer, on) => {
      this.#layers = { ...this.#layers, [layer]: on };
      keepLayers(this.#layers);
      this.redraw();
    });
    document.addEventListener('keydown', (e) => this.#press(e));
  }

  #touchOf(e: PointerEvent): Touch {
    const { offsetX: x, offsetY: y } = e;
    return { x, y, at: this.at(x, y), shift: e.shiftKey, finger: e.pointerType === 'touch' };
  }

  #pan(dx: number, dy: number): void {
    this.#camera.panBy(dx, dy);
    this.#moved();
  }

  #zoom(factor: number): void {
    this.#camera.zoomMiddle(factor, now());
    this.#moved();
  }

  // act executes a button of the map, or its key.
  #act(name: string): void {
    if (name === 'move') this.#choose('free');
    else if (name === 'follow') this.#choose(this.#camera.mode === 'follow' ? 'free' : 'follow');
    else if (name === 'back') this.#choose('follow');
    else if (name === 'floor') this.#choose('floor');
    else if (name === 'in') this.#zoom(ZOOM);
    else if (name === 'out') this.#zoom(1 / ZOOM);
  }

  #press(e: KeyboardEvent): void {
    const here = e.target === this.#canvas;
    const { dialog, prefs } = this.#store.get();
    if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || dialog || typesIn(e.target)) return;
    const arrow = ARROWS[e.code];
    const name = KEYS[e.code];
    if (here && arrow !== undefined) this.#pan(...arrow);
    else if (name !== undefined && (here || prefs.letterKeys)) this.#act(name);
    else return;
    e.preventDefault();
  }
}
