// The texts of the map's card, from the model alone.
import { mapping as words } from '../../strings.json';
import { mayAct, type Model, nameOf } from '../store.ts';
import { say } from '../words.ts';
import type { Mapping, MappingAction } from '../wire.ts';

// isMapping: a map is being made, and the floor plan in use is hidden.
export function isMapping(mapping: Mapping | null): mapping is Mapping {
  return mapping !== null && mapping.state !== 'none' && mapping.state !== 'map';
}

// Question is an action that needs a confirmation.
export type Question = 'discard' | 'sheet';

export function isQuestion(deed: Deed): deed is Question {
  return deed === 'discard' || deed === 'sheet';
}

// Deed is the action of a button: an action of the robot, or the answer to a question of this card.
export type Deed = MappingAction | 'keep';

export interface Button {
  deed: Deed;
  text: string;
  main: boolean; // the primary button
  can: boolean;
}

export interface CardView {
  title: string;
  chip: string;
  figures: Readonly<Record<string, string>> | null; // by name; the others are hidden
  progress: number | null; // 0 to 1
  says: string;
  bad: boolean; // says is a fault
  hint: boolean; // says is advice, which is hidden where there is little space
  name: boolean; // the name can be edited
  size: boolean; // the size of an empty sheet can be edited
  buttons: Button[];
}

// SLOW is the lag of the map, in s, from which it is shown: from there on the robot drives slowly.
const SLOW = 3;

// MAIN is the primary button of a state (without a map, the first one), ORDER the order of the buttons.
const MAIN: Partial<Record<Mapping['state'], MappingAction>> = {
  mapping: 'finish',
  paused: 'resume',
  review: 'save',
};
const ORDER: Partial<Record<Mapping['state'], readonly MappingAction[]>> = {
  none: ['start', 'sketch', 'sheet'],
  map: ['extend', 'start', 'sketch', 'sheet', 'revert', 'advance'],
  mapping: ['pause', 'undo', 'discard', 'finish'],
  paused: ['resume', 'undo', 'discard', 'finish'],
  finishing: ['discard'],
  review: ['save', 'back', 'discard'],
};
// Those that remain visible, but disabled, while they are impossible; the others are hidden then.
const FIXED: readonly MappingAction[] = ['start', 'pause', 'resume', 'undo', 'discard', 'finish', 'save'];

// cardOf returns the card. asks is the action that needs a confirmation, fault why the robot or this card
// refused the last one.
export function cardOf(m: Readonly<Model>, mapping: Mapping, asks: Question | null, fault: string): CardView {
  const { state, progress } = mapping;
  const driven = state === 'mapping' || state === 'paused';
  return {
    title: titleOf(mapping),
    chip: state === 'paused' ? words.paused : '',
    figures: driven ? figuresOf(m, mapping) : null,
    progress: state === 'finishing' ? Math.min(1, Math.max(0, progress)) : null,
    says: fault || (asks === null ? saysOf(m, mapping) : QUESTIONS[asks][0]),
    bad: fault !== '',
    hint:
      fault === '' &&
      asks === null &&
      [words.saysMapping, words.saysSketching, words.saysPaused].includes(saysOf(m, mapping)),
    name: state === 'review' && !mapping.extending,
    size: asks === 'sheet',
    buttons: asks === null ? buttonsOf(m, mapping) : questionOf(m, mapping, asks),
  };
}

// QUESTIONS are the questions, and the answers no and yes.
const QUESTIONS: Record<Question, readonly [string, string, string]> = {
  discard: [words.asks, words.keep, words.yes],
  sheet: [words.saysSheet, words.cancel, words.begin],
};

function figuresOf(m: Readonly<Model>, { from, way, seconds, loops, open }: Mapping): Record<string, string> {
  const metres = (v: number) => say(words.metres, { m: v.toFixed(v < 100 ? 1 : 0) });
  const driven = { way: metres(way), time: spanOf(seconds) };
  if (from !== 'sonars') return { ...driven, loops: String(loops), open: String(open?.length ?? 0) };
  return { ...driven, away: metres(m.state ? Math.hypot(m.state.pose[0], m.state.pose[1]) : 0) };
}

