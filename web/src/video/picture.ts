// Picture: the displayed frame, turned to the camera's predicted direction, with drawings on its floor.
import { eye as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { hide, pick, setText } from '../dom.ts';
import type { Prediction } from '../drive/pilot.ts';
import { widthOf } from '../hull.ts';
import { type Model, now } from '../store.ts';
import { wrap } from '../virtualrobot/step.ts';
import { say } from '../words.ts';
import type { Head, Point } from '../wire.ts';
import { mountEdge } from './edge.ts';
import { type Seen, States, takenAt } from './frame-pose.ts';
import type { HeadControl } from './head-control.ts';
import { mountOverlay } from './overlay.ts';
import { type Angles, type Cover, coverOf, css, homography, turned, type View, viewOf } from './view.ts';

const OLD = 0.15; // s, age of a picture from which it is shown
const TURNED = (2 * Math.PI) / 180; // rad, turn of a view from which it is labelled
const TAGS_MS = 200; // between two updates of the tags
const STILL = 1e-4; // rad; a smaller turn is ignored

// Frame is the displayed picture: when it was taken, by the robot's clock, and from where.
interface Frame {
  taken: number;
  view: View;
  angles: Angles;
}

// Setting has the panel's settings of the picture.
export interface Setting {
  live(): boolean; // pictures arrive
  ahead(): boolean; // the view is predicted
  small(): boolean; // it is in a corner of a phone's map, without tags
}

export class Picture {
  readonly #context: Context;
  readonly #head: HeadControl;
  readonly #setting: Setting;
  readonly #eye = pick('#eye');
  readonly #video = pick<HTMLVideoElement>('#eye-video');
  readonly #sheet = pick('#eye-turn'); // the parent of the video
  readonly #lilacTag = pick('#eye-lilac');
  readonly #turnedTag = pick('#eye-turned');
  readonly #ageTag = pick('#eye-age');
  readonly #anglesTag = pick('#eye-angles');
  readonly #overlay = mountOverlay(pick<HTMLCanvasElement>('#eye-over'));
  readonly #edge = mountEdge(pick<HTMLCanvasElement>('#eye-edge'));
  readonly #states = new States();
  #glass: { w: number; h: number }; // px, measured on changes, because measuring in every frame would force a layout
  #frame: Frame | null = null;
  #requested = 0; // animation frame; 0: none is requested
  #paintedAt = 0; // page time
  #taggedAt = 0; // ms
  #transform = '';

  constructor(context: Context, head: HeadControl, setting: Setting) {
    this.#context = context;
    this.#head = head;
    this.#setting = setting;
    const glass = pick('#eye-glass');
    this.#glass = { w: glass.clientWidth, h: glass.clientHeight };
    new ResizeObserver(([at]) => {
      if (at === undefined) return;
      this.#glass = { w: at.contentRect.width, h: at.contentRect.height };
      this.redraw();
    }).observe(glass);
    context.store.subscribe((m, before) => {
      if (m.state !== null && m.state !== before.state) this.#states.add(m.state);
    });
  }

  // take notes which picture the video shows, by its RTP timestamp.
  take(rtp: number): void {
    const { robot, offset } = this.#context.store.get();
    const head = robot?.head;
    if (head === undefined || offset === null) return;
    const taken = takenAt(rtp, now() + offset);
    const seen = this.#states.at(taken);
    if (seen !== null) this.#frame = { taken, angles: seen.head, view: viewOf(head, seen.head, seen.pose) };
  }

  cover(head: Head): Cover {
    return coverOf(this.#glass, head);
  }

  redraw(): void {
    if (this.#requested === 0) this.#requested = requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    this.#requested = 0;
    const t = now();
    const dt = Math.min(0.1, t - this.#paintedAt);
    this.#paintedAt = t;
    const m = this.#context.store.get();
    const head = m.robot?.head;
    if (head === undefined || m.state === null || this.#eye.hidden) return;
    const angles = this.#head.advance(t, dt, m.state.head, head.speed);
    const cover = this.cover(head);
    const width = `${(cover.k * head.width).toFixed(1)}px`;
    const { style } = this.#sheet;
    if (style.width !== width) {
      Object.assign(style, { width, height: `${cover.k * head.height}px`, left: `${cover.x}px`, top: `${cover.y}px` });
    }
    if (this.#frame !== null && this.#setting.live() && m.offset !== null)
      this.#paintFrame(m, this.#frame, angles, cover, t);
    else this.#clear(t);
    this.redraw();
  }

  #clear(t: number): void {
    this.#turn('');
    this.#edge.show(null, t);
    this.#overlay.clear();
    hide(this.#lilacTag, true);
    this.#showTags(0, null);
  }

  #paintFrame(m: Readonly<Model>, frame: Frame, angles: Angles, cover: Cover, t: number): void {
    const predicted = this.#context.predicted();
    const shown = predicted?.shown === true ? predicted : null;
    const by = this.#setting.ahead() ? turnOf(frame, this.#states.at(frame.taken), angles, shown) : { yaw: 0, tilt: 0 };
    const view = turned(frame.view, frame.angles, by);
    const moves = Math.abs(by.yaw) > STILL || Math.abs(by.tilt) > STILL;
    this.#turn(moves ? css(homography(frame.view, view), cover.k) : '');
    this.#edge.show(moves ? this.#video : null, t);
    const lilac = this.#overlay.draw(view, cover, {
      committed: shown?.committed ?? null,
      ahead: shown?.ahead ?? null,
      route: routeOf(m),
      width: m.robot ? widthOf(m.robot.hull) : 0.45,
    });
    this.#showTags(Math.hypot(by.yaw, by.tilt), now() + (m.offset ?? 0) - frame.taken);
    hide(this.#lilacTag, !lilac || this.#setting.small());
  }

  #turn(transform: string): void {
    if (transform !== this.#transform) this.#sheet.style.transform = this.#transform = transform;
  }

  // showTags labels the turn of the picture, its age (null: there is none), and the direction of the head.
  #showTags(turn: number, age: number | null): void {
    if (performance.now() - this.#taggedAt < TAGS_MS) return;
    this.#taggedAt = performance.now();
    const { state, robot } = this.#context.store.get();
    const small = this.#setting.small();
    hide(this.#turnedTag, turn < TURNED || small);
    setText(this.#turnedTag, say(words.turned, { deg: `${Math.round((turn * 180) / Math.PI)}°` }));
    hide(this.#ageTag, age === null || age < OLD);
    if (age !== null) setText(this.#ageTag, say(words.age, { s: age.toFixed(2) }));
    const at = state?.head;
    hide(this.#anglesTag, at === undefined || robot?.head === undefined || small);
    if (at !== undefined) setText(this.#anglesTag, say(words.angles, { pan: degrees(at[0]), tilt: degrees(at[1]) }));
  }
}

// turnOf returns the turn of a frame: to the present direction of the head, and by the predicted robot's
// turn since it was taken.
function turnOf(
  frame: Frame,
  then: Seen | null,
  angles: Angles,
  predicted: Prediction | null,
): { yaw: number; tilt: number } {
  const robot = then === null || predicted === null ? 0 : predicted.pose[2] - then.pose[2];
  return { yaw: then === null ? 0 : wrap(robot + angles[0] - frame.angles[0]), tilt: angles[1] - frame.angles[1] };
}

// routeOf returns the route of a goal that is underway.
function routeOf({ state, route }: Readonly<Model>): Point[] | null {
  const phase = state?.goal?.phase;
  return route !== null && (phase === 'driving' || phase === 'paused') ? route.line : null;
}

function degrees(x: number): string {
  const d = Math.round((x * 180) / Math.PI);
  return `${d < 0 ? '\u2212' : ''}${Math.abs(d)}°`;
}
