// The messages of mybot.v1, as in session/protocol/protocol.md. Lengths are metres, angles radians, speeds
// m/s and rad/s, times seconds unless a name ends in _ms. An unknown number is null; a sonar without an
// echo is null.

export const PROTOCOL = 'mybot.v1';

export type Pose = [x: number, y: number, theta: number]; // base_link in map
export type Twist = [linear: number, angular: number]; // at the axle

// The seven words that answer a command.
export type Word = 'SUCCESS' | 'MODIFIED' | 'BUSY' | 'NA' | 'ERROR' | 'INTERRUPTED' | 'PANIC';

export type Mode = 'ready' | 'manual' | 'goal' | 'job' | 'paused' | 'stopped' | 'charging';

export type LogIcon = 'drive' | 'stop' | 'control' | 'person' | 'warn' | 'info' | 'battery' | 'goal' | 'map';

export type Trust = 'OK' | 'UNSURE' | 'LOST';

// Route is a route to a goal: the path of the axle, straight between its points.
export interface Route {
  n: number; // number of the driven route; 0: only planned
  goal: Pose;
  line: [x: number, y: number][];
  via: string[]; // names of its via points, in order
  length: number;
  time: number;
}

// Goal is the robot's present or last goal.
export interface Goal {
  n: number;
  goal: Pose;
  name: string; // empty: the place has none
  phase: 'driving' | 'paused' | 'blocked' | 'ended';
  done: number;
  left: number;
  time: number;
  off: number | null; // distance from the goal, once ended
  route: number; // the number of its Route
  blocked: { at: [x: number, y: number]; waited: number } | null;
  behavior?: { state: 'follow' | 'yield' | 'replan' | 'wait' | 'free'; sentence: string; lane: number }; // left out: none now; lane: m to the left of the route
  word: Word | ''; // how it ended: SUCCESS, INTERRUPTED or ERROR
  reason: string; // why it ended, or why it is paused
}

// Play is the state of the play-out of drive samples.
export interface Play {
  policy: 'track' | 'direct' | 'playback';
  lead: number; // buffered path
  jitter: number; // path that should be buffered
  rate: number; // speed of the reference along it; 1: as driven
  stalled: boolean; // the reference waits, for samples or for the robot
  motion: number | null; // which one is played, with playback
  left: number; // m of known path that is not yet driven
  ref: Pose | null; // where the robot should be now; null with direct
  error: number; // distance of the axle from its reference
  detour: number; // offset of that to the left of the path, around an obstacle; 0: on the path
}

// Kept is a saved drive by hand, which can be played again.
export interface Kept {
  n: number;
  name: string;
  at: string; // when it began, ISO 8601
  length: number;
  time: number; // duration
  start: Pose;
}

// Step is one part of a job. Its fields depend on its type.
export interface Step {
  type: 'MOVE' | 'VOICE' | 'MESSAGE' | 'WAIT';
  place?: string; // MOVE: to a place,
  pose?: Pose; // or to a pose
  text?: string; // VOICE, MESSAGE
  voice?: string;
  speed?: number;
  ok?: boolean; // MESSAGE: waits for OK; WAIT: OK ends it
  seconds?: number; // WAIT: duration; MESSAGE: time limit; MOVE: how long it may be blocked
  on_failure?: 'stop' | 'skip' | 'retry';
  retries?: number;
  retry_after?: number;
}

// Job is a saved job.
export interface Job {
  id: string;
  name: string;
  steps: Step[];
  revision: number;
  changed: string; // ISO 8601
}

// Saved is the summary of a saved job.
export interface Saved {
  id: string;
  name: string;
  steps: number; // number of steps
  revision: number;
  changed: string; // ISO 8601
}

export type StepState = 'WAITING' | 'INITIALIZING' | 'RUNNING' | 'PAUSED' | 'RETRIABLE' | 'FINISHED' | 'FAILED';

export type RunPhase = 'running' | 'paused' | 'stuck' | 'ended';

// Run is the newest run of a job.
export interface Run {
  n: number;
  job: string; // the id of its definition; empty: it has none
  name: string;
  phase: RunPhase;
  step: number; // the current one; steps.length: all are done
  began: string; // ISO 8601
  ended: string | null;
  word: Word | '';
  reason: string;
  changes: number;
  edition: number; // number of changes of its later steps
  steps: (Step & {
    state: StepState;
    skipped: boolean;
    began: string | null;
    ended: string | null;
    expect: number;
    tries: number;
    word: Word | '';
    reason: string;
  })[];
  ways: [x: number, y: number][][]; // the routes of its MOVE steps
}

