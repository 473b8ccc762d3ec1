// The texts of the Go to tab, from the model alone.
import { hindranceOf } from '../hindrance.ts';
import { nearest } from './line.ts';
import { heading, metres, quality, type Quality, sureness } from '../hud/figures.ts';
import { hasControl, isOld, isStopped, mayAct, type Model } from '../store.ts';
import { say, words } from '../words.ts';
import type { Goal, Pose, State, Word } from '../wire.ts';

// underWay returns the goal that has not ended.
export function underWay(m: Readonly<Model>): Goal | null {
  const goal = m.state?.goal ?? null;
  return goal === null || goal.phase === 'ended' ? null : goal;
}

export function poseText([x, y, theta]: Pose): string {
  return say(words.goto.pose, { x: metres(x), y: metres(y), deg: heading(theta) });
}

// nameOfGoal returns its place, or its coordinates.
export function nameOfGoal(goal: { name: string; goal: Pose }): string {
  return goal.name !== '' ? goal.name : say(words.goto.spot, { x: metres(goal.goal[0]), y: metres(goal.goal[1]) });
}

// tagOf returns the label of the goal on the map.
export function tagOf(goal: Goal): string {
  const deg = heading(goal.goal[2]);
  const name = nameOfGoal(goal);
  return goal.phase === 'blocked'
    ? say(words.goto.tagWaits, { name, deg })
    : say(words.goto.tag, { name, deg, time: duration(goal.time) });
}

// duration formats seconds as "38 s" or "2 min 13 s".
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  return s < 60 ? say(words.goto.seconds, { s }) : say(words.goto.minutes, { m: Math.trunc(s / 60), s: s % 60 });
}

export interface Chip {
  name: string;
  done: boolean;
}

export interface Going {
  kind: Goal['phase'];
  title: string;
  time: string;
  part: number; // completed share of the route, 0 to 1
  done: string;
  left: string;
  via: Chip[];
  goal: string;
  note: string; // why it does not move
  resume: boolean; // the button resumes; otherwise it pauses
  around: boolean; // it may be told to drive around
}

// goingOf returns the card of the goal underway; null: there is none.
export function goingOf(m: Readonly<Model>): Going | null {
  const goal = underWay(m);
  if (goal === null) return null;
  const w = words.goto;
  const name = nameOfGoal(goal);
  const whole = goal.done + goal.left;
  return {
    kind: goal.phase,
    title: say(goal.phase === 'driving' ? w.going : goal.phase === 'paused' ? w.pausedOn : w.waitsOn, { name }),
    time: goal.phase === 'blocked' ? '' : duration(goal.time),
    part: whole > 0 ? goal.done / whole : 0,
    done: say(w.done, { m: goal.done.toFixed(1) }),
    left: say(w.left, { m: goal.left.toFixed(1) }),
    via: chips(m, goal),
    goal: goal.name || w.goal,
    note: noteOf(m, goal),
    resume: goal.phase === 'paused',
    around: goal.phase === 'blocked',
  };
}

function chips(m: Readonly<Model>, goal: Goal): Chip[] {
  if (m.route === null || m.route.n !== goal.route) return [];
  const { line } = m.route;
  return m.route.via.map((name) => {
    const at = m.plan.via.find((v) => v.name === name)?.at;
    return { name, done: at !== undefined && nearest(line, at).at <= goal.done };
  });
}

function noteOf(m: Readonly<Model>, goal: Goal): string {
  if (goal.phase === 'paused') return m.stop !== null ? words.goto.stoppedNote : goal.reason || words.goto.pausedNote;
  const does = goal.behavior === undefined || goal.behavior.state === 'follow' ? '' : goal.behavior.sentence;
  if (goal.phase !== 'blocked') return does;
  return `${does} ${say(words.goto.blockedNote, { s: Math.round(goal.blocked?.waited ?? 0) })}`.trim();
}

// endOf returns the message when a goal has ended; null: none is needed.
export function endOf(state: State | null, before: State | null): { text: string; word: Word } | null {
  const goal = state?.goal;
  const was = before?.goal;
  if (!goal || before === null || goal.phase !== 'ended' || (was?.n === goal.n && was.phase === 'ended')) return null;
  if (goal.word === 'SUCCESS') {
    const values = { name: nameOfGoal(goal), cm: Math.round((goal.off ?? 0) * 100) };
    return { text: say(goal.off === null ? words.goto.arrived : words.goto.arrivedOff, values), word: 'SUCCESS' };
  }
  if (goal.word === 'MODIFIED')
    return { text: `${say(words.goto.arrived, { name: nameOfGoal(goal) })} ${goal.reason}`, word: 'MODIFIED' };
  if (goal.word !== 'ERROR') return null; // the person who cancelled it knows, and others see the log
  return { text: say(words.goto.failed, { name: nameOfGoal(goal), reason: goal.reason }), word: 'ERROR' };
}

// qualityOf returns the quality of the position estimate; null before it is known.
export function qualityOf(m: Readonly<Model>): Quality | null {
  return m.state === null || isOld(m) ? null : quality(sureness(m.state.cov)[0], m.state.trust);
}

// isLost: the robot's position is unknown.
export function isLost(m: Readonly<Model>): boolean {
  return qualityOf(m) === 'lost';
}

export interface Way {
  head: string; // of the box
  by: string; // the name of the route, empty if there is none
  via: string[]; // its via points
  size: string; // its length and time
  says: string; // the message of the robot or the page
  bad: boolean; // the message says why it is impossible
  button: string;
  can: boolean; // the button is enabled
}

// wayOf returns the contents of the box of a new goal, or of a new position.
export function wayOf(m: Readonly<Model>): Way {
  const w = words.goto;
  const d = m.draft;
  const pose = d === null ? m.tool === 'pose' : d.kind === 'pose';
  const box: Way = {
    head: pose ? w.newPose : w.newGoal,
    by: '',
    via: [],
    size: '',
    says: '',
    bad: false,
    button: pose ? w.set : w.show,
    can: false,
  };
  if (!hasControl(m)) return box;
  if (d === null) return { ...box, says: pose ? w.poseHow : '' };
  if (pose) {
    const moves = m.state !== null && (Math.abs(m.state.twist[0]) > 0.01 || Math.abs(m.state.twist[1]) > 0.01);
    return {
      ...box,
      says: d.refusal || (moves ? w.poseStands : w.poseCheck),
      bad: d.refusal !== '',
      can: mayAct(m) && d.phase !== 'asked',
    };
  }
  if (d.phase === 'aiming') return { ...box, says: d.refusal || w.aim, bad: d.refusal !== '', can: mayAct(m) };
  if (d.phase === 'asked' && d.route === null) return { ...box, says: w.asking, button: w.go };
  const why = isLost(m) ? w.lost : m.stop !== null ? w.stopped : isStopped(m) ? words.drive.stopping : hindranceOf(m);
  const says = d.refusal || why;
  const button = underWay(m) === null ? w.go : w.instead;
  const known: Way = {
    ...box,
    says,
    bad: says !== '',
    button,
    can: why === '' && d.route !== null && d.phase === 'known' && mayAct(m), // a robot that was too busy can be asked again
  };
  if (d.route === null) return known;
  return {
    ...known,
    by: d.route.via.length > 0 ? w.through : w.straight,
    via: d.route.via,
    size: say(w.size, { m: d.route.length.toFixed(1), time: duration(d.route.time) }),
  };
}
