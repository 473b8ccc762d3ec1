// The state store of the page. Widgets read the Model and subscribe to it; the link, a button or a
// preference that changes something sets it here. Widgets share nothing else.
//
//   const stop = store.subscribe((model, before) => { if (model.state !== before.state) draw(model); });
//   store.set({ driving: true });
//
// Every value is replaced, never changed in place, so that !== shows what has changed. Subscribers run at
// once, in the order of subscription, and may call set: then they are called again.

import type {
  Floorplan,
  Kept,
  LentPart,
  Loan,
  LogIcon,
  Mapping,
  Person,
  Pose,
  Robot,
  Role,
  Route,
  Run,
  Saved,
  Scripts,
  State,
  Stop,
  Stopper,
  Values,
  Word,
  World,
} from './wire.ts';

// connecting: no state yet since the page opened.  live: states come.
// stale: none for 0.5 s.  lost: none for 1.5 s ("No contact").
export type Conn = 'connecting' | 'live' | 'stale' | 'lost';

export type Theme = 'dark' | 'light';

export interface Prefs {
  speedLimit: number; // m/s at full deflection, 0.05 to 0.45
  stepMoves: boolean; // one press is one step, for people who cannot hold
  letterKeys: boolean; // single-letter shortcuts; driving keys are not shortcuts
  sounds: boolean; // a short tick when control changes
  theme: Theme | null; // null: as the system has it
}

// Ask is an open request for control.
export interface Ask {
  id: number; // the requesting person
  reason: string; // may be empty
  since: number; // page time, s
  until: number; // when a missing answer counts as no, page time, s
}

// Offer is control that a person can take by a click.
export interface Offer {
  to: number; // who may take it
  since: number; // page time, s
  until: number; // when it goes to the next in line, page time, s
}

// Wish is an open request for a part of the robot.
export interface Wish {
  part: LentPart;
  id: number; // who asks
  until: number; // when a missing answer counts as no, page time, s
}

// Tab is what the side panel shows.
export type Tab = 'drive' | 'goto' | 'jobs' | 'scripts';

// Tool is the action of a press on the map; none: it moves the map.
export type Tool = 'goal' | 'pose' | 'edit' | 'world' | 'motions';

// Draft is a pose that a person is choosing: a goal, or the robot's position. It has not moved anything.
export interface Draft {
  kind: 'goal' | 'pose';
  pose: Pose;
  name: string; // of the saved place; empty: none
  phase: 'aiming' | 'asked' | 'known'; // still being chosen; its route is requested; route or refusal is known
  from: Pose | null; // the robot's pose at the request
  route: Route | null;
  refusal: string; // why there is no route, or why it was refused
}

export interface LogLine {
  at: string; // ISO 8601
  icon: LogIcon;
  text: string;
}

export interface Toast {
  id: number;
  word: Word | null; // the result of an order, null for news
  text: string;
}

export interface Model {
  conn: Conn;
  lastStateAt: number | null; // page time of the newest state, s (see now())
  silence: number; // s since the newest state, in steps of 0.1 s while stale or lost, else 0
  tries: number; // attempts to reconnect since contact was lost
  socket: boolean; // welcomed and open: commands can be sent at once
  bye: string; // why the robot closed this page permanently, or does not let it in; empty: it has not
  refused: boolean; // it does not let this browser in
  full: string; // why it took no connection at the last attempt; empty: another reason
  build: string; // of the server that rendered the page
  newBuild: boolean; // the server now has another build
  simulator: boolean;
  sees: boolean; // the robot has video,
  hears: boolean; // and sound
  relays: RTCIceServer[]; // TURN servers to reach it

  you: number | null;
  people: Person[];
  epoch: number; // of the control lease
  holder: number | null; // id of the person in control
  since: string; // when they got it, ISO 8601
  freeAt: number | null; // page time when control of a disconnected person becomes free, s
  role: Role; // what this person may do
  camera: boolean; // and whether that includes camera and sound
  asks: Ask[]; // oldest first
  offer: Offer | null;
  passing: { to: number | null } | null; // control is about to change: the robot stops first; null: to no one
  asking: boolean; // the form that requests control is open
  elsewhere: boolean; // this person's control is in another tab
  loans: Loan[]; // parts of the robot that are lent, oldest first
  wishes: Wish[]; // oldest first
  lendTo: number | null; // the person to whom this person is about to lend something

  hold: number; // drive epoch; it grows whenever the robot discards samples: press again from neutral
  holdReason: string;
  held: { t: number | null; pose: Pose | null } | null; // the robot's pose then: robot's clock, s
  refusal: string; // why the last drive sample was refused; cleared by a press, a hold and every change of control or stop

