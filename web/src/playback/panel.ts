// A recording that is shown instead of a robot: the person in control plays and pauses it, seeks, and sets
// the speed. The robot reports the state of the playback; in between the page extrapolates.
import { playback as words } from '../../strings.json';
import { arrive, type Context } from '../context.ts';
import { hide, pick, setText } from '../dom.ts';
import { icon } from '../icon.ts';
import { hasControl } from '../store.ts';
import { say } from '../words.ts';
import { clockOf, hasEnded, placeAt, type Playback, spoken, SPEEDS } from './view.ts';

const ADDRESS = '/api/v1/playback';
const ASK_MS = 2000;
const COUNT_MS = 250;

function mountPlayback({ store, voice }: Context): void {
  const host = pick('#playback');
  const play = make('button', 'btn sm');
  const again = make('button', 'btn sm');
  const place = make('input');
  const clock = make('span', 'num');
  const speed = make('select', 'num');
  const label = make('label');
  const note = make('small');
  const buttons = { play: icon('play'), pause: icon('pause') };
  play.append(buttons.play);
  again.append(icon('rotate-ccw'));
  again.ariaLabel = again.title = words.again;
  place.type = 'range';
  place.step = '1';
  place.ariaLabel = words.position;
  label.append(words.speed, ' ', speed);
  host.append(play, again, place, clock, label, note);
  for (const n of SPEEDS) speed.add(new Option(say(words.times, { n }), String(n)));

  let kept: Playback | null = null;
  let heard = 0; // time of that report, ms
  let dragged = false;
  let sought: number | null = null; // where the user wants to be, in s, until the robot has answered
  let seeking = false;
  let asked = 0; // counts the requests: an overtaken answer is ignored

  async function ask(order?: Partial<Playback>, done = ''): Promise<void> {
    const number = ++asked;
    const how = { method: 'POST', body: JSON.stringify({ lease: store.get().epoch, ...order }) };
    try {
      const answer = await fetch(ADDRESS, order && { ...how, headers: { 'Content-Type': 'application/json' } });
      if (!answer.ok) {
        if (order) store.toast(await reasonOf(answer), 'ERROR');
        return;
      }
      const said = (await answer.json()) as Playback;
      if (done) voice.say(done);
      if (number !== asked) return;
      kept = said;
      heard = performance.now();
      paint();
    } catch {
      if (order) store.toast(words.failed, 'ERROR');
    }
  }

  // seek sends one request at a time, since two could arrive in the other order.
  async function seek(): Promise<void> {
    if (seeking) return;
    seeking = true;
    for (let at: number | null = null; kept !== null && sought !== null && sought !== at; ) {
      at = sought;
      await ask({ at: Math.min(at, kept.length) });
    }
    seeking = false;
    if (!dragged) sought = null;
    paint();
  }

  const now = () => (kept === null ? 0 : placeAt(kept, (performance.now() - heard) / 1000));

  function paint(): void {
    const may = hasControl(store.get());
    hide(host, kept === null);
    for (const control of [play, again, place, speed]) control.disabled = !may;
    setText(note, may ? '' : words.control);
    if (kept === null) return;
    const at = sought ?? now();
    const playing = kept.playing && !hasEnded(now(), kept.length);
    const shown = playing ? buttons.pause : buttons.play;
    if (!play.contains(shown)) play.replaceChildren(shown);
    play.ariaLabel = play.title = playing ? words.pause : words.play;
    place.max = String(Math.ceil(kept.length));
    if (sought === null) place.valueAsNumber = at;
    place.ariaValueText = spoken(at, kept.length);
    place.style.setProperty('--at', (at / Math.max(kept.length, 1)).toFixed(4));
    setText(clock, `${clockOf(at)} / ${clockOf(kept.length)}`);
    const chosen = String(kept.speed);
    if (![...speed.options].some((o) => o.value === chosen))
      speed.add(new Option(say(words.times, { n: kept.speed }), chosen));
    if (document.activeElement !== speed) speed.value = chosen;
  }

  play.onclick = () => {
    if (kept === null) return;
    if (hasEnded(now(), kept.length)) void ask({ playing: true, at: 0 }, words.begins);
    else void ask({ playing: !kept.playing }, kept.playing ? words.paused : words.plays);
  };
  again.onclick = () => void ask({ playing: true, at: 0 }, words.begins);
  place.onpointerdown = () => {
    dragged = true;
  };
  place.oninput = () => {
    sought = place.valueAsNumber;
    if (dragged) paint();
    else void seek();
  };
  // The end of a drag, and not a change event, begins the seek: a drag that ends where it began has none.
  const drop = () => {
    if (!dragged) return;
    dragged = false;
    void seek();
  };
  for (const end of ['pointerup', 'pointercancel', 'blur']) window.addEventListener(end, drop);
  speed.onchange = () => void ask({ speed: Number(speed.value) });

  store.subscribe((m, before) => {
    if (m.holder !== before.holder || m.conn !== before.conn || m.elsewhere !== before.elsewhere) paint();
  });
  setInterval(paint, COUNT_MS);
  setInterval(() => {
    if (store.get().conn === 'live' && !document.hidden && sought === null) void ask();
  }, ASK_MS);
  void ask();
}

// reasonOf returns why the robot refused a request.
async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return (JSON.parse(text) as { reason: string }).reason;
  } catch {
    return text.trim();
  }
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, name = ''): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  e.className = name;
  if (e instanceof HTMLButtonElement) e.type = 'button';
  return e;
}

arrive('playback', mountPlayback);