// RunState is the state of a run.
export interface RunState {
  run: number;
  phase: RunPhase;
  step: number;
  steps: number;
  left: number | null;
  step_left: number | null;
  changes: number;
}

// Scripts is what scripts do now.
export interface Scripts {
  held: string; // why they do not move the robot; empty: they may
  moving: boolean; // one moves the robot now
  units: ScriptUnit[]; // in the order of their start
  camera_off?: string; // why the camera shows nothing, in a sentence; left out: no script has switched it off
}

// ScriptUnit is a script that runs, or a connected program.
export interface ScriptUnit {
  name: string;
  held: boolean; // its motion is
  why: string; // it is held; empty: it is not
  by: string; // who started it; empty: not known
  tags: ScriptTag[];
  yields: boolean; // its motion is held only because persons have used the robot
  continues_at: number | null; // s of the robot's clock, unless someone takes control; null: not by itself
  waits?: number; // commands that wait for the one before them; left out: none
  waits_since?: number; // since when the first of them does, robot's monotonic clock
}

export interface ScriptTag {
  name: string;
  frozen: boolean;
  blocked: boolean;
  statements: number; // that run under it
  until?: number; // when the first wait or motion under it ends, robot's monotonic clock; left out: unknown
  on_way?: boolean; // the robot is on its way to a goal for it
}

// Values are the values of the scripts that this page watches.
export interface Values {
  t: number; // robot's monotonic clock
  values: WatchedValue[]; // in the order of the page's list
}

export interface WatchedValue {
  of: string; // as it was written
  number?: number; // left out: it is no finite number
  text: string; // as in a line of output
  unit?: string;
  fault?: string; // a sentence about why there is no value now
}

// World has the contents of the simulator's world besides the floor plan.
export interface World {
  things: { thing: number; kind: 'obstacle' | 'magnet'; at: [x: number, y: number]; radius: number }[];
  doors: { closed: boolean }[]; // as in the floor plan
}

// Mapping is the state of making a map.
export interface Mapping {
  state: 'none' | 'map' | 'mapping' | 'paused' | 'finishing' | 'review' | 'saving'; // none: there is no map; map: one is in use
  from: '' | 'lidar' | 'sonars' | 'hand'; // source of the map in progress; empty: there is none
  can: MappingAction[]; // possible actions now
  why: string; // why mapping is impossible, or paused by itself
  by: string; // the person who maps; empty: none
  name: string; // of the map that is in use, or being extended
  extending: boolean;
  version: number; // number of older versions
  way: number; // driven
  seconds: number;
  key_frames: number;
  loops: number; // closed
  behind: number; // s that the map lags behind the robot
  progress: number; // of finishing, 0 to 1
  loop: { n: number; at: Point } | null; // the newest closed one
  open: Point[] | null; // middles of edges behind which nothing has been seen
  trail: Point[] | null;
  tiles: Tile[] | null;
}

export type MappingAction =
  | 'start'
  | 'sketch'
  | 'sheet'
  | 'pause'
  | 'resume'
  | 'undo'
  | 'finish'
  | 'back'
  | 'discard'
  | 'save'
  | 'extend'
  | 'revert'
  | 'advance';

// Tile is a piece of a map in progress: a picture with a pose. Its row 0 has the highest y.
export interface Tile {
  tile: number;
  rev: number; // of the picture; a new pose does not change it
  pose: Pose; // of its frame in map
  origin: Point; // m, the picture's corner with the least x and y, in its frame
  width: number; // pixels
  height: number;
  cell: number; // m, size of a pixel
}

// Stop tells who stopped the robot; id is 0 if it came from outside the page.
export interface Stop {
  by: string;
  id: number;
  at: string; // ISO 8601
}

// Stopper is the person who stops the robot again and again; id is 0 without a page.
export interface Stopper {
  id: number;
  name: string;
  device: string;
  stops: number; // within a minute
}

export type Role = 'observer' | 'operator' | 'admin';

export interface Person {
  id: number;
  name: string;
  role: Role;
  order: number; // place in line, from 1
  control: boolean;
  asks: boolean; // has requested control
  here: boolean; // false while a lost connection may still come back
  rtt_ms: number | null;
}