  stop: Stop | null; // the robot's stop, as reported
  stopper: Stopper | null; // the person who stops the robot again and again, for the person in control
  stopSaidAt: number; // time of the robot's last message about a stop or its release, ms on its wall clock
  stopping: { at: number; sent: boolean } | null; // this page pressed STOP (page time) and the robot has not confirmed it; sent: a confirmation may still be on its way

  state: State | null; // the newest
  robot: Robot | null;
  plan: Floorplan;
  route: Route | null; // of the goal that is underway, or was last
  motions: Kept[]; // saved drives by hand, newest first
  jobs: Saved[]; // saved jobs, by name
  run: Run | null; // the newest run of a job; null: there was none yet
  scripts: Scripts | null; // that run; null before the robot told
  values: Values | null; // the newest that this page watches; null: none came yet
  world: World | null; // of the simulator, null before its first message
  mapping: Mapping | null; // null before the robot's first message
  floor: { build: number } | null; // the floor plan that came into use last
  tab: Tab;
  tool: Tool | null; // the selected tool of the map
  draft: Draft | null;

  rtt: number | null; // median round trip of the last 2 s, s
  jitter: number | null; // spread of it, s
  offset: number | null; // robot's clock minus page's clock, s
  offsetBound: number | null; // greatest error of offset, s
  channel: number | null; // round trip of the data channel for drive packets, s; null: it is not open
  rounds: [at: number, rtt: number][]; // clock exchanges of the last minute: page time and round trip, s

  compensate: boolean; // the robot follows the virtual robot's path; otherwise a person drives against the delay
  suggested: number; // m/s, suggested limit at this delay
  faster: boolean; // this person wants to drive faster than that
  bent: { name: string; profile: string } | null; // the impairment of the simulator's network, null before its first message

  blockedBy: 'ahead' | 'behind' | null; // the side on which an obstacle holds the robot while this page drives: set by the drive widget only
  driving: boolean; // this page drives by hand: set by the drive widget only
  pad: boolean; // a gamepad is connected: set by the drive widget only
  dialog: boolean; // a dialog is open: driving ends, and only Space acts behind it

  log: LogLine[]; // newest first
  toasts: Toast[];
  prefs: Prefs;
  theme: Theme; // the displayed one
}

export type Subscriber = (model: Readonly<Model>, before: Readonly<Model>) => void;

export class Store {
  #model: Model;
  #shown: Model; // what subscribers have seen
  readonly #subscribers = new Set<Subscriber>();
  #telling = false;
  #nextToast = 1;

  constructor(first: Model) {
    this.#model = first;
    this.#shown = first;
  }

  get(): Readonly<Model> {
    return this.#model;
  }

