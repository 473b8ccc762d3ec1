// The map: the floor, the robot on it and what it sees, on a canvas. It is drawn when something has changed, at most
// once for each frame of the screen, and only from the Model and the view.
import { mayBeAt } from '../alone.ts';
import type { Brush } from './brush.ts';
import { insets, underCorner } from './cards.ts';
import { drawFloor, drawNames, drawViaNames } from './floor.ts';
import { FloorCache } from './floorcache.ts';
import { at, type Glide, isOver, still, toward } from './glide.ts';
import { listenPointers } from './gestures.ts';
import { keepLayers, readLayers } from './layers.ts';
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
import { readSavedView, SAVED_VIEW, type SavedView } from './saved-view.ts';
import { describeMap } from './description.ts';
import { findTools, type Mode } from './tools.ts';
import { type Crumb, longer } from './trail.ts';
import { type Line, linesOf, look, shown, type Thing } from './unknown.ts';
import {
  between,
  follow,
  type Insets,
  pan,
  ruler,
  snapped,
  toScreen,
  toWorld,
  type View,
  whole,
  zoom,
} from './view.ts';
import { pick, toggle } from '../dom.ts';
import { typesIn } from '../field.ts';
import { saveTabItem } from '../tab-storage.ts';
import { type Model, now, type Store } from '../store.ts';
import { say, words } from '../words.ts';
import type { Point, Pose, Robot, State } from '../wire.ts';

// Drawn counts the frames of a map and how long they took, in ms, and tells what part of the floor was drawn, and where on
// it the robot, in px of the canvas.
export interface Drawn {
  frames: number;
  last: number;
  worst: number;
  total: number;
  robot: Point;
  mayBe: Pose | null; // how far it may have come, while it is not heard
  view: View;
}

const EASE = 0.2; // s
const CLOSE = 92; // px/m, how near the robot is followed
const CLOSE_NARROW = 58; // px/m, on a small map
const TOO_FAR = 40; // px/m; nearer than this a follow keeps the scale
const TELL_MS = 1000;

