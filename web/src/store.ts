// The one state store of the page. Widgets read the Model and subscribe to it; whoever learns something
// new (the link, a button, a preference) sets it here. Nothing else is shared between widgets.
//
//   const stop = store.subscribe((model, before) => { if (model.state !== before.state) draw(model); });
//   store.set({ driving: true });
//
// Every value is replaced, never changed in place, so that !== tells what changed. Subscribers run at once,
// in the order they came, and may set again: they are then called another time.

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
  State,
  Stop,
  Stopper,
  Word,
  World,
} from './wire.ts';

// connecting: no state yet since the page opened.  live: states come.
// stale: none for 0.5 s.  lost: none for 1.5 s ("No contact").
export type Conn = 'connecting' | 'live' | 'stale' | 'lost';

export type Theme = 'dark' | 'light';

export interface Prefs {
  speedLimit: number; // m/s that a full stick asks for, 0.05 to 0.45
  stepMoves: boolean; // one press is one step, for people who cannot hold
  letterKeys: boolean; // single-letter shortcuts; driving keys are not shortcuts
  sounds: boolean; // a short tick when control changes
  theme: Theme | null; // null: as the system has it
}

// Ask is an open request for control.
export interface Ask {
  id: number; // who asks
  reason: string; // may be empty
  since: number; // page time, s
  until: number; // when no answer counts as no, page time, s
}

// Offer is control that waits for a person's click.
export interface Offer {
  to: number; // who may take it
  since: number; // page time, s
  until: number; // when it goes to the next in line, page time, s
}

// Wish is an open request for a part of the robot.
export interface Wish {
  part: LentPart;
  id: number; // who asks
  until: number; // when no answer counts as no, page time, s
}

// Tab is what the side panel shows.
export type Tab = 'drive' | 'goto' | 'jobs';

// Tool is what a press on the map does; none: it moves the map.
export type Tool = 'goal' | 'pose' | 'edit' | 'world' | 'motions';

// Draft is a pose that a person is choosing: a goal, or where the robot is. Nothing of it has moved anything.
export interface Draft {
  kind: 'goal' | 'pose';
  pose: Pose;
  name: string; // of the saved place, empty when it is none
  phase: 'aiming' | 'asked' | 'known'; // still chosen; the way to it is asked for; route or refusal tells
  from: Pose | null; // where the robot was when the way was asked for
  route: Route | null;
  refusal: string; // why there is no way, or why it was not taken
}

export interface LogLine {
  at: string; // ISO 8601
  icon: LogIcon;
  text: string;
}

export interface Toast {
  id: number;
  word: Word | null; // what it answers, null for news
  text: string;
}

export interface Model {
  conn: Conn;
  lastStateAt: number | null; // page time of the newest state, s (see now())
  silence: number; // s since the newest state, in steps of 0.1 s while stale or lost, else 0
  tries: number; // attempts to come back since contact was lost
  socket: boolean; // welcomed and open: commands can leave at once
  bye: string; // why the robot sent this page away for good, empty while it did not
  build: string; // of the server that made the page
  newBuild: boolean; // the server is of another build now
  simulator: boolean;
  sees: boolean; // there are pictures,
  hears: boolean; // and sound of the robot
  relays: RTCIceServer[]; // TURN servers by which it is reached

  you: number | null;
  people: Person[];
  epoch: number; // of the control lease
  holder: number | null; // id of the person who has control
  since: string; // when they got it, ISO 8601
  freeAt: number | null; // page time when control of a holder who is gone becomes free, s
  role: Role; // what this person may do
  camera: boolean; // and whether that is seeing and hearing through the robot too
  asks: Ask[]; // oldest first
  offer: Offer | null;
  passing: { to: number | null } | null; // control is about to change: the robot comes to a stand first; null: to nobody
  asking: boolean; // the form that asks for control is open
  elsewhere: boolean; // this person acts in another tab
  loans: Loan[]; // parts of the robot that are lent, oldest first
  wishes: Wish[]; // oldest first
  lendTo: number | null; // to whom this person is choosing what to lend

  hold: number; // hold number; it grows whenever the robot let go: press again from neutral
  holdReason: string;
  held: { t: number | null; pose: Pose | null } | null; // where the robot was then: robot's clock, s
  refusal: string; // why the last drive sample was refused; a press, a hold and every news of control or a stop empty it

  stop: Stop | null; // the robot is stopped, says the robot
  stopper: Stopper | null; // who stops the robot again and again, for who has control
  stopSaidAt: number; // when the robot last told of a stop or its release, ms on its wall clock
  stopping: { at: number; sent: boolean } | null; // this page pressed STOP (page time) and the robot has not confirmed it; sent: a confirmation may still be on its way

