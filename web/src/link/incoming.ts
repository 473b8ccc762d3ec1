// The effect of a message from the robot on the model. Pure: it gets the model and the message, and returns
// changes.
import { type Ask, hasControl, type Model, nameOf, type Offer, ownAsk, type Wish } from '../store.ts';
import { say, words } from '../words.ts';
import { asYou } from '../you.ts';
import type { Down, Event, Lease, Loan, LogIcon, Stop, Welcome, Word } from '../wire.ts';

export interface News {
  patch: Partial<Model>;
  toast?: { text: string; word: Word | null };
  note?: { icon: LogIcon; text: string };
}

// incoming returns the changes at t, the page's time in s.
export function incoming(m: Readonly<Model>, msg: Down, t: number): News {
  const you = (text: string) => asYou(text, nameOf(m, m.you));
  switch (msg.type) {
    case 'welcome':
      return welcome(m, msg, t);
    case 'state':
      return { patch: { state: msg, lastStateAt: t, conn: 'live', silence: 0, ...stopped(m, msg.stop, msg.at) } };
    case 'hold':
      return {
        patch: { hold: msg.hold, holdReason: you(msg.reason), refusal: '', held: { t: msg.t, pose: msg.pose } },
      };
    case 'result':
      return answered(msg.word, you(msg.reason), msg.seq !== undefined);
    case 'event':
      switch (msg.kind) {
        case 'people':
          return { patch: { people: msg.people } };
        case 'lease':
          return leased(m, msg, you(msg.reason ?? ''), t);
        case 'parts':
          return lent(m, msg, you(msg.reason), t);
        case 'stop':
          return {
            patch: {
              ...stopped(m, msg.stopped ? { by: msg.by, id: msg.id, at: msg.at } : null, msg.at),
              stopSaidAt: Date.parse(msg.at),
              refusal: '',
            },
          };
        case 'stopper':
          return { patch: { stopper: { id: msg.id, name: msg.name, device: msg.device, stops: msg.stops } } };
        case 'route':
          return { patch: { route: msg.route } };
        case 'world':
          return { patch: { world: { things: msg.things, doors: msg.doors } } };
        case 'map':
          return { patch: { plan: { ...m.plan, via: msg.via, edges: msg.edges, places: msg.places } } };
        case 'link':
          return { patch: { bent: { name: msg.name, profile: msg.profile } } };
        case 'motions':
          return { patch: { motions: msg.motions } };
        case 'jobs':
          return { patch: { jobs: msg.jobs } };
        case 'run':
          return {
            patch: {
              run: msg.run && {
                ...msg.run,
                reason: you(msg.run.reason),
                steps: msg.run.steps.map((s) => ({ ...s, reason: you(s.reason) })),
              },
            },
          };
        case 'mapping':
        case 'scripts':
        case 'values':
          return { patch: { [msg.kind]: msg } };
        case 'floor':
          return { patch: msg.mapping ? {} : { floor: msg } }; // the map being made has no floor plan to load
        case 'log':
          return { patch: {}, note: { icon: msg.icon, text: you(msg.text) } };
        default:
          return { patch: {} }; // a newer robot may send other messages
      }
    case 'bye':
      return { patch: { bye: msg.again ? '' : msg.reason } };
    default:
      return { patch: {} };
  }
}

const ANSWER_WITHIN = 30; // s until a request expires
const ACCEPT_WITHIN = 10; // s until an offer expires

function welcome(m: Readonly<Model>, msg: Welcome, t: number): News {
  const news: News = {
    patch: {
      socket: true,
      tries: 0,
      bye: '',
      refused: false,
      you: msg.you,
      simulator: msg.simulator,
      sees: msg.sees === true,
      hears: msg.hears === true,
      relays: msg.relays ?? [],
      newBuild: msg.build !== m.build,
      robot: msg.robot,
      people: msg.people,
      hold: msg.hold,
      held: null,
      run: null,
      role: msg.role,
      camera: msg.camera,
      elsewhere: msg.elsewhere !== undefined,
      ...control(m, msg.lease, t),
      loans: [], // the loans follow in another message
      wishes: [],
      stop: msg.stop,
      stopping: msg.stop ? null : m.stopping,
      stopSaidAt: 0,
    },
  };
  const returned = m.you !== null && msg.back; // not after a reload, because then the page is new
  if (returned) {
    const seconds = Math.max(1, Math.round(Math.max(returned.after, t - (m.lastStateAt ?? t)))); // as long as this page waited
    const name = msg.people.find((p) => p.id === msg.lease.holder)?.name ?? '';
    const sentence = returned.control
      ? words.back.yours
      : !hasControl(m)
        ? words.back.plain
        : name
          ? words.back.theirs
          : words.back.free;
    news.toast = { text: say(sentence, { seconds, name }), word: null };
  }
  return news;
}

