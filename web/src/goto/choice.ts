// Choice: the goal or the position that a person is choosing, until the robot has accepted it or the person
// drops it. It is "draft" in the model; this class changes it and sends it.
import { neat } from './aim.ts';
import { isLost, poseText, wayOf } from './view.ts';
import { pick } from '../dom.ts';
import type { Link } from '../link/index.ts';
import type { Voice } from '../live.ts';
import { isTaken } from '../result.ts';
import { hasControl, isHeld, mayAct, type Draft, type Model, now, type Store, type Tool } from '../store.ts';
import { say, words } from '../words.ts';
import type { Pose } from '../wire.ts';

const STRAY = 0.3; // m that the robot may drive before a shown route is requested again
const AGAIN = 2; // s between two such requests
const EMPTY = { draft: null, tool: null } satisfies Partial<Model>;

// holdsTool: a press on the map chooses.
export function holdsTool({ tool }: Readonly<Model>): boolean {
  return tool === 'goal' || tool === 'pose';
}

// headingOf returns the chosen heading, or else the robot's.
export function headingOf(m: Readonly<Model>): number {
  return m.draft?.pose[2] ?? m.state?.pose[2] ?? 0;
}

function kindOf(m: Readonly<Model>): Draft['kind'] {
  return m.draft?.kind ?? (m.tool === 'pose' ? 'pose' : 'goal');
}

export class Choice {
  readonly #store: Store;
  readonly #link: Link;
  readonly #voice: Voice;
  readonly #form = pick('#draft');
  readonly #hint = pick('#hint');
  #questions = 0; // number of the newest request, so that older answers are ignored
  #askedAt = -Infinity; // page time of the last route request

  constructor(store: Store, link: Link, voice: Voice) {
    this.#store = store;
    this.#link = link;
    this.#voice = voice;
  }

  // choose shows a pose and sends nothing.
  choose(pose: Pose, name = ''): void {
    const draft: Draft = {
      kind: kindOf(this.#store.get()),
      pose,
      name,
      phase: 'aiming',
      from: null,
      route: null,
      refusal: '',
    };
    this.#store.set({ tab: 'goto', draft });
  }

  // decide ends a choice: it requests the route to a goal. A position waits for its button.
  decide(pose: Pose, name = ''): void {
    this.choose(neat(pose), name);
    if (kindOf(this.#store.get()) === 'goal') this.#askRoute(false);
  }

  // accept is Enter, or the button of the box: it does the next step.
  accept(): void {
    const m = this.#store.get();
    const d = m.draft;
    if (d === null || !mayAct(m) || d.phase === 'asked') return;
    if (d.kind === 'pose')
      this.#give({ type: 'pose', pose: d.pose }, d, say(words.goto.poseDone, { pose: poseText(d.pose) }));
    else if (d.phase === 'aiming') this.decide(d.pose, d.name);
    else if (d.route !== null && !isLost(m) && !isHeld(m)) {
      this.#give({ type: 'goto', goal: d.pose, ...(d.name === '' ? {} : { name: d.name }) }, d, '');
    }
  }

  take(tool: Tool | null): void {
    const m = this.#store.get();
    if (tool === null) this.#store.set({ tool });
    else if (hasControl(m)) this.#store.set({ tab: 'goto', tool, draft: m.draft?.kind === tool ? m.draft : null });
  }

  // drop ends the choice. A focus on it moves to a nearby element.
  drop(): void {
    const within = this.#form.contains(document.activeElement) || this.#hint.contains(document.activeElement);
    this.#store.set(EMPTY);
    if (within) pick('#goto-new').focus();
  }

  // refresh requests the route again when the robot has left its start.
  refresh(m: Readonly<Model>): void {
    const d = m.draft;
    if (d === null || d.kind !== 'goal' || d.phase !== 'known' || d.from === null || m.state === null) return;
    const far = Math.hypot(m.state.pose[0] - d.from[0], m.state.pose[1] - d.from[1]);
    if (far > STRAY && now() - this.#askedAt > AGAIN) this.#askRoute(true);
  }

  // askRoute requests the route to the chosen goal; the old route is shown until the answer arrives.
  #askRoute(again: boolean): void {
    const m = this.#store.get();
    if (m.draft === null || !mayAct(m)) return;
    const question = ++this.#questions;
    this.#askedAt = now();
    this.#store.set({ draft: { ...m.draft, phase: 'asked', from: m.state?.pose ?? null } });
    void this.#link.ask({ type: 'plan', goal: m.draft.pose }).then((answer) => {
      const { draft } = this.#store.get();
      if (draft === null || question !== this.#questions || draft.phase !== 'asked') return; // another pose has been chosen meanwhile
      const route = answer.route ?? null;
      this.#store.set({ draft: { ...draft, phase: 'known', route, refusal: route === null ? answer.reason : '' } });
      const { says, by, via, size } = wayOf(this.#store.get());
      if (!again || route === null) this.#voice.say(says || `${`${by} ${via.join(', ')}`.trim()}: ${size}`);
    });
  }

  // give sends the choice. Once it is accepted, nothing is chosen.
  #give(order: Parameters<Link['ask']>[0], d: Draft, done: string): void {
    const sent: Draft = { ...d, refusal: '', phase: 'asked' };
    this.#store.set({ draft: sent });
    void this.#link.ask(order).then((answer) => {
      const taken = isTaken(answer);
      if (taken && answer.route) this.#store.set({ route: answer.route });
      if (taken && done !== '') this.#store.toast(done, 'SUCCESS');
      if (this.#store.get().draft !== sent) return; // another one has been chosen meanwhile
      if (taken && this.#form.contains(document.activeElement)) pick('#tab-goto').focus();
      this.#store.set(taken ? EMPTY : { draft: { ...d, refusal: answer.reason } });
      if (!taken) this.#voice.say(answer.reason);
      else if (answer.word === 'MODIFIED') this.#store.toast(answer.reason, 'MODIFIED');
    });
  }
}
