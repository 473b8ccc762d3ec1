// Joints: the robot from above and from the side with its present joint positions, or its body if it has no
// links, and a slider for each joint. Commands are sent at most every 100 ms, the newest one last. A slider
// shows the position of the joint or, while a person moves it, the target.
import { joints as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { hide, setText } from '../dom.ts';
import { type Model, numbered } from '../store.ts';
import type { Point, Robot } from '../wire.ts';
import { bodyOf, type Mark, marksOf, type Outline, outlinesOf, placeLinks } from './kinematics.ts';
import { describe, type Joint, rangeOf, whyNot } from './view.ts';

const ORDER_MS = 100;

export function mountJoints(context: Context, list: HTMLElement): void {
  const box = make('div', 'joints');
  list.before(box);
  let robot: Robot | null = null;
  let card: Card | null = null;
  const show = (m: Readonly<Model>) => {
    if (m.robot !== robot) {
      robot = m.robot;
      card = robot === null ? null : new Card(context, robot);
      box.replaceChildren(...(card?.parts ?? []));
    }
    card?.show(m);
  };
  context.store.subscribe(show);
  show(context.store.get());
}

function make(tag: string, name: string, text = ''): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

class Card {
  readonly parts: HTMLElement[];
  readonly #context: Context;
  readonly #robot: Robot;
  readonly #above = document.createElement('canvas');
  readonly #side = document.createElement('canvas');
  readonly #rows: Row[];
  readonly #note = make('p', 'joint-note');
  readonly #orders = new Map<string, number>(); // by joint name, commands that wait to be sent
  #timer = 0; // until the next command may be sent; 0: now
  #width = 0; // px of a view; 0: it is folded. Querying the canvas would force a layout with every state
  #drawn = '';
  #shown: Readonly<Model> | null = null;

  constructor(context: Context, robot: Robot) {
    this.#context = context;
    this.#robot = robot;
    this.#rows = (robot.joints ?? []).map((joint) => new Row(joint, (to) => this.#ask(joint.name, to)));
    this.#above.setAttribute('role', 'img');
    this.#above.setAttribute('aria-label', words.above);
    this.#side.setAttribute('role', 'img');
    this.#side.setAttribute('aria-label', words.side);
    const views = make('div', 'joint-views');
    views.append(this.#above, this.#side);
    this.#note.setAttribute('role', 'status');
    const kinds = new Set(marksOf(robot, [0, 0], false).map((mark) => mark.kind));
    const key = make('p', 'joint-key', [...kinds].map((kind) => words.marks[kind]).join(' '));
    this.parts = [views, key, this.#note, ...this.#rows.map((row) => row.element)];
    new ResizeObserver(([entry]) => {
      this.#width = Math.round(entry?.contentRect.width ?? 0);
      if (this.#shown) this.#draw(this.#shown);
    }).observe(this.#above);
  }

  show(m: Readonly<Model>): void {
    const s = m.state?.joints;
    this.#rows.forEach((row, i) => row.show(s?.at[i] ?? null, s?.to[i] ?? null, whyNot(m, i)));
    const note = s?.outside || s?.held || '';
    setText(this.#note, note);
    hide(this.#note, note === '');
    this.#shown = m;
    this.#draw(m);
  }

  #ask(name: string, to: number): void {
    this.#orders.set(name, to);
    if (this.#timer === 0) this.#send();
  }

  #send(): void {
    this.#timer = 0;
    if (this.#orders.size === 0) return;
    const at = Object.fromEntries(this.#orders);
    this.#orders.clear();
    this.#timer = window.setTimeout(() => this.#send(), ORDER_MS);
    void this.#context.link
      .ask({ type: 'joints', ...numbered(this.#context.store.get(), 'arm'), at })
      .then(({ word, reason }) => {
        if (reason !== '') this.#context.store.toast(reason, word);
      });
  }

  #draw(m: Readonly<Model>): void {
    if (this.#width === 0) return;
    const { links = [], joints = [] } = this.#robot;
    const at = m.state?.joints?.at ?? [];
    const head = m.state?.head ?? [0, 0];
    const key = JSON.stringify([at, head.map((angle) => angle.toFixed(2)), m.theme, this.#width]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const placed = placeLinks(links, joints, at);
    const show = (side: boolean) =>
      [[...bodyOf(this.#robot, side), ...outlinesOf(links, placed, side)], marksOf(this.#robot, head, side)] as const;
    draw(this.#above, ...show(false), this.#robot.hull);
    draw(this.#side, ...show(true), null);
  }
}

class Row {
  readonly element = make('div', 'joint');
  readonly #joint: Joint;
  readonly #input = document.createElement('input');
  readonly #value = make('output', '');
  readonly #why = make('small', '');
  readonly #home = document.createElement('button');
  #held = 0; // ms, until then the slider remains where a person has put it

  constructor(joint: Joint, ask: (to: number) => void) {
    this.#joint = joint;
    const [least, most] = rangeOf(joint);
    const label = make('label', '', joint.name);
    this.#input.type = 'range';
    this.#input.id = `joint-${joint.name}`;
    label.setAttribute('for', this.#input.id);
    Object.assign(this.#input, {
      min: String(least),
      max: String(most),
      step: joint.kind === 'turn' ? '0.01' : '0.001',
    });
    this.#input.oninput = () => {
      this.#held = performance.now() + 1000;
      ask(this.#input.valueAsNumber);
    };
    this.#home.type = 'button';
    this.#home.className = 'btn sm';
    this.#home.textContent = words.home;
    this.#home.setAttribute('aria-label', `${words.home}: ${joint.name}`);
    this.#home.onclick = () => ask(joint.home);
    this.#value.ariaLive = 'off'; // it changes ten times a second
    this.element.dataset['joint'] = joint.name;
    this.element.append(label, this.#value, this.#input, this.#home, this.#why);
  }

  show(at: number | null, to: number | null, why: string): void {
    const [least, most] = rangeOf(this.#joint);
    const range = `${describe(this.#joint, least)} … ${describe(this.#joint, most)}`;
    const text =
      to === null ? describe(this.#joint, at) : `${describe(this.#joint, at)} → ${describe(this.#joint, to)}`;
    setText(this.#value, text);
    setText(this.#why, why === '' ? range : why);
    this.#input.disabled = this.#home.disabled = why !== '';
    this.#input.setAttribute('aria-valuetext', describe(this.#joint, to ?? at));
    if (at !== null && performance.now() > this.#held) this.#input.value = String(to ?? at);
    const share = (this.#input.valueAsNumber - least) / (most - least);
    this.#input.style.setProperty('--at', share.toFixed(3));
    if (at !== null) this.element.dataset['at'] = at.toFixed(3);
  }
}

// draw fits the robot into a canvas: x to the right, the other axis up, one scale for both views.
function draw(
  canvas: HTMLCanvasElement,
  shapes: readonly Outline[],
  marks: readonly Mark[],
  hull: readonly Point[] | null,
): void {
  const c = canvas.getContext('2d');
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (!c || w === 0) return;
  const ratio = window.devicePixelRatio;
  canvas.width = w * ratio;
  canvas.height = h * ratio;
  const style = getComputedStyle(canvas);
  const all = [...shapes.flatMap((s) => s.points), ...marks.map((mark) => mark.at), ...(hull ?? [[0, 0] as Point])];
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((w - 28) / (right - left), (h - 28) / (high - low));
  const at = ([x, y]: Point): Point => [
    w / 2 + (x - (left + right) / 2) * scale,
    h / 2 - (y - (low + high) / 2) * scale,
  ];
  c.scale(ratio, ratio);
  const path = (points: readonly Point[]) => {
    c.beginPath();
    for (const p of points) c.lineTo(...at(p));
    c.closePath();
  };
  c.lineWidth = 1;
  for (const { points, color } of shapes) {
    path(points);
    c.fillStyle = color || style.getPropertyValue('--robot');
    c.strokeStyle = style.getPropertyValue('--surface-1');
    c.fill();
    c.stroke();
  }
  c.strokeStyle = style.getPropertyValue('--robot');
  if (hull) {
    path(hull);
    c.setLineDash([4, 3]);
    c.stroke();
  } else {
    c.beginPath();
    c.moveTo(0, at([0, 0])[1]);
    c.lineTo(w, at([0, 0])[1]);
    c.stroke();
  }
  for (const mark of marks) drawMark(c, style, at(mark.at), mark, hull !== null, scale);
}

const LOOKS = {
  sonar: { color: '--robot', filled: true },
  wheel: { color: '--text-3', filled: true },
  lidar: { color: '--accent', filled: false },
  camera: { color: '--text', filled: false },
};

// drawMark draws a sonar as a dot, a lidar as a ring with a hand in its forward direction, the camera as a
// wedge in its viewing direction, a wheel as a bar from above and as a disc from the side, all with a
// contrasting edge.
function drawMark(
  c: CanvasRenderingContext2D,
  style: CSSStyleDeclaration,
  [x, y]: Point,
  { kind, to, radius = 0 }: Mark,
  above: boolean,
  scale: number,
): void {
  const [dx, dy] = [to[0], -to[1]];
  const r = Math.max(4, radius * scale);
  c.setLineDash([]);
  c.beginPath();
  if (kind === 'sonar') c.arc(x, y, 2, 0, 2 * Math.PI);
  else if (kind === 'wheel') {
    if (above) c.rect(x - r, y - 3, 2 * r, 6);
    else c.arc(x, y, r, 0, 2 * Math.PI);
  } else if (kind === 'lidar') {
    c.arc(x, y, 5, 0, 2 * Math.PI);
    c.moveTo(x, y);
    c.lineTo(x + 9 * dx, y + 9 * dy);
  } else {
    c.moveTo(x + 14 * dx - 6 * dy, y + 14 * dy + 6 * dx);
    c.lineTo(x, y);
    c.lineTo(x + 14 * dx + 6 * dy, y + 14 * dy - 6 * dx);
  }
  const { color, filled } = LOOKS[kind];
  c.lineWidth = filled ? 2 : 5;
  c.strokeStyle = style.getPropertyValue('--surface-1');
  c.stroke();
  c.lineWidth = 2;
  c.strokeStyle = c.fillStyle = style.getPropertyValue(color);
  if (filled) c.fill();
  else c.stroke();
}
