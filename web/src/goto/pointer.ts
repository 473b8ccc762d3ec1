// Pointer: choosing a goal or a position on the map, by pointer and by keys, and drawing it there.
import { type Aim, drag, grasp, neat, nudge, SAID_MS } from './aim.ts';
import { type Choice, headingOf, holdsTool } from './choice.ts';
import { after } from './line.ts';
import { drawDial, drawHull, drawLabel, drawPin, drawRoute } from './marks.ts';
import { poseText, tagOf, underWay } from './view.ts';
import { rested, type Voice } from '../live.ts';
import type { Brush } from '../map/brush.ts';
import type { Stage, Touch } from '../map/stage.ts';
import { mayAct, type Draft, type Model, type Store } from '../store.ts';

const NARROW = 600; // px

export class Pointer {
  readonly #canvas: HTMLCanvasElement;
  readonly #store: Store;
  readonly #stage: Stage;
  readonly #tell: (text: string) => void;
  readonly #choice: Choice;
  #aim: Aim | null = null; // what the pointer drags
  #before: Draft | null = null; // what was chosen before the drag

  constructor(canvas: HTMLCanvasElement, store: Store, stage: Stage, voice: Voice, choice: Choice) {
    this.#canvas = canvas;
    this.#store = store;
    this.#stage = stage;
    this.#tell = rested((text) => voice.say(text), SAID_MS);
    this.#choice = choice;
    stage.grip({
      take: (touch) => this.#take(touch),
      move: (touch) => this.#move(touch),
      end: (touch) => this.#end(touch),
    });
    stage.layer('floor', (b) => this.#drawRoutes(b));
    stage.layer('over', (b) => this.#drawChoice(b));
    canvas.addEventListener('keydown', (e) => this.#key(e));
  }

  holds(): boolean {
    return this.#aim !== null;
  }

  // forget drops the drag.
  forget(): void {
    this.#aim = null;
  }

  #take(touch: Touch): boolean {
    const m = this.#store.get();
    if (!mayAct(m) || (!holdsTool(m) && m.draft === null)) return false;
    const shown = m.draft === null ? null : { pose: m.draft.pose, pin: this.#stage.screen(m.draft.pose) };
    this.#aim = grasp(touch, this.#stage.at, shown, holdsTool(m), headingOf(m));
    this.#before = m.draft;
    if (this.#aim === null) return false;
    if (this.#aim.far || this.#aim.way === 'place') this.#choice.choose(this.#aim.pose);
    this.#canvas.focus({ preventScroll: true }); // Enter continues, and keys correct the pose
    return true;
  }

  #move(touch: Touch): void {
    if (this.#aim === null) return;
    const { pose } = this.#aim;
    this.#aim = drag(this.#aim, touch, this.#stage.screen(pose));
    if (this.#aim.pose !== pose) this.#choice.choose(this.#aim.pose);
  }

  #end(touch: Touch | null): void {
    if (this.#aim === null) return;
    if (touch !== null) this.#move(touch);
    const { far, pose } = this.#aim;
    this.#aim = null;
    if (touch === null) this.#store.set({ draft: this.#before });
    else if (far) this.#choice.decide(pose);
  }

  // key moves a cursor on the map while the map has the focus and a tool is selected.
  #key(e: KeyboardEvent): void {
    const m = this.#store.get();
    if (e.ctrlKey || e.altKey || e.metaKey || m.dialog || !mayAct(m) || !holdsTool(m)) return;
    const pose = nudge(m.draft?.pose ?? neat(m.state?.pose ?? [0, 0, 0]), e.code, e.shiftKey);
    if (pose === null) return;
    e.preventDefault();
    this.#choice.choose(pose);
    this.#stage.reveal([pose[0], pose[1]]);
    this.#tell(poseText(pose));
  }

  #drawRoutes(b: Brush): void {
    const m = this.#store.get();
    const goal = underWay(m);
    if (goal !== null && m.route !== null && m.route.n === goal.route)
      drawRoute(b, after(m.route.line, goal.done), false);
    if (m.draft?.route && m.draft.phase !== 'aiming') drawRoute(b, m.draft.route.line, true);
    if (goal !== null) drawPin(b, goal.goal, false, true);
  }

  #drawChoice(b: Brush): void {
    const m: Readonly<Model> = this.#store.get();
    const d = m.draft;
    const goal = underWay(m);
    const free = this.#stage.free();
    if (goal !== null && d === null && b.v.width > NARROW) drawLabel(b, goal.goal, tagOf(goal), 34, false, free);
    if (d === null) return;
    const bad = d.refusal !== '';
    drawDial(b, d.pose, bad);
    if (d.kind === 'goal') drawPin(b, d.pose, bad, false);
    else if (m.robot !== null) drawHull(b, d.pose, m.robot);
    drawLabel(b, d.pose, poseText(d.pose), 106, bad, free);
  }
}