// stopped: a state from before the last message about a stop does not undo it.
function stopped(m: Readonly<Model>, stop: Stop | null, at: string): Partial<Model> {
  if (stop) return { stop, stopping: null };
  return m.stop && Date.parse(at) < m.stopSaidAt ? {} : { stop: null };
}

// control converts a lease for the model. Unchanged parts remain the same values.
function control(m: Readonly<Model>, l: Lease, t: number) {
  const same = (a: { until: number }, until: number) => Math.abs(a.until - until) < 2;
  const asks = (l.requests ?? []).map(({ id, reason, left }): Ask => {
    return (
      m.asks.find((a) => a.id === id && same(a, t + left)) ?? {
        id,
        reason,
        since: t + left - ANSWER_WITHIN,
        until: t + left,
      }
    );
  });
  let offer: Offer | null = null;
  if (l.offer) {
    const until = t + l.offer.left;
    offer =
      m.offer?.to === l.offer.id && same(m.offer, until)
        ? m.offer
        : { to: l.offer.id, since: until - ACCEPT_WITHIN, until };
  }
  return {
    epoch: l.epoch,
    holder: l.holder,
    since: l.since,
    freeAt: l.free_in === undefined ? null : t + l.free_in,
    asks,
    offer,
    passing: l.passing ?? null,
  };
}

// leased reports changes that concern this person; the others are in the log.
function leased(m: Readonly<Model>, lease: Lease, reason: string, t: number): News {
  const patch = { ...control(m, lease, t), refusal: '' }; // its subject has passed
  const after = { ...m, ...patch };
  const had = hasControl(m);
  const has = hasControl(after);
  const toast = (text: string): News => (text === '' ? { patch } : { patch, toast: { text, word: null } });
  if (has && !had) return toast(words.control.gained);
  if (had && !has) return toast(reason || words.control.lost);
  if (after.passing !== null) return { patch };
  const answered = patch.asks.length < m.asks.length && (has || (ownAsk(m) && !ownAsk(after)));
  const over = m.offer !== null && patch.offer === null && (has || m.offer.to === m.you);
  return answered || over ? toast(reason) : { patch };
}

// lent reports changes of every loan to the person in control, and of their own loans to others. The page
// shows requests.
function lent(m: Readonly<Model>, msg: Extract<Event, { kind: 'parts' }>, reason: string, t: number): News {
  const wishes = msg.requests.map(({ part, id, left }): Wish => ({ part, id, until: t + left }));
  const patch = { loans: msg.loans, wishes };
  const own = ({ id }: { id: number }) => id === m.you;
  const told = (loans: readonly Loan[]) =>
    loans
      .filter((l) => hasControl(m) || own(l))
      .map((l) => l.loan)
      .join();
  const answered = wishes.filter(own).length < m.wishes.filter(own).length;
  const concerns = answered || told(msg.loans) !== told(m.loans);
  return reason !== '' && concerns ? { patch, toast: { text: reason, word: null } } : { patch };
}

function answered(word: Word, reason: string, drive: boolean): News {
  if (drive) return { patch: { refusal: reason }, note: { icon: 'warn', text: reason } };
  switch (word) {
    case 'SUCCESS':
      return { patch: {} };
    case 'INTERRUPTED':
      return { patch: {}, note: { icon: 'info', text: reason } };
    default:
      return { patch: {}, toast: { text: reason, word }, note: { icon: 'warn', text: reason } };
  }
}
