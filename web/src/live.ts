// Lines for screen readers. The regions are in the page from the start. Lines within 2 s are combined, so
// that none replaces an unread one. Polite lines wait for those 2 s, the newest six of them; an alert is
// announced at once.

const APART_MS = 2000;
const MAX_WAITING = 6;

export interface Voice {
  say(text: string): void;
  alert(text: string): void;
}

// Clock is replaced in tests.
interface Clock {
  now(): number; // ms
  after(ms: number, then: () => void): void;
}

const clockOfThePage: Clock = { now: () => performance.now(), after: (ms, then) => void setTimeout(then, ms) };

interface Region {
  textContent: string | null;
}

// rested returns a function that says a text once it has stayed for a time: of a chatter only the last.
export function rested(tell: (text: string) => void, ms: number, clock = clockOfThePage): (text: string) => void {
  let newest = {};
  return (text) => {
    const mine = (newest = {});
    clock.after(ms, () => {
      if (mine === newest) tell(text);
    });
  };
}

export function mountVoice(polite: Region, assertive: Region, clock = clockOfThePage): Voice {
  let waiting: string[] = [];
  let busy = false;
  let alerts: { text: string; at: number }[] = []; // of the last 2 s

  const next = () => {
    busy = waiting.length > 0;
    if (!busy) return;
    polite.textContent = waiting.join(' ');
    waiting = [];
    clock.after(APART_MS, next);
  };

  return {
    say(text) {
      if (text === '') return;
      waiting = [...waiting, text].slice(-MAX_WAITING);
      if (!busy) next();
    },
    alert(text) {
      const at = clock.now();
      alerts = [...alerts.filter((a) => at - a.at < APART_MS && a.text !== text), { text, at }];
      assertive.textContent = alerts.map((a) => a.text).join(' ');
    },
  };
}
