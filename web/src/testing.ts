// A model and messages for unit tests.
import { DEFAULTS } from './prefs.ts';
import { firstModel, type Model } from './store.ts';
import type { Person, State, Welcome } from './wire.ts';

export function model(patch: Partial<Model> = {}): Model {
  const plan = {
    name: '',
    bounds: [0, 0, 1, 1],
    walls: [],
    rooms: [],
    free: [],
    doors: [],
    furniture: [],
    via: [],
    edges: [],
    places: [],
    dock: null,
  } satisfies Model['plan'];
  return { ...firstModel(plan, '1', DEFAULTS, 'dark'), ...patch };
}

const ana: Person = {
  id: 1,
  name: 'Ana',
  role: 'operator',
  order: 1,
  control: true,
  asks: false,
  here: true,
  rtt_ms: 24,
};
const jin: Person = {
  id: 2,
  name: 'Jin',
  role: 'operator',
  order: 2,
  control: false,
  asks: false,
  here: true,
  rtt_ms: null,
};

// driver is a page that has control and contact with the robot.
export function driver(patch: Partial<Model> = {}): Model {
  return model({
    conn: 'live',
    socket: true,
    you: 1,
    holder: 1,
    epoch: 4,
    hold: 2,
    since: '2026-11-20T14:21:00Z',
    people: [ana, jin],
    state: state(),
    lastStateAt: 10,
    ...patch,
  });
}

export function watcher(patch: Partial<Model> = {}): Model {
  return driver({ you: 2, ...patch });
}

export function state(patch: Partial<State> = {}): State {
  return {
    type: 'state',
    n: 1,
    t: 900,
    at: '2026-11-20T14:32:00Z',
    mode: 'ready',
    seq: 0,
    pose: [11, 7, 0],
    cov: [0, 0, 0, 0],
    twist: [0, 0],
    ranges: [],
    nearest: null,
    guard: { ahead: null, limit: null, active: false },
    drive: { asked: [0, 0], given: [0, 0], word: 'SUCCESS', reason: '' },
    play: null,
    sources: { wheels: true, compass: true, sonars: 0 },
    trust: 'OK',
    goal: null,
    stop: null,
    job: null,
    speech: null,
    message: null,
    bump: false,
    head: [0, 0],
    battery: { charge: 0.78, volts: 12.4, charging: false, left: 13800 },
    tick: { period_ms: 20, jitter_ms: 0.8 },
    ...patch,
  };
}

export function welcome(patch: Partial<Welcome> = {}): Welcome {
  return {
    type: 'welcome',
    protocol: 'mybot.v1',
    build: '1',
    you: 1,
    role: 'operator',
    camera: true,
    simulator: true,
    hold: 3,
    robot: {
      name: 'Mybot',
      place: 'Floor',
      length: 0.52,
      width: 0.45,
      height: 0.75,
      hull: [
        [-0.26, -0.225],
        [0.26, -0.225],
        [0.26, 0.225],
        [-0.26, 0.225],
      ],
      safe: [0.5, 0.785],
      drive: [0.45, 0.7],
      slew: [0.416, 1.25],
      axle: 0.08,
      sonars: [],
      beam: 0.35,
      range: 5,
      period_ms: 100,
      wheel_base: 0.42,
      parts: ['sonars', 'battery', 'encoder', 'map'],
    },
    lease: { epoch: 5, holder: 1, since: '2026-11-20T14:21:00Z' },
    people: [ana, jin],
    stop: null,
    ...patch,
  };
}
