// Go to: a person chooses a goal on the map, by place, by numbers or by keys; the robot plans the route;
// after confirmation it drives. In the same way a person corrects the robot's position.
import { Choice, holdsTool } from './choice.ts';
import { Form } from './form.ts';
import { showPanel } from './panel.ts';
import { Pointer } from './pointer.ts';
import { GoalUnderWay } from './under-way.ts';
import { endOf } from './view.ts';
import type { Context } from '../context.ts';
import { pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import type { Stage } from '../map/stage.ts';
import { whyByHand } from '../parts/lacks.ts';
import { hasControl, type Model, type Store } from '../store.ts';
import { words } from '../words.ts';
import type { Floorplan } from '../wire.ts';

// GotoTab binds the elements of GotoPanel, aimHint and blockedCard for as long as the page lives.
export class GotoTab {
  readonly #store: Store;
  readonly #stage: Stage;
  readonly #canvas = pick<HTMLCanvasElement>('#map');
  readonly #hint = pick('#hint');
  readonly #choice: Choice;
  readonly #pointer: Pointer;
  readonly #form: Form;
  readonly #goal: GoalUnderWay;
  readonly #showPanel: (m: Readonly<Model>, fault: string) => void;

  constructor({ store, link, stage, voice }: Context) {
    this.#store = store;
    this.#stage = stage;
    this.#choice = new Choice(store, link, voice);
    this.#pointer = new Pointer(this.#canvas, store, stage, voice, this.#choice);
    this.#form = new Form(store, stage, voice, this.#choice, () => this.#show(store.get()));
    this.#goal = new GoalUnderWay(store, link, voice);
    this.#showPanel = showPanel((place) => this.#choosePlace(place));
    this.#bindButtons();
    document.addEventListener('keydown', (e) => this.#key(e));
    store.subscribe((m, before) => this.#follow(m, before));
    this.#show(store.get());
  }

  #bindButtons(): void {
    const drop = () => this.#drop();
    pick('button', this.#hint).onclick = drop;
    pick('#draft-drop').onclick = drop;
    pick('#goto-new').onclick = (e) => {
      this.#choice.take('goal');
      if (e.detail === 0) this.#form.focus(); // from the keyboard
    };
    for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-do=pose]')) {
      button.onclick = () => this.#choice.take('pose');
    }
    pick('[data-map=goal]').addEventListener('click', () => this.#toggleGoal());
    pick('[data-map=move]').addEventListener('click', () => {
      if (holdsTool(this.#store.get())) this.#choice.take(null);
    });
  }

  #toggleGoal(): void {
    if (whyByHand(this.#store.get().robot) !== '') return;
    this.#choice.take(this.#store.get().tool === 'goal' ? null : 'goal');
  }

  #choosePlace({ pose, name }: Floorplan['places'][number]): void {
    const { draft, tool } = this.#store.get();
    this.#form.forgive();
    if (draft?.kind === 'pose' || tool === 'pose') this.#store.set({ draft: null, tool: null });
    this.#choice.decide(pose, name);
    this.#stage.reveal([pose[0], pose[1]]);
    this.#form.element.focus({ preventScroll: true }); // Enter continues
  }

  #key(e: KeyboardEvent): void {
    const m = this.#store.get();
    if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || e.repeat || m.dialog) return;
    if (e.key === 'Escape') {
      if (typesIn(e.target)) (e.target as HTMLElement).blur();
      else if (isChoosing(m)) this.#drop();
      return;
    }
    if (typesIn(e.target)) return;
    if (e.key === 'Enter' && m.draft !== null && !takesEnter(e.target)) this.#choice.accept();
    else if (m.prefs.letterKeys && e.code === 'KeyG') {
      this.#toggleGoal();
      if (this.#store.get().tool === 'goal') this.#canvas.focus();
    } else if (m.prefs.letterKeys && e.code === 'KeyP') this.#goal.pause();
    else return;
    e.preventDefault();
  }

  #drop(): void {
    this.#pointer.forget();
    this.#choice.drop();
  }

  #follow(m: Readonly<Model>, before: Readonly<Model>): void {
    if (m.tab !== before.tab && m.tab !== 'goto' && isChoosing(m)) this.#drop();
    if (before.you !== null && hasControl(before) && !hasControl(m) && isChoosing(m)) this.#drop();
    const otherTool = m.tool !== before.tool && m.tool !== null && !holdsTool(m);
    if (otherTool && m.draft !== null) this.#store.set({ draft: null });
    const end = m.state !== before.state ? endOf(m.state, before.state) : null;
    // A job announces its failures itself.
    if (end !== null && (end.word === 'SUCCESS' || before.state?.mode !== 'job')) this.#store.toast(end.text, end.word);
    if (m.draft !== before.draft || m.route !== before.route || m.tool !== before.tool) this.#stage.redraw();
    this.#show(m);
    if (!this.#pointer.holds()) this.#choice.refresh(m);
  }

  #show(m: Readonly<Model>): void {
    if (!isChoosing(m)) this.#form.forgive();
    this.#showPanel(m, this.#form.fault());
    this.#goal.show(m);
    this.#hint.hidden = !holdsTool(m) || m.draft !== null;
    setText(pick('span', this.#hint), m.tool === 'pose' ? words.goto.hintPose : words.goto.hintGoal);
    pick('[data-map=goal]').setAttribute('aria-pressed', String(m.tool === 'goal'));
  }
}

function isChoosing(m: Readonly<Model>): boolean {
  return m.draft !== null || holdsTool(m);
}

// takesEnter reports whether a focused element uses Enter itself.
function takesEnter(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, select, summary, input') !== null;
}