// LentPart is a part that the person in control may lend: the head, the microphone through the robot's
// speaker, all joints that are not the head.
export type LentPart = 'head' | 'voice' | 'arm';

export type PartAction = 'ask' | 'lend' | 'deny' | 'take' | 'give';

// Loan is a person's loan of a part, with its number.
export interface Loan {
  part: LentPart;
  id: number;
  loan: number;
}

// Robot has what the page needs to draw and limit the robot.
export interface Robot {
  name: string;
  place: string;
  length: number;
  width: number;
  height: number; // of its body
  hull: Point[]; // its corners in base_link, counter-clockwise; convex
  safe: Twist; // the robot's own limits
  drive: Twist; // limits of driving by hand
  slew: Twist; // accelerations of the virtual robot, m/s2 and rad/s2
  axle: number; // distance of the axle behind base_link
  sonars: Pose[]; // in base_link
  sonar_heights?: (number | null)[]; // above the floor, null: unknown; left out: of none
  lidars?: { pose: Pose; height: number }[]; // in base_link; left out: it has none
  beam: number; // full width of a sonar's beam
  range: number; // the sonar's farthest echo
  period_ms: number; // of states
  wheel_base: number; // from wheel to wheel
  wheel_radius?: number; // left out: unknown
  turning_radius?: number; // m, of the axle; left out: it turns in place
  parts: Part[];
  head?: Head; // left out: it has none
  links?: RobotLink[]; // a tree from base_link; left out: only its body is known
  joints?: Joint[]; // left out: it has none
}

// Origin is the pose of a frame in another: x, y, z, roll, pitch, yaw, as in a URDF.
export type Origin = number[];

// RobotLink is one rigid piece of the robot.
export interface RobotLink {
  name: string;
  parent: string; // empty: it is base_link
  origin: Origin; // while its joint is at zero
  shapes: {
    kind: 'box' | 'cylinder' | 'sphere';
    origin: Origin; // of its middle
    size: number[]; // box: length, width, height; cylinder: radius, length; sphere: radius
    color?: string;
  }[];
}

// Joint moves a link: rad for a turn, m for a slide.
export interface Joint {
  name: string;
  link: string;
  kind: 'turn' | 'slide';
  axis: [x: number, y: number, z: number];
  min: number | null; // null: it is endless
  max: number | null;
  speed: number;
  home: number;
}

// Part is something that a robot may have or lack.
export type Part =
  | 'sonars'
  | 'lidars'
  | 'compass'
  | 'bumper'
  | 'ok_switch'
  | 'head'
  | 'speaker'
  | 'display'
  | 'battery'
  | 'encoder'
  | 'camera'
  | 'map';

// Head has the ranges of the head, and the mounting and optics of its camera.
export interface Head {
  x: number; // of the pan axis, in base_link
  z: number; // of the pinhole above the floor
  pan: [least: number, most: number];
  tilt: [least: number, most: number];
  speed: number; // rad/s
  forward: number; // of the pinhole ahead of the pan axis
  width: number; // pixels
  height: number;
  field: number; // the whole width, rad
}

// Lease is the complete state of control: what it does not contain does not exist. Times are the remaining
// seconds.
export interface Lease {
  epoch: number;
  holder: number | null;
  since: string; // ISO 8601
  free_in?: number; // until control of a disconnected person becomes free
  requests?: { id: number; reason: string; left: number }[]; // oldest first
  offer?: { id: number; left: number };
  passing?: { to: number | null }; // control changes when the robot has stopped
}

// ---- robot to page ---------------------------------------------------------

export interface Welcome {
  type: 'welcome';
  protocol: string;
  build: string;
  you: number;
  role: Role;
  camera: boolean; // this person may use camera and sound
  simulator: boolean;
  sees?: boolean; // the robot has video,
  hears?: boolean; // and sound
  relays?: RTCIceServer[]; // TURN servers of a robot that cannot be reached directly
  hold: number;
  robot: Robot;
  lease: Lease;
  people: Person[];
  stop: Stop | null;
  back?: { after: number; control: boolean };
  elsewhere?: string; // this person's control is in another tab
}

export interface ClockAnswer {
  type: 'clock';
  t1: number;
  t2: number;
  t3: number;
}

