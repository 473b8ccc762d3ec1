// The delay card: how the network affects driving by hand, and what compensates for it.
import { plot } from './chart.ts';
import { overTCP } from '../link/band.ts';
import type { Context } from '../context.ts';
import { mark, pick, setText, toggle } from '../dom.ts';
import type { Prediction } from '../drive/pilot.ts';
import { type Model, now } from '../store.ts';
import { linkDetails } from './link-card.ts';
import { linkOf } from '../topbar/view.ts';
import { say, words } from '../words.ts';

const EVERY_MS = 200;

export interface Figures {
  rtt: string;
  lead: string;
  behind: string;
  error: string;
}

// figuresOf returns the numbers of the card; an unknown one is an en dash.
export function figuresOf(m: Readonly<Model>, prediction: Prediction | null): Figures {
  const play = m.conn === 'live' ? (m.state?.play ?? null) : null;
  return {
    rtt: m.conn === 'lost' ? '–' : linkDetails(m).rtt,
    lead: prediction === null || m.conn === 'lost' ? '–' : `${prediction.lead.toFixed(2)} m`,
    behind:
      prediction === null || prediction.behind === null || m.conn === 'lost'
        ? '–'
        : `${prediction.behind.toFixed(1)} s`,
    error: play?.policy === 'track' ? `${(play.error * 100).toFixed(1)} cm` : '–',
  };
}

const FELT = 0.05; // s: a smaller delay is not mentioned

// againstOf says that nothing compensates for the delay, and how long the delay is.
function againstOf(m: Readonly<Model>): string {
  return m.rtt === null || m.rtt < FELT ? words.delay.uncompensated : say(words.delay.against, { s: m.rtt.toFixed(1) });
}

// noteOf says what a person may not expect.
export function noteOf(m: Readonly<Model>): string {
  if (!m.compensate) return againstOf(m);
  if (overTCP(m)) return words.delay.overTCP;
  return m.suggested < m.prefs.speedLimit && !m.faster ? say(words.delay.slower, { v: m.suggested.toFixed(2) }) : '';
}

export function isStalled(m: Readonly<Model>): boolean {
  return m.driving && (m.conn === 'stale' || (m.state?.play?.stalled ?? false));
}

export function mountDelay({ store, voice, predicted }: Context): void {
  const card = pick('#delay');
  const chart = pick('.chart', card);
  const toggleSwitch = pick<HTMLButtonElement>('#compensation', card);

  toggleSwitch.onclick = () => {
    const compensate = !store.get().compensate;
    store.set({ compensate });
    if (!compensate) voice.say(againstOf(store.get()));
  };

  const show = () => {
    const m = store.get();
    if ((m.tab !== 'drive' && !m.dialog) || document.hidden) return;
    const figures = figuresOf(m, predicted());
    for (const dd of card.querySelectorAll<HTMLElement>('dd')) setText(dd, figures[dd.dataset['of'] as keyof Figures]);
    mark(card, 'kind', linkOf(m).kind);
    toggleSwitch.setAttribute('aria-checked', String(m.compensate));
    setText(pick('.stall', card), isStalled(m) ? words.delay.stall : '');
    setText(pick('#delay-note'), noteOf(m));
    toggle(card, 'off', !m.compensate);
    plot(chart, m.rounds, now());
  };
  setInterval(show, EVERY_MS);
  store.subscribe((m, before) => {
    if (m.compensate !== before.compensate || m.tab !== before.tab) show();
  });
  show();
}
