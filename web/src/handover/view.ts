// The texts of the handover card: for the person in control, who requests it; for a person who is offered
// control, for how long.
import { left } from '../banner/view.ts';
import { hasControl, type Model, nameOf } from '../store.ts';
import { say, words } from '../words.ts';
import type { ControlAction } from '../wire.ts';

export interface Answer {
  text: string;
  action: ControlAction;
}

export interface Card {
  key: string; // unique for each card
  initial: string; // of the requesting person; empty: the card is about control itself
  title: string;
  quote: string; // empty: none
  left: number; // of the time to answer, from 1 to 0
  note: string;
  yes: Answer;
  no: Answer;
  to: number | null; // the person that yes and no are about; null: this one
}

// cardOf returns the card; null if no one waits for this person. t is the page's time, s.
export function cardOf(m: Readonly<Model>, t: number): Card | null {
  const w = words.handover;
  if (m.you === null || m.elsewhere || m.conn === 'lost' || m.passing !== null) return null;
  if (m.offer?.to === m.you) {
    const { since, until } = m.offer;
    return {
      key: `offer ${since}`,
      initial: '',
      title: w.offered,
      quote: '',
      left: part(since, until, t),
      note: `${say(w.offerLeft, { seconds: left(until, t) })} ${w.stops}`,
      yes: { text: words.control.take, action: 'accept' },
      no: { text: w.decline, action: 'decline' },
      to: null,
    };
  }
  const ask = m.asks.find((a) => a.id !== m.you);
  if (!ask || !hasControl(m)) return null;
  const name = nameOf(m, ask.id);
  const more = m.asks.length - 1;
  return {
    key: `ask ${ask.id} ${ask.since}`,
    initial: ([...name][0] ?? '?').toUpperCase(),
    title: say(w.asks, { name }),
    quote: ask.reason === '' ? '' : say(w.quote, { reason: ask.reason }),
    left: part(ask.since, ask.until, t),
    note: [
      say(w.askLeft, { seconds: left(ask.until, t) }),
      w.stops,
      ...(more > 0 ? [more === 1 ? w.oneMore : say(w.more, { n: more })] : []),
    ].join(' '),
    yes: { text: w.give, action: 'give' },
    no: { text: w.keep, action: 'keep' },
    to: ask.id,
  };
}

function part(since: number, until: number, t: number): number {
  return Math.min(1, Math.max(0, (until - t) / Math.max(0.001, until - since)));
}