export interface State {
  type: 'state';
  n: number;
  t: number; // robot's monotonic clock
  at: string; // ISO 8601
  mode: Mode;
  seq: number; // the last accepted drive sample
  pose: Pose;
  cov: [xx: number, xy: number, yy: number, tt: number];
  twist: Twist;
  ranges: (number | null)[];
  lidar_fault?: string; // a sentence about a faulty lidar
  scan?: number[]; // cm in map, alternating x and y: echoes of the lidars
  nearest: { distance: number | null; bearing: number | null; sonar: number | null } | null; // from the hull
  guard: { ahead: number | null; limit: number | null; active: boolean };
  drive: { asked: Twist; given: Twist; word: Word; reason: string };
  play: Play | null; // null: no one drives by hand
  sources: { wheels: boolean; compass: boolean; sonars: number; lidars?: number };
  trust: Trust; // the localizer's trust in its estimate
  goal: Goal | null; // null: there was none yet
  stop: Stop | null;
  job: RunState | null; // null: there was none yet
  speech: { n: number; text: string } | null; // what it is saying
  message: { n: number; text: string; ok: boolean; left: number | null } | null; // the message on its screen
  bump: boolean;
  head: [pan: number, tilt: number];
  joints?: { at: (number | null)[]; to: (number | null)[]; held: string; outside: string }; // left out: there are none
  battery: { charge: number | null; volts: number | null; charging: boolean; left: number | null };
  tick: { period_ms: number; jitter_ms: number | null };
  base?: Base; // left out: the base is not on a line
  estop?: boolean; // the base's own emergency stop is pressed
  refuses?: string; // a sentence about why the base would not drive
  recording?: boolean; // what it senses and does is being recorded
  hand_limit?: { speed: number; why: string; lent?: string }; // limit of driving by hand, m/s; left out: the robot's own
}

// Base is the state of the line to a base.
export interface Base {
  up: boolean; // readings arrive
  why: string; // a sentence about why not, or another problem; empty: none
  since: string; // ISO 8601, by the clock of State.at
  malformed: number; // lines that could not be read
  restarts: number; // number of reconnects
  rtt_ms: number | null; // of the newest ping
  gone: string[]; // parts of a robot of several bases that are out of reach
}

export interface Hold {
  type: 'hold';
  hold: number;
  reason: string;
  t: number | null; // robot's monotonic clock
  pose: Pose | null; // the robot's pose then
}

export interface Result {
  type: 'result';
  id?: number;
  seq?: number;
  word: Word;
  reason: string;
  route?: Route; // of plan and goto
  answer?: string; // of rtc
  run?: number; // of job run
  old?: 'lease' | 'hold'; // a drive sample had an old number
  holder?: number; // who has control then; 0: no one
}

export type Event =
  | { type: 'event'; kind: 'people'; people: Person[] }
  | ({ type: 'event'; kind: 'lease'; reason?: string } & Lease)
  | {
      type: 'event';
      kind: 'parts';
      loans: Loan[];
      requests: { part: LentPart; id: number; left: number }[];
      reason: string;
    }
  | { type: 'event'; kind: 'stop'; stopped: boolean; by: string; id: number; at: string }
  | ({ type: 'event'; kind: 'stopper' } & Stopper)
  | { type: 'event'; kind: 'route'; route: Route }
  | ({ type: 'event'; kind: 'world' } & World)
  | { type: 'event'; kind: 'link'; profile: string; name: string } // the impairment of the simulator's network; off: none
  | { type: 'event'; kind: 'motions'; motions: Kept[] } // newest first
  | { type: 'event'; kind: 'jobs'; jobs: Saved[] } // by name
  | { type: 'event'; kind: 'run'; run: Run }
  | ({ type: 'event'; kind: 'scripts' } & Scripts)
  | ({ type: 'event'; kind: 'values' } & Values)
  | { type: 'event'; kind: 'map'; via: Floorplan['via']; edges: Floorplan['edges']; places: Floorplan['places'] }
  | ({ type: 'event'; kind: 'mapping' } & Mapping)
  | { type: 'event'; kind: 'floor'; build: number; mapping: boolean } // another floor plan is in use, or none while a map is made
  | { type: 'event'; kind: 'log'; at: string; icon: LogIcon; text: string };

export interface Bye {
  type: 'bye';
  reason: string;
  again: boolean;
}

export type Down = Welcome | ClockAnswer | State | Hold | Result | Event | Bye;

