// What the banner shows: the one most important message. Order: stopped, closed, no contact, no base,
// another tab, handover of control, a base that will not drive, position lost, watching or free, a part out
// of reach, battery, new version.
import { alone, mayBeAt } from '../alone.ts';
import { silenceOf } from '../base.ts';
import { hindranceOf } from '../hindrance.ts';
import { clockTime, shortTime } from '../format.ts';
import { isLost } from '../goto/view.ts';
import {
  hasControl,
  holderName,
  isBaseLost,
  isUnsent,
  mayAct,
  type Model,
  nameOf,
  ownAsk,
  personOf,
} from '../store.ts';
import { duration, percent } from '../topbar/view.ts';
import { say, words } from '../words.ts';

export type Deed = 'retry' | 'pose' | 'dock' | 'here' | 'take' | 'stay' | 'ask' | 'cancel' | 'reload';

// Press is a button of the banner; deed is null while it is disabled.
export interface Press {
  text: string;
  deed: Deed | null;
}

export interface Banner {
  kind: 'bad' | 'unsent' | 'warn' | 'info'; // bad: red, for a stopped robot
  icon: string;
  head: string;
  main: string;
  long: string; // hidden where there is little space
  press: Press | null;
  other: Press | null; // a second button
}

// bannerOf returns the banner at the page's time t.
export function bannerOf(m: Readonly<Model>, t: number): Banner | null {
  const w = words.banner;
  if (m.stop || m.stopping) return stoppedBanner(m, t);
  if (m.bye) return warn('info', w.closed, m.bye, m.refused ? reload() : { text: w.useHere, deed: 'retry' });
  if (m.conn === 'lost') {
    const again = m.tries > 0 ? say(w.reconnecting, { tries: m.tries }) : '';
    return {
      ...warn('wifi-off', contactLine(m), [alone(m), m.full, again].filter(Boolean).join(' '), {
        text: w.tryNow,
        deed: 'retry',
      }),
      long: mayBeAt(m) === null ? '' : w.mayBe,
    };
  }
  if (isBaseLost(m)) {
    const { head, why } = silenceOf(m, t);
    return { ...warn('unplug', head, why, null), long: words.base.stands };
  }
  if (m.elsewhere)
    return warn('info', w.elsewhere, w.elsewhereMore, { text: w.useHere, deed: m.socket ? 'here' : null });
  if (m.passing !== null)
    return info(
      'key-round',
      m.passing.to === null
        ? w.freed
        : say(w.passes, { name: m.passing.to === m.you ? w.toYou : nameOf(m, m.passing.to) }),
      w.standsFirst,
      '',
      null,
    );
  const wrong = hindranceOf(m) || m.state?.base?.why;
  if (wrong) return warn('triangle-alert', wrong, '', null);
  if (isLost(m))
    return {
      ...warn(
        'crosshair',
        w.position,
        w.positionMain,
        hasControl(m) && m.tool !== 'pose' ? { text: words.goto.setPose, deed: mayAct(m) ? 'pose' : null } : null,
      ),
      long: w.positionLong,
    };
  if (m.you !== null && !hasControl(m)) return watching(m, t);
  if (m.offer !== null)
    return info(
      'key-round',
      say(w.offered, { name: nameOf(m, m.offer.to), seconds: left(m.offer.until, t) }),
      w.idle,
      '',
      { text: w.keep, deed: m.socket ? 'stay' : null },
    );
  const gone = m.state?.base?.gone ?? [];
  if (gone.length > 0) return warn('unplug', say(words.base.gone, { parts: gone.join(', ') }), '', null);
  const battery = m.state?.battery;
  if (battery && battery.charge !== null && battery.charge < 0.1 && !battery.charging) {
    const about = battery.left === null ? '' : say(words.battery.about, { time: duration(battery.left) });
    const dock: Press | null =
      m.plan.dock === null ? null : { text: words.battery.dock, deed: mayAct(m) ? 'dock' : null };
    return {
      ...warn('battery-warning', say(words.battery.banner, { percent: percent(battery.charge) }), about, dock),
      long: words.battery.advice,
    };
  }
  if (m.newBuild) return info('refresh-cw', w.newBuild, '', '', { text: w.reload, deed: m.driving ? null : 'reload' });
  return null;
}

const reload = (): Press => ({ text: words.banner.reload, deed: 'reload' });

// counts reports whether the banner shows running seconds.
export function counts(m: Readonly<Model>): boolean {
  return isBaseLost(m) || m.stopping !== null || m.freeAt !== null || m.offer !== null || m.asks.length > 0;
}

