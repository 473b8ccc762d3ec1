// The texts of the top bar, from the model alone.
import { hasControl, holderName, isBaseLost, isOld, isStopped, isUnsent, type Model, nameOf } from '../store.ts';
import { say, words } from '../words.ts';
import { BAD, SLOW } from '../link/band.ts';

export type Kind = 'ok' | 'run' | 'warn' | 'bad' | 'quiet' | 'plain';

export interface Badge {
  kind: Kind;
  icon: string;
  main: string;
  under: string;
}

// pillOf returns the robot's state; short is for a page with little space.
export function pillOf(m: Readonly<Model>): { kind: Kind; text: string; short: string } {
  const { kind, name } = stateOf(m);
  const job = m.state?.job;
  const step = { n: Math.min((job?.step ?? 0) + 1, job?.steps ?? 1), of: job?.steps ?? 1 };
  const text = say(words.mode[name] ?? name, step);
  const short: Readonly<Record<string, string>> = words.modeShort;
  return { kind, text, short: say(short[name] ?? text, step) };
}

const KINDS: Readonly<Record<string, Kind>> = {
  manual: 'run',
  motion: 'run',
  goal: 'run',
  job: 'run',
  blocked: 'warn',
  stuck: 'warn',
  paused: 'warn',
};

function stateOf(m: Readonly<Model>): { kind: Kind; name: keyof typeof words.mode } {
  if (m.stop !== null) return { kind: 'bad', name: 'stopped' };
  if (m.stopping !== null) return { kind: 'warn', name: isUnsent(m) ? 'unsent' : 'stopping' };
  if (m.bye) return { kind: 'warn', name: 'closed' };
  if (m.conn === 'lost') return { kind: 'warn', name: 'lost' };
  if (m.conn === 'connecting' || !m.state) return { kind: 'quiet', name: 'connecting' };
  if (isBaseLost(m)) return { kind: 'warn', name: 'base' };
  if (m.state.estop || m.state.refuses) return { kind: 'warn', name: 'refuses' };
  if (m.blockedBy !== null) return { kind: 'warn', name: 'held' };
  const { mode, goal, play, job } = m.state;
  const blocked = (mode === 'goal' || mode === 'job') && goal?.phase === 'blocked';
  const name = blocked
    ? 'blocked'
    : mode === 'manual' && play?.motion
      ? 'motion'
      : mode === 'paused' && job?.phase === 'stuck'
        ? 'stuck'
        : mode;
  return { kind: m.conn === 'stale' ? 'quiet' : (KINDS[name] ?? 'ok'), name };
}

export function linkOf(m: Readonly<Model>): Badge {
  if (m.conn === 'lost') {
    return {
      kind: 'bad',
      icon: 'wifi-off',
      main: words.linkBadge.noLink,
      under: say(words.linkBadge.for, { seconds: m.silence.toFixed(1) }),
    };
  }
  if (m.conn === 'stale') {
    return {
      kind: 'warn',
      icon: 'signal',
      main: words.linkBadge.noData,
      under: say(words.linkBadge.for, { seconds: m.silence.toFixed(1) }),
    };
  }
  if (m.rtt === null) return { kind: 'quiet', icon: 'signal', main: '–', under: words.linkBadge.waiting };
  const kind: Kind = m.rtt <= SLOW ? 'plain' : m.rtt <= BAD ? 'warn' : 'bad';
  return {
    kind,
    icon: 'signal',
    main: say(words.linkBadge.ms, { ms: milli(m.rtt) }),
    under: say(words.linkBadge.roundTrip, { jitter: milli(m.jitter ?? 0) }),
  };
}

const LOW = 0.25;
const EMPTY = 0.1;

export function batteryOf(m: Readonly<Model>): Badge {
  const battery = m.state?.battery;
  if (!battery || battery.charge === null) return { kind: 'quiet', icon: 'battery', main: '–', under: '' };
  const { charge, charging, left } = battery;
  const old = m.conn === 'stale' || isOld(m);
  const kind: Kind = old ? 'quiet' : charge < EMPTY ? 'bad' : charge < LOW ? 'warn' : 'ok';
  const icon = charging
    ? 'battery-charging'
    : charge < EMPTY
      ? 'battery-warning'
      : charge < LOW
        ? 'battery-low'
        : charge < 0.85
          ? 'battery-medium'
          : 'battery-full';
  const under = charging
    ? words.battery.charging
    : left === null
      ? ''
      : say(words.battery.left, { time: duration(left) });
  return { kind, icon, main: say(words.battery.percent, { percent: percent(charge) }), under };
}

export function percent(charge: number): number {
  return Math.round(charge * 100);
}

// duration formats seconds as "3 h 50 min" or "14 min".
export function duration(seconds: number): string {
  const minutes = Math.max(0, Math.round(seconds / 60));
  const h = Math.trunc(minutes / 60);
  return h > 0 ? say(words.battery.hours, { h, m: minutes % 60 }) : say(words.battery.minutes, { m: minutes });
}

export interface Authority {
  kind: 'yours' | 'watching' | 'free';
  icon: string;
  text: string;
  button: string; // empty: none
  can: boolean; // the button is enabled
}

// authorityOf returns null before the robot has reported who has control.
export function authorityOf(m: Readonly<Model>): Authority | null {
  if (m.you === null) return null;
  if (hasControl(m))
    return {
      kind: 'yours',
      icon: 'key-round',
      text: words.control.yours,
      button: isStopped(m) ? '' : words.control.release, // beside STOPPED it would seem to release the stop
      can: m.socket && m.passing === null,
    };
  if (m.holder === null && m.role !== 'observer' && m.offer === null)
    return { kind: 'free', icon: 'key-round', text: words.control.nobody, button: words.control.take, can: m.socket };
  return {
    kind: 'watching',
    icon: 'eye',
    text: m.elsewhere ? words.control.elsewhere : words.control.watching,
    button: '',
    can: false,
  };
}

// lockOf returns the line over the drive panel for a person who cannot drive; empty for one who can.
export function lockOf(m: Readonly<Model>): string {
  if (m.you === null || hasControl(m)) return '';
  if (m.elsewhere) return words.control.readOnlyElsewhere;
  if (m.role === 'observer') return words.control.readOnlyObserver;
  if (m.offer !== null)
    return m.offer.to === m.you
      ? words.control.readOnlyOffered
      : say(words.control.readOnlyWait, { name: nameOf(m, m.offer.to) });
  if (m.freeAt !== null) return say(words.control.readOnlyLeft, { name: holderName(m) });
  return m.holder === null ? words.control.readOnlyFree : say(words.control.readOnly, { name: holderName(m) });
}

export function milli(seconds: number): number {
  return Math.round(seconds * 1000);
}
