// Hold decides which input drives the robot and which samples the page sends. It is pure: it gets the time
// and the inputs and returns samples; the page reads the inputs before every call.
//
// The rules: the first input that is held has the robot until it is released. A press begins with a neutral
// sample, followed by a fresh sample at least every PERIOD. A release sends three neutral samples, then
// nothing. When the hold is lost, it sends zero at once, and every input that was held then must be
// released before it can begin again.

export type Source = 'keys' | 'stick' | 'pad' | 'step';

// Sample is a request of an input: m/s forward and rad/s counter-clockwise.
export interface Sample {
  v: number;
  w: number;
}

// Hand is the present state of one input.
export interface Hand extends Sample {
  held: boolean;
}

export type Hands = Readonly<Record<Source, Hand>>;

export interface Hold {
  owner: Source | null; // the input that has the robot
  spent: readonly Source[]; // held when the hold was lost or refused: they must be released first
  neutrals: number; // neutral samples still to be sent
  last: Sample; // the last one sent
  at: number; // when, in s
}

export const SOURCES: readonly Source[] = ['keys', 'stick', 'pad', 'step'];
export const PERIOD = 0.05; // s between samples
export const NEUTRALS = 3; // after letting go
const SOON = 0.02; // s, least time between two different samples
const EARLY = 0.004; // s, tolerance for an early timer

const NEUTRAL: Sample = { v: 0, w: 0 };

export const open: Hold = { owner: null, spent: [], neutrals: 0, last: NEUTRAL, at: -Infinity };

export interface Out {
  hold: Hold;
  send: Sample[];
}

// next is called whenever an input changed, and every PERIOD while the hold is busy. may reports whether an
// input may move the robot at all.
export function next(hold: Hold, hands: Hands, may: boolean, t: number): Out {
  if (!may) return lose(hold, hands, t);
  const spent = hold.spent.filter((s) => hands[s].held);
  const h: Hold = { ...hold, spent };

  if (h.owner !== null && !hands[h.owner].held) {
    return goOut({ ...h, owner: null, spent: held(hands), neutrals: NEUTRALS - 1 }, NEUTRAL, t);
  }
  if (h.owner === null) {
    const first = SOURCES.find((s) => hands[s].held && !spent.includes(s));
    if (first !== undefined) return goOut({ ...h, owner: first, neutrals: 0 }, NEUTRAL, t);
    if (h.neutrals > 0 && due(h, t)) return goOut({ ...h, neutrals: h.neutrals - 1 }, NEUTRAL, t);
    return { hold: h, send: [] };
  }
  const { v, w } = hands[h.owner];
  const changed = v !== h.last.v || w !== h.last.w;
  const stands = v === 0 && w === 0;
  if (due(h, t) || (changed && (stands || t - h.at >= SOON))) return goOut(h, { v, w }, t);
  return { hold: h, send: [] };
}

// lose ends the hold now. It sends all pending samples at once, because the page may be about to sleep.
export function lose(hold: Hold, hands: Hands, t: number): Out {
  const owed = hold.owner === null ? hold.neutrals : NEUTRALS;
  return {
    hold: { owner: null, spent: held(hands), neutrals: 0, last: NEUTRAL, at: owed > 0 ? t : hold.at },
    send: Array.from({ length: owed }, () => NEUTRAL),
  };
}

// busy reports whether next must be called again without a change of an input.
export function busy(hold: Hold): boolean {
  return hold.owner !== null || hold.neutrals > 0;
}

function due(h: Hold, t: number): boolean {
  return t - h.at >= PERIOD - EARLY;
}

function held(hands: Hands): Source[] {
  return SOURCES.filter((s) => hands[s].held);
}

function goOut(hold: Hold, sample: Sample, t: number): Out {
  return { hold: { ...hold, last: sample, at: t }, send: [sample] };
}