  set(patch: Partial<Model>): void {
    this.#model = { ...this.#model, ...patch };
    if (this.#telling) return;
    this.#telling = true;
    try {
      while (this.#shown !== this.#model) {
        const before = this.#shown;
        const model = this.#model;
        this.#shown = model;
        for (const subscriber of this.#subscribers) tell(subscriber, model, before);
      }
    } finally {
      this.#telling = false;
    }
  }

  // subscribe calls f on every change from now on, and returns a function that ends that.
  subscribe(f: Subscriber): () => void {
    this.#subscribers.add(f);
    return () => this.#subscribers.delete(f);
  }

  // toast shows a short text in the map's corner, unless the same text is shown already.
  toast(text: string, word: Word | null = null): void {
    const { toasts } = this.#model;
    if (toasts.some((t) => t.text === text)) return;
    this.set({ toasts: [...toasts, { id: this.#nextToast++, word, text }] });
  }

  // note logs a line; a line of the robot comes with its time.
  note(icon: LogIcon, text: string, at = new Date().toISOString()): void {
    this.set({ log: [{ at, icon, text }, ...this.#model.log].slice(0, LOG_LINES) });
  }
}

// tell calls a subscriber. If it throws, the fault is reported and the other subscribers still run.
function tell(subscriber: Subscriber, model: Readonly<Model>, before: Readonly<Model>): void {
  try {
    subscriber(model, before);
  } catch (fault) {
    queueMicrotask(() => {
      throw fault;
    });
  }
}

export const LOG_LINES = 200;

// now is the page's monotonic time in seconds: the time of every "page time" in the Model.
export function now(): number {
  return performance.now() / 1000;
}

// ---- derived from the model --------------------------------------------------

export function hasControl(m: Readonly<Model>): boolean {
  return m.you !== null && m.holder === m.you && !m.elsewhere;
}

// isStopped: nothing may move, because the robot is stopped or this page pressed STOP. Only m.stop confirms
// that it is stopped.
export function isStopped(m: Readonly<Model>): boolean {
  return m.stop !== null || m.stopping !== null;
}

// isUnsent: this page pressed STOP, and the robot may not have received it.
export function isUnsent(m: Readonly<Model>): boolean {
  return m.stop === null && m.stopping !== null && !m.stopping.sent;
}

// isBaseLost: nothing comes from the base. Sensor data and motion in states are then those of its newest
// reading.
export function isBaseLost(m: Readonly<Model>): boolean {
  return m.state?.base?.up === false;
}

// isOld: the page's data about the robot is old, because nothing comes from the robot or from its base.
export function isOld(m: Readonly<Model>): boolean {
  return m.conn === 'lost' || isBaseLost(m);
}

// isHeld: nothing may move, because of a stop or because the base would not drive.
export function isHeld(m: Readonly<Model>): boolean {
  return isStopped(m) || isBaseLost(m) || !!m.state?.estop || !!m.state?.refuses;
}

// mayDrive: a press of keys, stick or pad may move the robot now.
export function mayDrive(m: Readonly<Model>): boolean {
  return m.tab === 'drive' && m.tool !== 'edit' && mayAct(m) && !isHeld(m) && !m.dialog;
}

// mayAct: the robot would accept a command of this page now.
export function mayAct(m: Readonly<Model>): boolean {
  return m.socket && (m.conn === 'live' || m.conn === 'stale') && hasControl(m) && m.passing === null;
}

// loanOf returns the loan of a part; undefined: it is not lent.
export function loanOf(m: Readonly<Model>, part: LentPart): Loan | undefined {
  return m.loans.find((l) => l.part === part);
}

// borrowed returns the number under which this page may use a part that was lent to this person; null: it
// was not.
export function borrowed(m: Readonly<Model>, part: LentPart): number | null {
  const loan = loanOf(m, part);
  return loan === undefined || loan.id !== m.you || m.elsewhere ? null : loan.loan;
}

// mayUse: the robot would accept a command to a part from this page now, as the person in control or its
// borrower.
export function mayUse(m: Readonly<Model>, part: LentPart): boolean {
  return mayAct(m) || (m.socket && m.conn !== 'lost' && borrowed(m, part) !== null);
}

// numbered returns the fields of a command to a part that identify its loan.
export function numbered(m: Readonly<Model>, part: LentPart): { loan?: number } {
  const loan = borrowed(m, part);
  return loan === null ? {} : { loan };
}

export function personOf(m: Readonly<Model>, id: number | null): Person | undefined {
  return m.people.find((p) => p.id === id);
}

export function holderName(m: Readonly<Model>): string {
  return nameOf(m, m.holder);
}

export function nameOf(m: Readonly<Model>, id: number | null): string {
  return personOf(m, id)?.name ?? '';
}

// ownAsk returns this person's open request for control.
export function ownAsk(m: Readonly<Model>): Ask | undefined {
  return m.asks.find((a) => a.id === m.you);
}

export function firstModel(plan: Floorplan, build: string, prefs: Prefs, theme: Theme): Model {
  return {
    conn: 'connecting',
    lastStateAt: null,
    silence: 0,
    tries: 0,
    socket: false,
    bye: '',
    refused: false,
    full: '',
    build,
    newBuild: false,
    simulator: false,
    sees: false,
    hears: false,
    relays: [],
    you: null,
    people: [],
    epoch: 0,
    holder: null,
    since: '',
    freeAt: null,
    role: 'operator',
    camera: false,
    asks: [],
    offer: null,
    passing: null,
    asking: false,
    elsewhere: false,
    loans: [],
    wishes: [],
    lendTo: null,
    hold: 0,
    holdReason: '',
    held: null,
    refusal: '',
    stop: null,
    stopper: null,
    stopSaidAt: 0,
    stopping: null,
    state: null,
    robot: null,
    plan,
    route: null,
    motions: [],
    jobs: [],
    run: null,
    scripts: null,
    values: null,
    world: null,
    mapping: null,
    floor: null,
    tab: 'drive',
    tool: null,
    draft: null,
    rtt: null,
    jitter: null,
    offset: null,
    offsetBound: null,
    channel: null,
    rounds: [],
    compensate: true,
    suggested: Infinity,
    faster: false,
    bent: null,
    blockedBy: null,
    driving: false,
    pad: false,
    dialog: false,
    log: [],
    toasts: [],
    prefs,
    theme,
  };
}