  state: State | null; // the newest
  robot: Robot | null;
  plan: Floorplan;
  route: Route | null; // of the goal that is under way, or was last
  motions: Kept[]; // drives by hand that were kept, newest first
  jobs: Saved[]; // that are kept, by name
  run: Run | null; // of a job: the newest; null: there was none yet
  world: World | null; // of the simulator, null before it told
  mapping: Mapping | null; // null before the robot told
  floor: { build: number } | null; // the floor plan that came into use last
  tab: Tab;
  tool: Tool | null; // what the hand on the map holds
  draft: Draft | null;

  rtt: number | null; // median round trip of the last 2 s, s
  jitter: number | null; // spread of it, s
  offset: number | null; // robot's clock minus page's clock, s
  offsetBound: number | null; // how wrong offset may be, s
  channel: number | null; // round trip of the data channel for drive packets, s; null: it is not open
  rounds: [at: number, rtt: number][]; // clock exchanges of the last minute: page time and round trip, s

  compensate: boolean; // the robot follows the virtual robot's path; otherwise a person drives against the delay
  suggested: number; // m/s, no faster at this delay
  faster: boolean; // this person wants to go faster than that
  bent: { name: string; profile: string } | null; // how the simulator's network is bent, null before it told

  blockedBy: 'ahead' | 'behind' | null; // where an obstacle holds the robot against this page's hand: set by the drive widget only
  driving: boolean; // this page is moving the robot by hand: set by the drive widget only
  pad: boolean; // a gamepad is connected: set by the drive widget only
  dialog: boolean; // a dialog is open: driving ends, no key but Space acts behind it

  log: LogLine[]; // newest first
  toasts: Toast[];
  prefs: Prefs;
  theme: Theme; // what is shown
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

  // subscribe calls f on every change from now on, and returns what ends it.
  subscribe(f: Subscriber): () => void {
    this.#subscribers.add(f);
    return () => this.#subscribers.delete(f);
  }

  // toast shows a short text at the map's corner. The same text is not shown twice at once.
  toast(text: string, word: Word | null = null): void {
    const { toasts } = this.#model;
    if (toasts.some((t) => t.text === text)) return;
    this.set({ toasts: [...toasts, { id: this.#nextToast++, word, text }] });
  }

  // note writes a line into the log; a line of the robot comes with its time.
  note(icon: LogIcon, text: string, at = new Date().toISOString()): void {
    this.set({ log: [{ at, icon, text }, ...this.#model.log].slice(0, LOG_LINES) });
  }
}

// tell keeps a widget that fails from silencing the others: its fault is reported, and the page goes on.
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

// ---- what follows from the model -------------------------------------------

export function hasControl(m: Readonly<Model>): boolean {
  return m.you !== null && m.holder === m.you && !m.elsewhere;
}

// isStopped: nothing may move, for the robot is stopped or this page pressed STOP. Only m.stop tells that it is stopped.
export function isStopped(m: Readonly<Model>): boolean {
  return m.stop !== null || m.stopping !== null;
}

// isUnsent: this page pressed STOP, and it is not known to have reached the robot.
export function isUnsent(m: Readonly<Model>): boolean {
  return m.stop === null && m.stopping !== null && !m.stopping.sent;
}

// isBaseLost: nothing comes from the base. What a state has of sensors and motion is then from its newest reading.
export function isBaseLost(m: Readonly<Model>): boolean {
  return m.state?.base?.up === false;
}

// isOld: what the page knows of the robot is old: nothing comes from the robot, or nothing from its base.
export function isOld(m: Readonly<Model>): boolean {
  return m.conn === 'lost' || isBaseLost(m);
}

// isHeld: nothing may move, because of a stop or because the base would not.
export function isHeld(m: Readonly<Model>): boolean {
  return isStopped(m) || isBaseLost(m) || !!m.state?.estop || !!m.state?.refuses;
}

// mayDrive: a press of keys, stick or pad may move the robot now.
export function mayDrive(m: Readonly<Model>): boolean {
  return m.tab === 'drive' && m.tool !== 'edit' && mayAct(m) && !isHeld(m) && !m.dialog;
}

// mayAct: the robot would take a command of this page now.
export function mayAct(m: Readonly<Model>): boolean {
  return m.socket && (m.conn === 'live' || m.conn === 'stale') && hasControl(m) && m.passing === null;
}

// loanOf is the loan of a part; undefined: it is not lent.
export function loanOf(m: Readonly<Model>, part: LentPart): Loan | undefined {
  return m.loans.find((l) => l.part === part);
}

// borrowed is the number under which this page may use a part that was lent to this person; null: it was not.
export function borrowed(m: Readonly<Model>, part: LentPart): number | null {
  const loan = loanOf(m, part);
  return loan === undefined || loan.id !== m.you || m.elsewhere ? null : loan.loan;
}

// mayUse: the robot would take a command to a part from this page now: of who has control, or has borrowed it.
export function mayUse(m: Readonly<Model>, part: LentPart): boolean {
  return mayAct(m) || (m.socket && m.conn !== 'lost' && borrowed(m, part) !== null);
}

// numbered is what a command to a part says of the loan under which it is given.
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

// ownAsk is this person's open request for control.
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
