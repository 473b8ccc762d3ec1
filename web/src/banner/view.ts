// What the banner says: the one thing that matters most now. Order: stopped, no contact, closed, watching or free,
// battery, new version.
import { clockTime, shortTime } from '../format.ts';
import { hasControl, holderName, type Model, personOf } from '../store.ts';
import { duration, percent } from '../topbar/view.ts';
import { say, words } from '../words.ts';

export type Deed = 'retry' | 'take' | 'reload';

export interface Banner {
  kind: 'bad' | 'warn' | 'info';
  icon: string;
  head: string;
  main: string;
  long: string; // left out where there is little room
  button: string; // empty: none
  deed: Deed | null;
}

const CONFIRM_WITHIN = 1; // s

// bannerOf: t is the page's time.
export function bannerOf(m: Readonly<Model>, t: number): Banner | null {
  const w = words.banner;
  if (m.stop || m.stopping) return stoppedBanner(m, t);
  if (m.bye) return { kind: 'warn', icon: 'info', head: w.closed, main: m.bye, long: '', button: w.useHere, deed: 'retry' };
  if (m.conn === 'lost') {
    const again = m.tries > 0 ? say(w.reconnecting, { tries: m.tries }) : '';
    return { kind: 'warn', icon: 'wifi-off', head: contactLine(m), main: `${w.byItself} ${again}`.trim(), long: '', button: w.tryNow, deed: 'retry' };
  }
  if (m.you !== null && !hasControl(m)) {
    if (m.holder === null) return { kind: 'info', icon: 'key-round', head: w.nobody, main: w.takeIt, long: '', button: words.control.take, deed: 'take' };
    const name = holderName(m);
    const main = m.freeAt !== null ? say(w.freeIn, { name, seconds: Math.max(0, Math.ceil(m.freeAt - t)) }) : say(w.since, { name, time: shortTime(m.since) });
    return { kind: 'info', icon: 'eye', head: w.watching, main, long: w.youCan, button: '', deed: null };
  }
  const battery = m.state?.battery;
  if (battery && battery.charge !== null && battery.charge < 0.1 && !battery.charging) {
    const about = battery.left === null ? '' : say(words.battery.about, { time: duration(battery.left) });
    return { kind: 'warn', icon: 'battery-warning', head: say(words.battery.banner, { percent: percent(battery.charge) }), main: about, long: words.battery.advice, button: '', deed: null };
  }
  if (m.newBuild) return { kind: 'info', icon: 'refresh-cw', head: w.newBuild, main: '', long: '', button: w.reload, deed: m.driving ? null : 'reload' };
  return null;
}

function contactLine(m: Readonly<Model>): string {
  return m.lastStateAt === null ? words.banner.never : say(words.banner.noContact, { seconds: m.silence.toFixed(1) });
}

function stoppedBanner(m: Readonly<Model>, t: number): Banner {
  const w = words.banner;
  const lost = m.conn === 'lost';
  const banner: Banner = { kind: 'bad', icon: 'octagon-x', head: w.stopped, main: '', long: '', button: lost ? w.tryNow : '', deed: lost ? 'retry' : null };
  if (m.stop === null) {
    const wall = new Date(Date.now() - (t - (m.stopping?.at ?? t)) * 1000).toISOString();
    banner.main = say(w.byYou, { time: clockTime(wall) });
    if (m.stopping && !m.stopping.sent) banner.main += ` ${w.queued}`;
    else if (m.stopping && t - m.stopping.at >= CONFIRM_WITHIN) banner.main += ` ${w.unconfirmed}`;
  } else {
    const time = clockTime(m.stop.at);
    const parts: string[] = [];
    if (m.stop.id !== 0 && m.stop.id === m.you) parts.push(say(w.byYou, { time }));
    else banner.head = say(w.byOther, { name: m.stop.by, time });
    if (hasControl(m)) banner.long = w.motors;
    else if (personOf(m, m.holder)) parts.push(say(w.canRelease, { name: holderName(m) }));
    else {
      parts.push(w.takeToRelease);
      if (!lost && m.you !== null) Object.assign(banner, { button: words.control.take, deed: 'take' });
    }
    banner.main = parts.join(' ');
  }
  if (lost) banner.main = `${banner.main} ${contactLine(m)}`.trim();
  return banner;
}
