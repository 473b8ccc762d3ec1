// Announcements of changes: to a screen reader (alerts only for stop, no contact and control lost), and in
// the log for what only this page knows.
import { alone } from './alone.ts';
import { returnOf } from './base.ts';
import { hasControl, holderName, isBaseLost, isStopped, isUnsent, type Model, now, type Store } from './store.ts';
import { type Band, bandOf } from './link/band.ts';
import type { Voice } from './live.ts';
import { lacks } from './parts/lacks.ts';
import { tick } from './stop/tick.ts';
import { wrap } from './virtualrobot/step.ts';
import type { Pose } from './wire.ts';
import { say, words } from './words.ts';

export interface Line {
  text: string;
  alert: boolean;
}

export function announcementsOf(m: Readonly<Model>, before: Readonly<Model>): Line[] {
  const lines: Line[] = [];
  const line = (text: string, alert = false) => lines.push({ text, alert });
  if (m.stop !== null && before.stop === null)
    line(m.stop.id === m.you ? words.live.stoppedYou : say(words.live.stopped, { name: m.stop.by }), true);
  if (isUnsent(m) && !isUnsent(before)) line(unsent(m), true);
  if (!isStopped(m) && before.stop !== null) line(words.stop.released);
  if (m.freeAt !== null && before.freeAt === null)
    line(
      `${say(words.banner.left, { name: holderName(m) })} ${say(words.banner.freeIn, { seconds: Math.ceil(m.freeAt - now()) })}`,
    );
  if (m.conn === 'lost' && before.conn !== 'lost') line(noContact(m), true);
  if (m.conn === 'live' && before.conn === 'lost') line(words.live.back);
  if (isBaseLost(m) && !isBaseLost(before)) line(baseLost(m), true);
  if (before.you !== null && hasControl(before) && !hasControl(m)) line(words.live.lost, true);
  if (before.you !== null && m.people !== before.people) {
    for (const p of m.people)
      if (p.id !== m.you && !before.people.some((b) => b.id === p.id)) line(say(words.live.person, { name: p.name }));
    for (const b of before.people)
      if (!m.people.some((p) => p.id === b.id)) line(say(words.live.left, { name: b.name }));
  }
  return lines;
}

// undocking returns a function that reports, at the page's time t, whether a driver, a goal or a job has moved
// the robot off its charger. Like the robot's log it takes one change a second, and none from the robot's last
// centimetres into its dock: there the contacts may meet and part.
export function undocking(): (m: Readonly<Model>, t: number) => boolean {
  let charged: boolean | null = null; // as it was last taken,
  let at = -Infinity; // then
  return ({ state, conn, plan }, t) => {
    if (conn !== 'live' || state === null) return false;
    const { charging } = state.battery;
    if (charging === charged || (charged !== null && t - at < 1)) return false;
    if (charged && state.goal?.phase === 'driving' && isDock(state.goal.goal, plan.dock)) return false;
    const left = charged === true && /manual|goal|job/.test(state.mode);
    charged = charging;
    at = t;
    return left;
  };
}

// isDock reports whether a goal is the pose in which the robot charges, as nearly as it arrives.
function isDock([x, y, heading]: Pose, dock: Pose | null): boolean {
  return dock !== null && Math.hypot(x - dock[0], y - dock[1]) < 0.05 && Math.abs(wrap(heading - dock[2])) < 0.05;
}

// baseLost says that no readings come from the base, and why.
function baseLost(m: Readonly<Model>): string {
  return `${words.live.base} ${m.state?.base?.why ?? ''}`.trim();
}

// unsent says that STOP has not arrived, and what the robot does meanwhile.
function unsent(m: Readonly<Model>): string {
  return m.conn === 'lost' ? `${words.live.unsent} ${alone(m)}`.trim() : words.live.unsent;
}

// noContact says that contact is lost, and what the robot does meanwhile.
function noContact(m: Readonly<Model>): string {
  return `${words.live.noContact} ${alone(m)}`.trim();
}

export function mountAnnouncements(store: Store, voice: Voice): void {
  let band: Band = 0;
  const leavesDock = undocking();
  store.subscribe((m, before) => {
    if (m.prefs.sounds && before.you !== null && m.holder !== before.holder) tick(660);
    for (const { text, alert } of announcementsOf(m, before)) {
      if (alert) voice.alert(text);
      else voice.say(text);
    }
    if (m.conn === 'lost' && before.conn !== 'lost') store.note('warn', noContact(m));
    if (m.conn === 'live' && before.conn === 'lost') store.note('info', words.live.back);
    if (isBaseLost(m) && !isBaseLost(before)) store.note('warn', baseLost(m));
    const back = returnOf(m, before);
    if (back !== '') {
      store.note('info', back);
      store.toast(back);
    }
    if (isUnsent(m) && !isUnsent(before)) store.note('stop', unsent(m)); // the robot logs what reached it
    const said = m.state?.speech;
    if (said && said.n !== before.state?.speech?.n && lacks(m.robot, 'speaker'))
      store.toast(say(words.parts.says, { text: said.text }));
    if (m.state !== before.state && leavesDock(m, now())) store.toast(words.battery.undocked);
    const next = m.rtt === before.rtt ? band : bandOf(m.rtt, band);
    if (next === band) return;
    const text = say(next > band ? words.live.slower : words.live.faster, { ms: Math.round((m.rtt ?? 0) * 1000) });
    band = next;
    store.note(next > 0 ? 'warn' : 'info', text);
    voice.say(text);
  });
}