function warn(icon: string, head: string, main: string, press: Press | null): Banner {
  return { kind: 'warn', icon, head, main, long: '', press, other: null };
}

function info(icon: string, head: string, main: string, long: string, press: Press | null): Banner {
  return { kind: 'info', icon, head, main, long, press, other: null };
}

// watching returns the banner for a person without control: who has it, and how to get it.
function watching(m: Readonly<Model>, t: number): Banner {
  const w = words.banner;
  const can = (deed: Deed) => (m.socket ? deed : null);
  const observer = m.role === 'observer';
  const long = observer ? w.observer : w.youCan;
  const ask = ownAsk(m);
  if (m.offer !== null && m.offer.to !== m.you) {
    return info(
      'eye',
      m.holder === null ? w.nobody : w.watching,
      say(w.offered, { name: nameOf(m, m.offer.to), seconds: left(m.offer.until, t) }),
      long,
      null,
    );
  }
  if (m.offer !== null) return info('key-round', w.yours, '', '', null); // the card has the buttons
  if (m.holder === null) {
    return info(
      'key-round',
      w.nobody,
      observer ? '' : w.takeIt,
      observer ? w.observer : '',
      observer ? null : { text: words.control.take, deed: can('take') },
    );
  }
  const name = holderName(m);
  if (m.freeAt !== null) return info('wifi-off', say(w.left, { name }), freeIn(m, t), long, null);
  const since = say(w.since, { name, time: shortTime(m.since) });
  if (observer) return info('eye', w.watching, since, long, null);
  const banner = ask
    ? info('eye', w.watching, say(w.asked, { seconds: Math.max(0, Math.floor(t - ask.since)) }), since, {
        text: words.handover.cancel,
        deed: can('cancel'),
      })
    : info('eye', w.watching, since, long, { text: words.handover.open, deed: m.asking ? null : can('ask') });
  if (m.role === 'admin') banner.other = { text: w.takeNow, deed: can('take') };
  return banner;
}

// left returns the seconds left until the time until.
export function left(until: number, t: number): number {
  return Math.max(0, Math.ceil(until - t));
}

function freeIn(m: Readonly<Model>, t: number): string {
  return say(words.banner.freeIn, { seconds: left(m.freeAt ?? t, t) });
}

function contactLine(m: Readonly<Model>): string {
  return m.lastStateAt === null ? words.banner.never : say(words.banner.noContact, { seconds: m.silence.toFixed(1) });
}

function stoppedBanner(m: Readonly<Model>, t: number): Banner {
  const w = words.banner;
  const lost = m.conn === 'lost';
  const banner: Banner = {
    kind: 'bad',
    icon: 'octagon-x',
    head: w.stopped,
    main: '',
    long: '',
    press: m.refused ? reload() : lost ? { text: w.tryNow, deed: 'retry' } : null,
    other: null,
  };
  if (m.stop === null) {
    const wall = new Date(Date.now() - (t - (m.stopping?.at ?? t)) * 1000).toISOString();
    banner.main = say(w.byYou, { time: clockTime(wall) });
    banner.kind = 'unsent';
    banner.head = banner.main;
    banner.main = isUnsent(m) ? `${w.unsent} ${lost ? alone(m) : ''}`.trim() : w.unconfirmed;
  } else {
    const time = clockTime(m.stop.at);
    const parts: string[] = [];
    if (m.stop.id !== 0 && m.stop.id === m.you) parts.push(say(w.byYou, { time }));
    else banner.head = say(w.byOther, { name: m.stop.by, time });
    if (m.state?.estop) parts.push(words.base.estopFirst);
    else if (hasControl(m)) banner.long = w.motors;
    else if (m.freeAt !== null) parts.push(say(w.left, { name: holderName(m) }), freeIn(m, t));
    else if (personOf(m, m.holder)) parts.push(say(w.canRelease, { name: holderName(m) }));
    else if (m.offer !== null && m.offer.to !== m.you)
      parts.push(say(w.offered, { name: nameOf(m, m.offer.to), seconds: left(m.offer.until, t) }));
    else if (m.role !== 'observer' && m.offer === null) {
      parts.push(w.takeToRelease);
      if (!lost && m.you !== null) banner.press = { text: words.control.take, deed: m.socket ? 'take' : null };
    }
    banner.main = parts.join(' ');
  }
  if (isBaseLost(m) && !lost) {
    const { head, why } = silenceOf(m, t);
    banner.main = `${banner.main} ${head} ${why}`.trim();
  }
  if (m.bye || lost) banner.main = `${banner.main} ${m.bye || contactLine(m)}`.trim();
  return banner;
}
