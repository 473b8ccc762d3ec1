// The page's texts about lent parts, and the possible actions. Pure.
import { loans as words } from '../../strings.json';
import { left } from '../banner/view.ts';
import { hasControl, isHeld, mayAct, type Model, nameOf, personOf } from '../store.ts';
import type { LentPart, Loan, PartAction } from '../wire.ts';
import { say } from '../words.ts';
import { lendable } from './lendable.ts';

// Deed is the action of a button: an order about a part, the camera straight ahead, or closing the choice
// of what to lend.
export type Deed = { action: PartAction; part: LentPart; to?: number } | 'ahead' | 'close';

export interface Press {
  text: string;
  label: string; // for screen readers
  deed: Deed;
  first: boolean; // the primary button
}

export interface Row {
  key: string; // unique for each row
  part: LentPart | null; // shown as its icon; null: none
  kind: 'wish' | 'loan' | 'slow' | 'choice' | 'ask';
  text: string;
  note: string; // less important; empty: none
  presses: Press[];
}

// rowsOf returns the rows at t, the page's time in s.
export function rowsOf(m: Readonly<Model>, t: number): Row[] {
  if (m.you === null || m.elsewhere || m.conn === 'lost' || m.conn === 'connecting') return [];
  const loans = m.loans.map((l) => loanRow(m, l));
  if (!hasControl(m)) return [...loans, ...slowRows(m), ...ownRows(m, t)];
  const wishes = m.wishes.map(({ part, id, until }): Row => {
    const text = say(words.asks[part], { name: nameOf(m, id) });
    return {
      key: `wish ${part} ${id}`,
      part,
      kind: 'wish',
      text,
      note: say(words.left, { seconds: left(until, t) }),
      presses: [
        { text: words.lend, label: `${words.lend}. ${text}`, deed: { action: 'lend', part, to: id }, first: true },
        { text: words.no, label: `${words.no}. ${text}`, deed: { action: 'deny', part, to: id }, first: false },
      ],
    };
  });
  return [...wishes, ...loans, ...slowRows(m), ...choiceRows(m)];
}

// loanRow says who has a part.
function loanRow(m: Readonly<Model>, { part, id, loan }: Loan): Row {
  const own = id === m.you;
  const text = whoHas(m, part, id);
  const press = (text: string, deed: Deed, first = false): Press => ({
    text,
    label: `${text}: ${words.parts[part]}`,
    deed,
    first,
  });
  const presses: Press[] = [];
  if (own) presses.push(press(words.give, { action: 'give', part }));
  else if (mayAct(m)) {
    if (part === 'head' && !isHeld(m)) presses.push(press(words.lookAhead, 'ahead', true));
    presses.push(press(words.take, { action: 'take', part }));
  }
  return { key: `loan ${loan}`, part, kind: 'loan', text, note: own ? words.how[part] : '', presses };
}

export function whoHas(m: Readonly<Model>, part: LentPart, id: number): string {
  return say(words.has, { part: words.parts[part], name: id === m.you ? words.you : nameOf(m, id) });
}

// slowRows tell the driver, and the borrower who causes it, that driving is slow because of a loan.
function slowRows(m: Readonly<Model>): Row[] {
  const limit = m.state?.hand_limit;
  if (limit?.lent === undefined) return [];
  const v = String(limit.speed);
  const loan = m.loans.find(({ part }) => part === limit.lent);
  const text =
    loan?.part !== 'head'
      ? limit.why
      : loan.id === m.you
        ? say(words.youAside, { v })
        : say(words.aside, { v, name: nameOf(m, loan.id) });
  return [{ key: 'slow', part: null, kind: 'slow', text, note: '', presses: [] }];
}

// choiceRows let the person in control choose what to lend to a person.
function choiceRows(m: Readonly<Model>): Row[] {
  const to = personOf(m, m.lendTo);
  if (to === undefined || !mayAct(m)) return [];
  const { name } = to;
  const free = lendable(m, to).filter((part) => !m.loans.some((l) => l.part === part && l.id === to.id));
  const presses = free.map((part): Press => {
    const label = say(words.lendPart, { name, part: words.parts[part] });
    return { text: words.parts[part], label, deed: { action: 'lend', part, to: to.id }, first: true };
  });
  presses.push({ text: words.close, label: words.close, deed: 'close', first: false });
  const text = say(words.lendTo, { name });
  return [{ key: `choice ${to.id}`, part: null, kind: 'choice', text, note: '', presses }];
}

// ownRows are this person's requests, and possible requests, to another person in control.
function ownRows(m: Readonly<Model>, t: number): Row[] {
  if (m.holder === null || m.passing !== null || !m.socket || isHeld(m)) return [];
  const wishes = m.wishes.filter(({ id }) => id === m.you);
  const rows = wishes.map(({ part, until }): Row => {
    const note = say(words.left, { seconds: left(until, t) });
    return { key: `asked ${part}`, part, kind: 'ask', text: words.asked[part], note, presses: [] };
  });
  const may = lendable(m, { role: m.role }).filter(
    (part) =>
      (part !== 'head' || m.camera || m.role !== 'observer') &&
      !m.loans.some((l) => l.part === part) &&
      !wishes.some((w) => w.part === part),
  );
  if (may.length === 0) return rows;
  const presses = may.map((part): Press => {
    return { text: words.ask[part], label: words.askWhole[part], deed: { action: 'ask', part }, first: false };
  });
  return [...rows, { key: 'ask', part: null, kind: 'ask', text: words.may, note: '', presses }];
}
