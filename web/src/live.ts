// Lines for screen readers. The regions are in the page from the start and hold one line each.
// Polite lines come at most every 2 s, in order, and only the newest three wait; an alert is said at once.

const APART_MS = 2000;

export interface Voice {
  say(text: string): void;
  alert(text: string): void;
}

export function mountVoice(polite: HTMLElement, assertive: HTMLElement): Voice {
  let waiting: string[] = [];
  let busy = false;

  const next = () => {
    const text = waiting.shift();
    busy = text !== undefined;
    if (text === undefined) return;
    polite.textContent = text;
    setTimeout(next, APART_MS);
  };

  return {
    say(text) {
      if (text === '') return;
      waiting = [...waiting, text].slice(-3);
      if (!busy) next();
    },
    alert(text) {
      assertive.textContent = text;
    },
  };
}
