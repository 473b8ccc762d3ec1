// Reconnecting. A browser throttles a WebSocket that repeatedly connects into a black hole, but not fetches
// of /healthz that are aborted after 600 ms. So the page probes until something answers, then connects
// once. A lost probe is never answered, so a new one starts every 200 ms while the older ones are still
// open: a working network is noticed within 200 ms.

export const GIVE_UP_MS = 600;
const EVERY_MS = 200;
const SLOW_EVERY_MS = 2000; // after a minute
const SLOW_AFTER_MS = 60_000;

export interface Probe {
  cancel(): void;
}

// probe calls found once, when the robot answers; tried at the start of each round of 600 ms.
export function probe(url: string, tried: () => void, found: () => void): Probe {
  const open = new Set<AbortController>();
  const start = performance.now();
  let rounds = 0;
  let timer = 0;

  const cancel = () => {
    clearTimeout(timer);
    for (const question of open) question.abort();
    open.clear();
  };

  const ask = () => {
    const age = performance.now() - start;
    timer = window.setTimeout(ask, age < SLOW_AFTER_MS ? EVERY_MS : SLOW_EVERY_MS);
    if (Math.floor(age / GIVE_UP_MS) >= rounds) {
      rounds = Math.floor(age / GIVE_UP_MS) + 1;
      tried();
    }
    const question = new AbortController();
    open.add(question);
    const giveUp = setTimeout(() => question.abort(), GIVE_UP_MS);
    fetch(url, { cache: 'no-store', signal: question.signal })
      .then(() => {
        if (!open.has(question)) return; // cancelled meanwhile
        cancel();
        found();
      })
      .catch(() => open.delete(question))
      .finally(() => clearTimeout(giveUp));
  };

  ask();
  return { cancel };
}
