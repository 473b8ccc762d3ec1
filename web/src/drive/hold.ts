// Hold decides which hand moves the robot and which samples leave the page. It is pure: time and the hands come in,
// samples go out; the page around it reads the inputs anew before every call.
//
// The rules: the first hand that is held has the robot until it lets go. A press begins with a neutral sample and is
// followed by one fresh sample at least every PERIOD. Letting go sends three neutral samples, then nothing. When the
// hold is lost, zero goes out at once, and every hand that was held then must first let go before it may begin again.

export type Source = 'keys' | 'stick' | 'pad' | 'step';

// Sample is what a hand asks for: m/s forward and rad/s counter-clockwise.
export interface Sample {
  v: number;
  w: number;
}

// Hand is one input as it is now.
export interface Hand extends Sample {
  held: boolean;
}

export type Hands = Readonly<Record<Source, Hand>>;

export interface Hold {
  owner: Source | null; // who has the robot
  spent: readonly Source[]; // held when the hold was lost or refused: they have to let go first
  neutrals: number; // neutral samples still to go out
  last: Sample; // the last one that went out
  at: number; // when, in s
}

export const SOURCES: readonly Source[] = ['keys', 'stick', 'pad', 'step'];
export const PERIOD = 0.05; // s between samples
export const NEUTRALS = 3; // after letting go
const SOON = 0.02; // s, the least time between two samples that differ
const EARLY = 0.004; // s that a timer may be early

const NEUTRAL: Sample = { v: 0, w: 0 };

export const open: Hold = { owner: null, spent: [], neutrals: 0, last: NEUTRAL, at: -Infinity };

export interface Out {
  hold: Hold;
  send: Sample[];
}

// next is called whenever an input changed and every PERIOD while the hold is busy. may tells whether a hand is
// allowed to move the robot at all.
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

// lose ends the hold now. All that is still owed goes out at once, for the page may be about to sleep.
export function lose(hold: Hold, hands: Hands, t: number): Out {
  const owed = hold.owner === null ? hold.neutrals : NEUTRALS;
  return {
    hold: { owner: null, spent: held(hands), neutrals: 0, last: NEUTRAL, at: owed > 0 ? t : hold.at },
    send: Array.from({ length: owed }, () => NEUTRAL),
  };
}

// busy tells whether next has to be called again without an input.
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