function titleOf({ state, from, name, extending }: Mapping): string {
  switch (state) {
    case 'none':
      return words.titleNone;
    case 'map':
      return name === '' ? words.titleMapOnly : say(words.titleMap, { name });
    case 'finishing':
      return words.titleFinishing;
    case 'review':
      return from === 'hand' ? words.titleHand : from === 'sonars' ? words.titleSketch : words.titleReview;
    case 'saving':
      return words.titleSaving;
    default:
      return extending
        ? say(words.titleExtending, { name })
        : from === 'sonars'
          ? words.titleSketching
          : words.titleMapping;
  }
}

function saysOf(m: Readonly<Model>, mapping: Mapping): string {
  const { state, from, why, behind, by } = mapping;
  if (state === 'none' || state === 'map') return why || (state === 'none' ? words.saysNone : words.saysMap);
  if (state === 'mapping' && behind > SLOW) return say(words.saysBehind, { s: behind.toFixed(0) });
  if (why !== '') return why;
  if (m.holder === null && (state === 'mapping' || state === 'paused')) return words.byNobody;
  if (by !== '' && by !== nameOf(m, m.you) && state !== 'saving') return say(words.byOther, { name: by });
  switch (state) {
    case 'mapping':
      return from === 'sonars' ? words.saysSketching : words.saysMapping;
    case 'paused':
      return words.saysPaused;
    case 'review':
      return from === 'hand' ? words.saysHand : from === 'sonars' ? words.saysSketch : words.saysReview;
    default:
      return '';
  }
}

function buttonsOf(m: Readonly<Model>, { state, from, can }: Mapping): Button[] {
  return (ORDER[state] ?? [])
    .filter((action) => can.includes(action) || (FIXED.includes(action) && !can.includes('sketch')))
    .map((action, i) => ({
      deed: action,
      text:
        action === 'start' && state === 'map'
          ? words.startNew
          : action === 'back' && from === 'sonars'
            ? words.backSketch
            : words[action],
      main: MAIN[state] === action || (state === 'none' && i === 0),
      can: mayAct(m) && can.includes(action),
    }));
}

function questionOf(m: Readonly<Model>, { can }: Mapping, asks: Question): Button[] {
  const [, no, yes] = QUESTIONS[asks];
  return [
    { deed: 'keep', text: no, main: false, can: true },
    { deed: asks, text: yes, main: true, can: mayAct(m) && can.includes(asks) },
  ];
}

// spanOf formats seconds as "45 s" or "4 min".
export function spanOf(seconds: number): string {
  return seconds < 60
    ? say(words.seconds, { s: Math.floor(seconds) })
    : say(words.minutes, { m: Math.floor(seconds / 60) });
}

// newsOf returns the message, also for screen readers, about a change of the state.
export function newsOf(mapping: Mapping, before: Mapping | null): string[] {
  if (before === null) return [];
  const news: string[] = [];
  if (mapping.state !== before.state) {
    const resumed = before.state === 'paused' || before.state === 'review';
    const line = {
      none: isMapping(before) ? words.liveEnded : '',
      map: isMapping(before) ? words.liveEnded : '',
      mapping: resumed ? words.liveResumed : mapping.from === 'sonars' ? words.liveSketch : words.liveMapping,
      paused: mapping.why || words.livePaused,
      finishing: words.liveFinishing,
      review: mapping.from === 'hand' ? words.liveHand : words.liveReview,
      saving: words.titleSaving,
    }[mapping.state];
    if (line !== '') news.push(line);
  }
  if (mapping.state === 'mapping' && mapping.from === 'sonars') {
    if (mapping.why !== before.why) news.push(mapping.why);
  } else if (mapping.state === 'mapping') {
    if (closedNow(mapping, before)) news.push(words.liveLoop);
    const [open, was] = [mapping.open?.length ?? 0, before.open?.length ?? 0];
    if (before.state === 'mapping' && open !== was && (open === 0 || was === 0))
      news.push(say(words.liveOpen, { n: open }));
  }
  return news;
}

// closedNow: a loop has been closed since.
export function closedNow(mapping: Mapping, before: Mapping | null): boolean {
  return before !== null && mapping.loop !== null && mapping.loop.n > (before.loop?.n ?? 0) && isMapping(before);
}