// mountMap draws the map on canvas for as long as the page lives. Its tools are found beside the canvas: the elements of
// MapTools. The counts are also the canvas's own property "drawn", for tests.
export function mountMap(canvas: HTMLCanvasElement, store: Store): Stage {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('map: this browser has no 2D canvas');
  const c = context;
  const region = canvas.parentElement ?? document.body;
  const tools = findTools(region);
  const corner = pick('.corner', region);
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const cache = new FloorCache(canvas);
  const stamps = new Stamps();

  let layers = readLayers();
  let palette: Palette | null = null;
  let fonts = false;
  let mode: Mode = 'floor';
  let chosen = false; // a person chose what is shown
  let view: View = { x: 0, y: 0, scale: 40, width: 1, height: 1 };
  const drawn: Drawn = { frames: 0, last: 0, worst: 0, total: 0, robot: [0, 0], mayBe: null, view };
  Object.assign(canvas, { drawn });
  let scale = CLOSE; // of a follow
  let free: Insets = { left: 0, top: 0, right: 0, bottom: 0 };
  let ease: { from: View; start: number } | null = null;
  let wanted: View | null = null; // where a free view eases to
  let glide: Glide | null = null;
  let trail: readonly Crumb[] = [];
  let things: readonly Thing[] = [];
  const lines: readonly Line[] = linesOf(store.get().plan);
  let cards = { width: 0, height: 0 }; // px, of the corner's
  let asked = 0;
  let told = '';
  const added: Record<Height, ((b: Brush) => void)[]> = { floor: [], path: [], over: [] };
  const grips: Grip[] = [];
  let gripped: Grip | null = null;
  let overviewed = false; // the whole floor is shown in place of a follow

  const last = readSavedView();
  if (last !== null) {
    ({ mode, overviewed } = last);
    scale = last.scale;
    if (mode === 'free') view = { ...view, ...last.at };
    chosen = true;
  }
  addEventListener('pagehide', () => {
    if (glide !== null)
      saveTabItem(SAVED_VIEW, {
        mode,
        overviewed,
        scale,
        at: { x: view.x, y: view.y, scale: view.scale },
      } satisfies SavedView);
  });

  const ask = () => {
    if (asked === 0) asked = requestAnimationFrame(draw);
  };

  // ---- the view ----

  function target(t: number): View {
    const m = store.get();
    if (mode === 'follow' && glide !== null) {
      const [x, y] = at(glide, t);
      return follow({ ...view, scale }, x, y, free);
    }
    if (mode === 'floor') return whole(view, m.plan.bounds, free);
    return wanted ?? view;
  }

  function show(next: Mode, to: View | null = null): void {
    ease = calm.matches ? null : { from: view, start: now() };
    if (next === 'follow' && mode !== 'follow')
      scale = view.scale >= TOO_FAR ? view.scale : canvas.clientWidth < 600 ? CLOSE_NARROW : CLOSE;
    mode = next;
    wanted = to;
    tools.show(mode, glide !== null);
    ask();
  }

  function choose(next: Mode): void {
    chosen = true;
    overviewed = false;
    measure();
    show(next);
  }

  // zoomBy zooms at a point of the canvas; a robot that is followed stays where it is.
  function zoomBy(factor: number, sx: number, sy: number, eased: boolean): void {
    chosen = true;
    if (mode === 'follow') {
      const next = zoom({ ...view, scale }, factor, sx, sy).scale;
      if (eased) ease = calm.matches ? null : { from: view, start: now() };
      scale = next;
      ask();
      return;
    }
    const to = zoom(wanted ?? view, factor, sx, sy);
    if (eased) show('free', to);
    else setFree(to);
  }

  function setFree(to: View): void {
    chosen = true;
    ease = null;
    wanted = null;
    view = to;
    if (mode !== 'free') {
      mode = 'free';
      tools.show(mode, glide !== null);
    }
    ask();
  }

  function middle(): [x: number, y: number] {
    return [(free.left + view.width - free.right) / 2, (free.top + view.height - free.bottom) / 2];
  }

  // ---- drawing ----

  function draw(): void {
    asked = 0;
    const began = performance.now();
    const t = now();
    const m = store.get();
    const to = target(t);
    const f = ease === null ? 1 : Math.min(1, (t - ease.start) / EASE);
    const before = view.scale;
    view =
      ease === null || f === 1
        ? to
        : { ...between(ease.from, to, 1 - (1 - f) ** 3), width: to.width, height: to.height };
    if (f === 1) {
      ease = null;
      wanted = null;
    }
    const ratio = devicePixelRatio || 1;
    palette ??= readPalette(getComputedStyle(document.documentElement));
    const lost = m.conn === 'lost';
    const b: Brush = { c, v: snapped(view, ratio), p: lost ? greyed(palette) : palette, stamps };
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, view.width, view.height);
    const via = layers.via && m.tool !== 'edit'; // there the editor draws them
    const floor = (brush: Brush) => drawFloor(brush, m.plan, via, m.world?.doors ?? []);
    if (view.scale === before)
      cache.show(b, ratio, [ratio, m.theme, palette, lost, via, fonts, m.plan, m.world?.doors], floor);
    else cache.zoom(b, ratio, floor);
    drawMarks(b, m, t, lost);
    if (ease !== null || (glide !== null && !isOver(glide, t))) ask();
    const took = performance.now() - began;
    drawn.view = view;
    drawn.frames++;
    drawn.last = took;
    drawn.total += took;
    drawn.worst = Math.max(drawn.worst, took);
    tools.measure(ruler(view.scale, 110), view.scale);
  }

  function drawMarks(b: Brush, m: Readonly<Model>, t: number, lost: boolean): void {
    const { state, robot, plan } = m;
    if (layers.names) drawNames(b, plan, free, glide && at(glide, t));
    if (plan.dock !== null) drawDock(b, plan.dock);
    for (const layer of added.floor) layer(b);
    if (layers.via && m.tool !== 'edit') drawViaNames(b, plan);
    if (state !== null && robot !== null && glide !== null) drawRobotMarks(b, m, at(glide, t), state, robot, lost);
    for (const layer of added.over) layer(b);
  }

  function drawRobotMarks(b: Brush, m: Readonly<Model>, pose: Pose, state: State, robot: Robot, lost: boolean): void {
    if (layers.trail) drawTrail(b, [...trail, { x: pose[0], y: pose[1], t: state.t, jump: false }], state.t);
    if (layers.unknown && !lost) drawThings(b, shown(things));
    if (layers.sonar && !lost) {
      drawSonar(b, pose, robot, state.ranges);
      drawScan(b, state.scan);
    }
    for (const layer of added.path) layer(b);
    if (layers.estimate && !lost) drawUncertainty(b, pose, state.cov);
    drawRobot(b, pose, robot.length, robot.width, lost);
    drawn.robot = toScreen(view, pose[0], pose[1]);
    const radius = Math.max(28, Math.hypot(robot.length, robot.width) * b.v.scale) / 2;
    toggle(corner, 'low', underCorner(cards, view.width, ...drawn.robot, radius, 'low' in corner.dataset));
    const by = mayBeAt(m);
    if (by !== null) {
      drawRobot(b, by, robot.length, robot.width, true);
      if (b.v.height > 300) drawTag(b, by, words.map.tagMayBe, 'text-2', 'right'); // else both tags would lie on one another
    }
    drawn.mayBe = by;
    if (m.silence > 0)
      drawTag(b, pose, say(lost ? words.map.tagLost : words.map.tagStale, { s: m.silence.toFixed(1) }));
  }

  // ---- what changes it ----

  function take(state: State, m: Readonly<Model>): void {
    const t = now();
    const first = glide === null;
    glide = glide === null ? still(state.pose) : toward(glide, state.pose, t);
    trail = longer(trail, state);
    if (m.robot !== null) things = look(things, state, m.robot, lines);
    if (first) {
      if (chosen) tools.show(mode, true);
      else show('follow');
    }
  }

  store.subscribe((m, before) => {
    if (m.state !== null && m.state !== before.state) take(m.state, m);
    if (m.theme !== before.theme) palette = null;
    if (m.stop !== before.stop || m.stopping !== before.stopping) remeasure();
    if (
      m.state !== before.state ||
      m.conn !== before.conn ||
      m.silence !== before.silence ||
      m.theme !== before.theme ||
      m.robot !== before.robot ||
      m.plan !== before.plan ||
      m.world !== before.world ||
      m.tool !== before.tool
    )
      ask();
  });

  function measure(): void {
    free = insets(canvas, region);
  }

  // remeasure follows cards that come and go once they are laid out.
  function remeasure(): void {
    requestAnimationFrame(() => {
      measure();
      if (mode !== 'free') show(mode);
      else ask();
    });
  }

  new ResizeObserver(() => {
    const ratio = devicePixelRatio || 1;
    view = { ...view, width: canvas.clientWidth, height: canvas.clientHeight };
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(view.height * ratio);
    measure();
    ask();
  }).observe(canvas);

  // Cards that come make way for the robot, or the robot for them.
  new ResizeObserver(() => {
    cards = { width: corner.offsetWidth, height: corner.offsetHeight };
    remeasure();
  }).observe(corner);

  void document.fonts.ready.then(() => {
    fonts = true;
    ask();
  });

  setInterval(() => {
    const text = describeMap(store.get(), shown(things).length).join('\n');
    if (text === told) return;
    told = text;
    tools.tell(text.split('\n'));
  }, TELL_MS);

  // ---- hands ----

  const touchOf = (e: PointerEvent): Touch => ({
    x: e.offsetX,
    y: e.offsetY,
    at: toWorld(view, e.offsetX, e.offsetY),
    shift: e.shiftKey,
    finger: e.pointerType === 'touch',
  });

  listenPointers(canvas, {
    take(e) {
      gripped = grips.find((g) => g.take(touchOf(e))) ?? null;
      return gripped !== null;
    },
    taken: (e) => gripped?.move(touchOf(e)),
    end(e) {
      gripped?.end(e === null ? null : touchOf(e));
      gripped = null;
    },
    pan: (dx, dy) => setFree(pan(view, dx, dy)),
    zoom: (factor, x, y) => zoomBy(factor, x, y, false),
    following: () => mode === 'follow',
  });

  const act: Record<string, () => void> = {
    move: () => choose('free'),
    follow: () => choose(mode === 'follow' ? 'free' : 'follow'),
    back: () => choose('follow'),
    floor: () => choose('floor'),
    in: () => zoomBy(1.3, ...middle(), true),
    out: () => zoomBy(1 / 1.3, ...middle(), true),
  };
  tools.onAct((name) => act[name]?.());
  tools.onLayer(layers, (layer, on) => {
    layers = { ...layers, [layer]: on };
    keepLayers(layers);
    ask();
  });

  document.addEventListener('keydown', (e) => {
    const here = e.target === canvas;
    if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || store.get().dialog || typesIn(e.target)) return;
    const arrow = ARROWS[e.code];
    const name = KEYS[e.code];
    if (here && arrow !== undefined) setFree(pan(view, ...arrow));
    else if (name !== undefined && (here || store.get().prefs.letterKeys)) act[name]?.();
    else return;
    e.preventDefault();
  });

  tools.show(mode, false);
  return {
    layer: (height: Height, f) => added[height].push(f),
    grip: (g) => grips.push(g),
    redraw: ask,
    screen: ([x, y]) => toScreen(view, x, y),
    drawGhost(b, pose) {
      const { robot } = store.get();
      if (robot !== null) drawGhost(b, pose, robot.length, robot.width);
    },
    at: (x, y) => toWorld(view, x, y),
    free: () => free,
    things: () => shown(things),
    overview(on) {
      if (on && mode === 'follow') {
        overviewed = true;
        measure();
        show('floor');
      } else if (!on && overviewed && mode === 'floor') {
        overviewed = false;
        show('follow');
      }
    },
    reveal(p) {
      const to = target(now());
      const [x, y] = toScreen(to, ...p);
      const dx = Math.max(0, free.left + EDGE - x) - Math.max(0, x - to.width + free.right + EDGE);
      const dy = Math.max(0, free.top + EDGE - y) - Math.max(0, y - to.height + free.bottom + EDGE);
      if (dx !== 0 || dy !== 0) setFree(pan(to, dx, dy));
    },
  };
}

const EDGE = 40; // px from the edge of what is free
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
