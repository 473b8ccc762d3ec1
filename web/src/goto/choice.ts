// Choice: the goal or the position that a person is choosing, until the robot has taken it or it is dropped. It lives in the
// model as "draft"; here is what changes it and what is sent of it.
import { neat } from './aim.ts';
import { isLost, poseText, wayOf } from './view.ts';
import { pick } from '../dom.ts';
import type { Link } from '../link/index.ts';
import type { Voice } from '../live.ts';
import { isTaken } from '../result.ts';
import { hasControl, isHeld, mayAct, type Draft, type Model, now, type Store, type Tool } from '../store.ts';
import { say, words } from '../words.ts';
import type { Pose } from '../wire.ts';

const STRAY = 0.3; // m the robot may go before a route that is shown is asked for again
const AGAIN = 2; // s between two such questions
const EMPTY = { draft: null, tool: null } satisfies Partial<Model>;

// holdsTool: a press on the map chooses.
export function holdsTool({ tool }: Readonly<Model>): boolean {
  return tool === 'goal' || tool === 'pose';
}

// headingOf is the heading of what is chosen, or else the robot's.
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
  #questions = 0; // so that an old answer changes nothing
  #askedAt = -Infinity; // page time of the last question for a route

  constructor(store: Store, link: Link, voice: Voice) {
    this.#store = store;
    this.#link = link;
    this.#voice = voice;
  }

  // choose shows a pose and asks nothing.
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

  // decide is the end of choosing: the route to a goal is asked for. A position waits for its button.
  decide(pose: Pose, name = ''): void {
    this.choose(neat(pose), name);
    if (kindOf(this.#store.get()) === 'goal') this.#askRoute(false);
  }

  // accept is Enter, or the button of the box: it continues with what comes next.
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

  // drop chooses nothing any more. A focus that goes with it stays near.
  drop(): void {
    const within = this.#form.contains(document.activeElement) || this.#hint.contains(document.activeElement);
    this.#store.set(EMPTY);
    if (within) pick('#goto-new').focus();
  }

  // refresh asks again for a route that begins where the robot no longer is.
  refresh(m: Readonly<Model>): void {
    const d = m.draft;
    if (d === null || d.kind !== 'goal' || d.phase !== 'known' || d.from === null || m.state === null) return;
    const far = Math.hypot(m.state.pose[0] - d.from[0], m.state.pose[1] - d.from[1]);
    if (far > STRAY && now() - this.#askedAt > AGAIN) this.#askRoute(true);
  }

  // askRoute asks for the route to the goal that is chosen; what was known of it is shown until the answer is there.
  #askRoute(again: boolean): void {
    const m = this.#store.get();
    if (m.draft === null || !mayAct(m)) return;
    const question = ++this.#questions;
    this.#askedAt = now();
    this.#store.set({ draft: { ...m.draft, phase: 'asked', from: m.state?.pose ?? null } });
    void this.#link.ask({ type: 'plan', goal: m.draft.pose }).then((answer) => {
      const { draft } = this.#store.get();
      if (draft === null || question !== this.#questions || draft.phase !== 'asked') return; // another pose is chosen by now
      const route = answer.route ?? null;
      this.#store.set({ draft: { ...draft, phase: 'known', route, refusal: route === null ? answer.reason : '' } });
      const { says, by, via, size } = wayOf(this.#store.get());
      if (!again || route === null) this.#voice.say(says || `${`${by} ${via.join(', ')}`.trim()}: ${size}`);
    });
  }

  // give sends what is chosen. When it is taken nothing is chosen any more.
  #give(order: Parameters<Link['ask']>[0], d: Draft, done: string): void {
    const sent: Draft = { ...d, refusal: '', phase: 'asked' };
    this.#store.set({ draft: sent });
    void this.#link.ask(order).then((answer) => {
      const taken = isTaken(answer);
      if (taken && answer.route) this.#store.set({ route: answer.route });
      if (taken && done !== '') this.#store.toast(done, 'SUCCESS');
      if (this.#store.get().draft !== sent) return; // another one is chosen by now
      if (taken && this.#form.contains(document.activeElement)) pick('#tab-goto').focus();
      this.#store.set(taken ? EMPTY : { draft: { ...d, refusal: answer.reason } });
      if (!taken) this.#voice.say(answer.reason);
      else if (answer.word === 'MODIFIED') this.#store.toast(answer.reason, 'MODIFIED');
    });
  }
}
