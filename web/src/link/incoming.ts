// What a message from the robot changes. Pure: the model and the message come in, what is new goes out.
import { hasControl, type Model } from '../store.ts';
import { say, words } from '../words.ts';
import type { Down, LogIcon, Stop, Welcome, Word } from '../wire.ts';

export interface News {
  patch: Partial<Model>;
  toast?: { text: string; word: Word | null };
  note?: { icon: LogIcon; text: string };
}

// incoming: t is the page's time, s.
export function incoming(m: Readonly<Model>, msg: Down, t: number): News {
  switch (msg.type) {
    case 'welcome':
      return welcome(m, msg);
    case 'state':
      return { patch: { state: msg, lastStateAt: t, conn: 'live', silence: 0, ...stopped(m, msg.stop, msg.at) } };
    case 'hold':
      return { patch: { hold: msg.hold, holdReason: msg.reason } };
    case 'result':
      return answered(msg.word, msg.reason, msg.seq !== undefined);
    case 'event':
      switch (msg.kind) {
        case 'people':
          return { patch: { people: msg.people } };
        case 'lease':
          return leased(m, msg.epoch, msg.holder, msg.since, msg.free_in === undefined ? null : t + msg.free_in, msg.reason ?? '');
        case 'stop':
          return { patch: { ...stopped(m, msg.stopped ? { by: msg.by, id: msg.id, at: msg.at } : null, msg.at), stopSaidAt: Date.parse(msg.at) } };
        case 'log':
          return { patch: {}, note: { icon: msg.icon, text: msg.text } };
        default:
          return { patch: {} }; // a newer robot may tell more
      }
    case 'bye':
      return { patch: { bye: msg.again ? '' : msg.reason } };
    default:
      return { patch: {} };
  }
}

function welcome(m: Readonly<Model>, msg: Welcome): News {
  const news: News = {
    patch: {
      socket: true, tries: 0, bye: '', you: msg.you, simulator: msg.simulator, newBuild: msg.build !== m.build,
      robot: msg.robot, people: msg.people, hold: msg.hold,
      epoch: msg.lease.epoch, holder: msg.lease.holder, since: msg.lease.since, freeAt: null,
      stop: msg.stop, stopping: msg.stop ? null : m.stopping, stopSaidAt: 0,
    },
  };
  const returned = m.you !== null && msg.back; // not after a reload: then the page is new
  if (returned) {
    const seconds = Math.round(returned.after);
    const name = msg.people.find((p) => p.id === msg.lease.holder)?.name ?? '';
    const sentence = returned.control ? words.back.yours : !hasControl(m) ? words.back.plain : name ? words.back.theirs : words.back.free;
    news.toast = { text: say(sentence, { seconds, name }), word: null };
  }
  return news;
}

// stopped: a state that was made before the last word about the stop does not take it back.
function stopped(m: Readonly<Model>, stop: Stop | null, at: string): Partial<Model> {
  if (stop) return { stop, stopping: null };
  return m.stop && Date.parse(at) < m.stopSaidAt ? {} : { stop: null };
}

function leased(m: Readonly<Model>, epoch: number, holder: number | null, since: string, freeAt: number | null, reason: string): News {
  const patch = { epoch, holder, since, freeAt };
  const had = hasControl(m);
  const has = m.you !== null && holder === m.you;
  if (has && !had) return { patch, toast: { text: words.control.gained, word: null } };
  if (had && !has) return { patch, toast: { text: reason || words.control.lost, word: null } };
  return { patch };
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
