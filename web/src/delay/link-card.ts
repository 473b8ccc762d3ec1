// The card behind the badge of the delay: the last minute, the clocks, and how punctual the control loop is.
import { plot } from './chart.ts';
import type { Context } from '../context.ts';
import { pick, setText } from '../dom.ts';
import { type Model, now } from '../store.ts';
import { duration, milli } from '../topbar/view.ts';
import { say, words } from '../words.ts';

// linkDetails returns the lines of the card behind the badge.
export function linkDetails(m: Readonly<Model>): Record<'rtt' | 'jitter' | 'offset' | 'loop', string> {
  const tick = m.state?.tick;
  return {
    rtt: m.rtt === null ? '–' : `${milli(m.rtt)} ms`,
    jitter: m.jitter === null ? '–' : `±${milli(m.jitter)} ms`,
    offset:
      m.offset === null || m.offsetBound === null
        ? '–'
        : say(words.linkBadge.offsetValue, {
            offset: span(m.offset),
            bound: Math.max(1, Math.ceil(m.offsetBound * 1000)),
          }),
    loop:
      !tick || tick.jitter_ms === null
        ? '–'
        : say(words.linkBadge.loopValue, { period: tick.period_ms, jitter: tick.jitter_ms.toFixed(1) }),
  };
}

// span formats seconds as "−12 ms", "3.2 s", "14 min" or "2 h 5 min".
export function span(seconds: number): string {
  const s = Math.abs(seconds);
  const sign = seconds < 0 && s >= 0.0005 ? '−' : '';
  if (s < 1) return sign + say(words.linkBadge.ms, { ms: milli(s) });
  if (s < 60) return sign + say(words.goto.seconds, { s: s.toFixed(1) });
  return sign + duration(s);
}

// mountLinkCard draws the card only while it is open.
export function mountLinkCard({ store }: Context): void {
  const badge = pick('#link');
  const card = pick('#link-card');
  const chart = pick('.chart', card);

  const show = (m: Readonly<Model>) => {
    const details = linkDetails(m);
    for (const dd of card.querySelectorAll<HTMLElement>('dd'))
      setText(dd, details[dd.dataset.of as keyof typeof details]);
    plot(chart, m.rounds, now());
  };

  const open = (on: boolean) => {
    card.hidden = !on;
    badge.setAttribute('aria-expanded', String(on));
    if (on) {
      show(store.get());
      pick('button', card).focus();
    } else if (card.contains(document.activeElement) || document.activeElement === document.body) badge.focus();
  };
  badge.onclick = () => open(card.hidden);
  pick('button', card).onclick = () => open(false);
  card.onkeydown = (e) => {
    if (e.key === 'Escape') open(false);
  };
  store.subscribe((m, before) => {
    if (!card.hidden && (m.rounds !== before.rounds || m.conn !== before.conn)) show(m);
  });
}
