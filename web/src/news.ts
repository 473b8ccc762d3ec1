// What a screen reader is told when something changes. Alerts only for stop, no contact and control lost.
import { hasControl, isStopped, type Model, type Store } from './store.ts';
import type { Voice } from './live.ts';
import { say, words } from './words.ts';

export interface Line {
  text: string;
  alert: boolean;
}

export function newsOf(m: Readonly<Model>, before: Readonly<Model>): Line[] {
  const lines: Line[] = [];
  const line = (text: string, alert = false) => lines.push({ text, alert });
  if (isStopped(m) && !isStopped(before)) {
    const other = m.stop !== null && m.stop.id !== m.you;
    line(other ? say(words.live.stopped, { name: m.stop?.by ?? '' }) : words.live.stoppedYou, true);
  }
  if (!isStopped(m) && isStopped(before)) line(words.stop.released);
  if (m.conn === 'lost' && before.conn !== 'lost') line(words.live.noContact, true);
  if (m.conn === 'live' && before.conn === 'lost') line(words.live.back);
  if (before.you !== null && hasControl(before) && !hasControl(m)) line(words.live.lost, true);
  if (before.you !== null && m.people !== before.people) {
    for (const p of m.people) if (p.id !== m.you && !before.people.some((b) => b.id === p.id)) line(say(words.live.person, { name: p.name }));
    for (const b of before.people) if (!m.people.some((p) => p.id === b.id)) line(say(words.live.left, { name: b.name }));
  }
  return lines;
}

export function mountNews(store: Store, voice: Voice): void {
  store.subscribe((m, before) => {
    for (const { text, alert } of newsOf(m, before)) {
      if (alert) voice.alert(text);
      else voice.say(text);
    }
  });
}