// ---- page to robot ---------------------------------------------------------

export type ControlAction = 'take' | 'release' | 'request' | 'cancel' | 'give' | 'keep' | 'accept' | 'decline' | 'here';

// Virtual is the virtual robot at a sample's t: base_link in map, its speed at the axle, and the arc it has
// gone. With it the robot follows the path.
export type Virtual = [x: number, y: number, theta: number, linear: number, angular: number, s: number];

// Sample is an earlier drive sample, for channels with losses; at most 8, oldest first.
export type Sample = [seq: number, t: number, v: number, w: number, ...Virtual];

export type Up =
  | { type: 'hello'; protocol: string; tab: string; name?: string; build: string }
  | { type: 'clock'; t1: number; rtt_ms: number | null }
  | {
      type: 'drive';
      lease: number;
      hold: number;
      seq: number;
      t: number;
      v: number;
      w: number;
      valid: number;
      vr?: Virtual;
      hist?: Sample[];
    }
  | { type: 'stop'; id?: number }
  | { type: 'unstop'; id: number; lease: number }
  | { type: 'control'; id: number; action: ControlAction; reason?: string; to?: number }
  | { type: 'plan'; id: number; goal: Pose }
  | { type: 'goto'; id: number; lease: number; goal: Pose; name?: string }
  | { type: 'goal'; id: number; lease: number; action: 'pause' | 'resume' | 'cancel' | 'around' }
  | { type: 'pose'; id: number; lease: number; pose: Pose }
  | { type: 'world'; id: number; lease: number; action: 'put'; kind: 'obstacle' | 'magnet'; at: Point; radius: number }
  | { type: 'world'; id: number; lease: number; action: 'move'; thing: number; at: Point }
  | { type: 'world'; id: number; lease: number; action: 'remove'; thing: number }
  | { type: 'world'; id: number; lease: number; action: 'door'; door: number; closed: boolean }
  | { type: 'world'; id: number; lease: number; action: 'carry'; pose: Pose }
  | { type: 'world'; id: number; lease: number; action: 'ok' }
  | { type: 'world'; id: number; lease: number; action: 'battery'; charge: number } // 0 empty to 1 full
  | { type: 'rtc'; id: number; offer: string }
  | { type: 'link'; id: number; lease: number; profile: string }
  | { type: 'motion'; id: number; lease: number; action: 'play' | 'delete'; motion: number }
  | { type: 'motion'; id: number; lease: number; action: 'rename'; motion: number; was: string; name: string }
  | { type: 'motion'; id: number; lease: number; action: 'stop' }
  | { type: 'job'; id: number; lease: number; action: 'run'; job?: string; name: string; steps: Step[] }
  | { type: 'job'; id: number; lease: number; action: 'change'; steps: Step[] }
  | { type: 'job'; id: number; lease: number; action: 'pause' | 'resume' | 'end' }
  | { type: 'job'; id: number; lease: number; action: 'skip' | 'retry'; step: number } // index of the step
  | { type: 'job'; id: number; lease: number; action: 'ok'; message: number } // number of the message
  | { type: 'look'; id: number; lease: number; loan?: number; pan: number; tilt: number }
  | { type: 'joints'; id: number; lease: number; loan?: number; at: Record<string, number> }
  | { type: 'part'; id: number; lease: number; action: PartAction; part: LentPart; to?: number }
  | { type: 'watch'; id: number; values: string[] }
  | { type: 'rename'; id: number; name: string }
  | { type: 'ack'; n: number };

// ---- in the page's HTML ----------------------------------------------------

// Floorplan is the JSON in <script id="floorplan">: metres and radians in map, x right, y up.
export interface Floorplan {
  name: string;
  bounds: [x0: number, y0: number, x1: number, y1: number];
  walls: [x0: number, y0: number, x1: number, y1: number][];
  rooms: { name: string; corridor: boolean; outline: Point[]; label: Point | null }[];
  free: Point[][]; // outlines of the free floor, where there are no rooms
  doors: { hinge: Point; length: number; closed: number; open: number }[];
  furniture: { outline: Point[]; radius: number }[]; // one point with a radius is a disc
  via: { id: number; name: string; at: Point }[];
  edges: [from: number, to: number][]; // each in one direction
  places: { name: string; pose: Pose }[];
  dock: Pose | null;
}

export type Point = [x: number, y: number];
