// Go to: a goal is chosen on the map, by place, by numbers or by keys; the robot tells the way; only then it is sent there.
// The same hand tells the robot where it is.
import { type Aim, drag, grasp, neat, nudge } from './aim.ts';
import { type Episode, episodeOf } from './episode.ts';
import { after } from './line.ts';
import { drawDial, drawHull, drawLabel, drawPin, drawRoute } from './marks.ts';
import { poseOf } from './numbers.ts';
import { showPanel } from './panel.ts';
import { endOf, isLost, nameOfGoal, poseText, tagOf, underWay, wayOf } from './view.ts';
import { pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import type { Link } from '../link/index.ts';
import type { Voice } from '../live.ts';
import type { Brush } from '../map/brush.ts';
import type { Stage, Touch } from '../map/stage.ts';
import { hasControl, mayAct, type Draft, type Model, now, type Store, type Tool } from '../store.ts';
import { say, words } from '../words.ts';
import type { Point, Pose, Result } from '../wire.ts';

const STRAY = 0.3; // m the robot may go before a way that is shown is asked for again
const AGAIN = 2; // s between two such questions
const SAID_MS = 600; // a cursor that rests so long is told

// mountGoto binds the elements of GotoPanel, aimHint and blockedCard for as long as the page lives.
export function mountGoto(store: Store, link: Link, stage: Stage, voice: Voice): void {
  const canvas = pick<HTMLCanvasElement>('#map');
  const form = pick<HTMLFormElement>('#draft');
  const fields = ['#draft-x', '#draft-y', '#draft-deg'].map((s) => pick<HTMLInputElement>(s));
  const hint = pick('#hint');
  let aim: Aim | null = null; // what the pointer holds
  let before: Draft | null = null; // what was chosen when it took hold
  let fault = ''; // what is wrong with the numbers that were typed
  let asked = { at: -Infinity, n: 0 }; // the last question for a way
  let episode: Episode | null = null; // of a blocked way
  let resting = 0;

  // ---- what is chosen ----

  const heading = (m: Readonly<Model>) => m.draft?.pose[2] ?? m.state?.pose[2] ?? 0;
  const kind = (m: Readonly<Model>): Draft['kind'] => m.draft?.kind ?? (m.tool === 'pose' ? 'pose' : 'goal');

  // choose shows a pose and asks nothing.
  function choose(pose: Pose, name = ''): void {
    const m = store.get();
    store.set({
      tab: 'goto',
      draft: { kind: kind(m), pose, name, phase: 'aiming', from: null, route: null, refusal: '' },
    });
  }

  // decide is the end of choosing: the way to a goal is asked for. A position waits for its button.
  function decide(pose: Pose, name = ''): void {
    choose(neat(pose), name);
    if (kind(store.get()) === 'goal') askWay();
  }

  // askWay asks for the way to the goal that is chosen; what was known of it is shown until the answer is there.
  function askWay(again = false): void {
    const m = store.get();
    if (m.draft === null || !mayAct(m)) return;
    const n = ++asked.n;
    asked.at = now();
    store.set({ draft: { ...m.draft, phase: 'asked', from: m.state?.pose ?? null } });
    void link.ask({ type: 'plan', goal: m.draft.pose }).then((answer) => {
      const { draft } = store.get();
      if (draft === null || n !== asked.n || draft.phase !== 'asked') return; // another pose is chosen by now
      const route = answer.route ?? null;
      store.set({ draft: { ...draft, phase: 'known', route, refusal: route === null ? answer.reason : '' } });
      const { says, by, via, size } = wayOf(store.get());
      if (!again || route === null) voice.say(says || `${`${by} ${via.join(', ')}`.trim()}: ${size}`);
    });
  }

  // accept is Enter, or the button of the box: it goes on to what comes next.
  function accept(): void {
    const m = store.get();
    const d = m.draft;
    if (d === null || !mayAct(m) || d.phase === 'asked') return;
    if (d.kind === 'pose')
      give({ type: 'pose', pose: d.pose }, d, say(words.goto.poseDone, { pose: poseText(d.pose) }));
    else if (d.phase === 'aiming') decide(d.pose, d.name);
    else if (d.route !== null && !isLost(m) && m.stop === null && m.stopping === null)
      give({ type: 'goto', goal: d.pose, ...(d.name === '' ? {} : { name: d.name }) }, d, '');
  }

  // give sends what is chosen. When it is taken the hand is empty again.
  function give(order: Parameters<Link['ask']>[0], d: Draft, done: string): void {
    const sent: Draft = { ...d, phase: 'asked' };
    store.set({ draft: sent });
    void link.ask(order).then((answer) => {
      const taken = isTaken(answer);
      if (taken && answer.route) store.set({ route: answer.route });
      if (taken && done !== '') store.toast(done, 'SUCCESS');
      if (store.get().draft !== sent) return; // another one is chosen by now
      if (taken && form.contains(document.activeElement)) pick('#tab-goto').focus();
      store.set(taken ? empty : { draft: { ...d, refusal: answer.reason } });
      if (!taken) voice.say(answer.reason);
      else if (answer.word === 'MODIFIED') store.toast(answer.reason, 'MODIFIED');
    });
  }

  const empty = { draft: null, tool: null } satisfies Partial<Model>;

  function take(tool: Tool | null): void {
    const m = store.get();
    if (tool === null) store.set({ tool });
    else if (hasControl(m)) store.set({ tab: 'goto', tool, draft: m.draft?.kind === tool ? m.draft : null });
  }

  // ---- the map ----

  const pinOf = (pose: Pose): Point => {
    const { x, y } = stage.touch([pose[0], pose[1]]);
    return [x, y];
  };
  const holds = (m: Readonly<Model>) => m.tool === 'goal' || m.tool === 'pose';

  stage.grip({
    take(touch) {
      const m = store.get();
      if (!mayAct(m) || (!holds(m) && m.draft === null)) return false;
      const shown = m.draft === null ? null : { pose: m.draft.pose, pin: pinOf(m.draft.pose) };
      aim = grasp(touch, stage.at, shown, holds(m), heading(m));
      before = m.draft;
      if (aim === null) return false;
      if (aim.far || aim.way === 'place') choose(aim.pose);
      canvas.focus({ preventScroll: true }); // Enter goes on, and the keys correct
      return true;
    },
    move: follow,
    end(touch) {
      if (aim === null) return;
      if (touch !== null) follow(touch);
      const { far, pose } = aim;
      aim = null;
      if (touch === null) store.set({ draft: before });
      else if (far) decide(pose);
    },
  });

  function follow(touch: Touch): void {
    if (aim === null) return;
    const { pose } = aim;
    aim = drag(aim, touch, pinOf(pose));
    if (aim.pose !== pose) choose(aim.pose);
  }

  stage.layer('floor', (b) => {
    const m = store.get();
    const goal = underWay(m);
    if (goal !== null && m.route !== null && m.route.n === goal.route)
      drawRoute(b, after(m.route.line, goal.done), false);
    if (m.draft?.route && m.draft.phase !== 'aiming') drawRoute(b, m.draft.route.line, true);
    if (goal !== null) drawPin(b, goal.goal, false, true);
  });

  stage.layer('over', (b) => {
    const m = store.get();
    const goal = underWay(m);
    if (goal !== null && m.draft === null && b.v.width > 600)
      drawLabel(b, goal.goal, tagOf(goal), 34, false, stage.free());
    if (m.draft !== null) drawDraft(b, m, m.draft);
  });

  function drawDraft(b: Brush, m: Readonly<Model>, d: Draft): void {
    const bad = d.refusal !== '';
    drawDial(b, d.pose, bad);
    if (d.kind === 'goal') drawPin(b, d.pose, bad, false);
    else if (m.robot !== null) drawHull(b, d.pose, m.robot);
    drawLabel(b, d.pose, poseText(d.pose), 106, bad, stage.free());
  }

  // The keys move a cursor on the map while it has the focus and a tool is in the hand.
  canvas.addEventListener('keydown', (e) => {
    const m = store.get();
    if (e.ctrlKey || e.altKey || e.metaKey || m.dialog || !mayAct(m) || !holds(m)) return;
    const pose = nudge(m.draft?.pose ?? neat(m.state?.pose ?? [0, 0, 0]), e.code, e.shiftKey);
    if (pose === null) return;
    e.preventDefault();
    choose(pose);
    stage.reveal([pose[0], pose[1]]);
    clearTimeout(resting);
    resting = window.setTimeout(() => voice.say(poseText(pose)), SAID_MS);
  });

  // ---- keys ----

  document.addEventListener('keydown', (e) => {
    const m = store.get();
    if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || e.repeat || m.dialog) return;
    if (e.key === 'Escape') {
      if (typesIn(e.target)) (e.target as HTMLElement).blur();
      else if (m.draft !== null || holds(m)) drop();
      return;
    }
    if (typesIn(e.target)) return;
    if (e.key === 'Enter' && m.draft !== null && !takesEnter(e.target)) accept();
    else if (m.prefs.letterKeys && e.code === 'KeyG') {
      take(m.tool === 'goal' ? null : 'goal');
      if (store.get().tool === 'goal') canvas.focus();
    } else if (m.prefs.letterKeys && e.code === 'KeyP') pause();
    else return;
    e.preventDefault();
  });

  // drop empties the hand. A focus that goes with it stays near.
  function drop(): void {
    aim = null;
    const within = form.contains(document.activeElement) || hint.contains(document.activeElement);
    store.set(empty);
    if (within) pick('#goto-new').focus();
  }

  // ---- the goal under way ----

  function tell(action: 'pause' | 'resume' | 'cancel' | 'around'): void {
    if (!mayAct(store.get())) return;
    const line = pick('#goal-says');
    setText(line, '');
    void link.ask({ type: 'goal', action }).then((answer) => {
      setText(line, isTaken(answer) ? '' : answer.reason);
      voice.say(line.textContent ?? '');
    });
  }

  function pause(): void {
    const goal = underWay(store.get());
    if (goal !== null) tell(goal.phase === 'paused' ? 'resume' : 'pause');
  }

  pick('#goal-pause').onclick = pause;
  pick('#goal-around').onclick = () => tell('around');
  pick('#goal-cancel').onclick = () => tell('cancel');

  const blocked = pick('#blocked');
  blocked.onclick = (e) => {
    const deed = e.target instanceof Element ? e.target.closest<HTMLElement>('[data-do]')?.dataset['do'] : undefined;
    if (deed === undefined) return;
    if (episode !== null) episode = { ...episode, waits: deed !== 'around' };
    if (deed === 'around' || deed === 'cancel') tell(deed);
    showBlocked(store.get());
  };

  function showBlocked(m: Readonly<Model>): void {
    const goal = underWay(m);
    episode = episodeOf(episode, goal, now());
    const hidden = goal === null || episode === null || episode.waits || !mayAct(m);
    if (hidden !== blocked.hidden) {
      blocked.hidden = hidden;
      if (!hidden && goal !== null) voice.say(say(words.goto.blockedTitle, { name: nameOfGoal(goal) }));
    }
    if (hidden || goal === null) return;
    setText(pick('h2', blocked), say(words.goto.blockedTitle, { name: nameOfGoal(goal) }));
    const tries = episode?.tries ?? 0;
    const trying = goal.phase !== 'blocked' || tries > 0 ? say(words.goto.blockedTry, { n: tries + 1 }) : '';
    const waited =
      goal.phase === 'blocked' ? say(words.goto.blockedNote, { s: Math.round(goal.blocked?.waited ?? 0) }) : '';
    setText(pick('.note', blocked), `${trying} ${waited}`.trim());
  }

  // ---- the panel ----

  pick('#goto-new').onclick = (e) => {
    take('goal');
    if (e.detail === 0) fields[0]?.focus(); // from the keyboard
  };
  pick('button', hint).onclick = drop;
  pick('#draft-drop').onclick = drop;
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-do=pose]'))
    button.onclick = () => take('pose');
  pick('[data-map=goal]').addEventListener('click', () => take(store.get().tool === 'goal' ? null : 'goal'));
  pick('[data-map=move]').addEventListener('click', () => {
    if (holds(store.get())) take(null);
  });

  form.onsubmit = (e) => {
    e.preventDefault();
    if (!typed()) accept();
  };
  for (const field of fields) {
    field.onchange = typed;
    field.oninput = () => blame('');
  }

  // typed takes what stands in the fields, when that is another pose than the chosen one. It tells whether it did, or
  // could not.
  function typed(): boolean {
    const m = store.get();
    const [x, y, deg] = fields.map((f) => f.value) as [string, string, string];
    if (m.draft === null && (x.trim() === '' || y.trim() === '')) return true; // not all is there yet
    const pose = poseOf(x, y, deg, heading(m));
    blame(typeof pose === 'string' ? pose : '');
    if (typeof pose === 'string') return true;
    if (m.draft !== null && poseText(m.draft.pose) === poseText(pose)) return false;
    decide(pose);
    stage.reveal([pose[0], pose[1]]);
    return true;
  }

  function blame(text: string): void {
    if (fault === text) return;
    fault = text;
    if (text !== '') voice.say(text);
    show(store.get());
  }

  const panel = showPanel((place) => {
    fault = '';
    if (store.get().draft?.kind === 'pose' || store.get().tool === 'pose') store.set({ draft: null, tool: null });
    decide(place.pose, place.name);
    stage.reveal([place.pose[0], place.pose[1]]);
    form.focus({ preventScroll: true }); // Enter goes on
  });

  const show = (m: Readonly<Model>) => {
    if (m.draft === null && !holds(m)) fault = '';
    panel(m, fault);
    showBlocked(m);
    hint.hidden = !holds(m) || m.draft !== null;
    setText(pick('span', hint), m.tool === 'pose' ? words.goto.hintPose : words.goto.hintGoal);
    pick('[data-map=goal]').setAttribute('aria-pressed', String(m.tool === 'goal'));
  };

  store.subscribe((m, was) => {
    if (m.tab !== was.tab && m.tab !== 'goto' && (m.draft !== null || holds(m))) drop();
    if (was.you !== null && hasControl(was) && !hasControl(m) && (m.draft !== null || holds(m))) drop();
    if (m.tool !== was.tool && m.tool !== 'goal' && m.tool !== 'pose' && m.tool !== null && m.draft !== null)
      store.set({ draft: null });
    const end = m.state !== was.state ? endOf(m.state, was.state) : null;
    if (end !== null && (end.word === 'SUCCESS' || was.state?.mode !== 'job')) store.toast(end.text, end.word); // a job tells its failures itself
    if (m.draft !== was.draft || m.route !== was.route || m.tool !== was.tool) stage.redraw();
    show(m);
    refresh(m);
  });
  show(store.get());

  // refresh asks again for a way that begins where the robot no longer is.
  function refresh(m: Readonly<Model>): void {
    const d = m.draft;
    if (d === null || d.kind !== 'goal' || d.phase !== 'known' || d.from === null || m.state === null || aim !== null)
      return;
    const far = Math.hypot(m.state.pose[0] - d.from[0], m.state.pose[1] - d.from[1]);
    if (far > STRAY && now() - asked.at > AGAIN) askWay(true);
  }
}

function isTaken(answer: Result): boolean {
  return answer.word === 'SUCCESS' || answer.word === 'MODIFIED';
}

// takesEnter tells whether an element with the focus does something of its own on Enter.
function takesEnter(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, select, summary, input') !== null;
}
