// The robot's own display: a face, its speech and messages, the driver, and a STOP button.
import { screen as texts } from '../../strings.json';
import { pick, setText, toggle } from '../dom.ts';
import { VoiceReceiver } from './voice-receiver.ts';
import { Face } from './face.ts';
import { Feed } from './feed.ts';
import { charge, driver, left, leftText, lent, LOW, type Show, size, status, talker, viewers } from './show.ts';
import { Speaker } from './speaker.ts';

// FRESH_MS is how long a new message accepts no OK, because a second touch would be meant for the previous
// one.
const FRESH_MS = 700;
const REFUSED_MS = 6000;
const STOP_AGAIN_MS = 1000;
const PATIENCE_MS = 3000; // of a request, which a half-open connection would never answer

const root = pick('#screen');
const [message, words, bar, timeLeft, ok, refused] = [
  pick('#message'),
  pick('#message-text'),
  pick('#message-bar'),
  pick('#message-left'),
  pick<HTMLButtonElement>('#ok'),
  pick('#refused'),
];
const [caption, unlock, stop] = [pick('#caption'), pick('#unlock'), pick<HTMLButtonElement>('#stop')];

const face = new Face();
const speaker = new Speaker({
  blocked: (on) => (unlock.hidden = !on),
  spoken: (n) => void post('/screen/spoken', { speech: n }).catch(() => undefined), // the robot continues after a timeout
});

const voiceReceiver = new VoiceReceiver((on) => (unlock.hidden = !on));

let show: Show | null = null;
let offset = 0; // ms, from the page's clock to the robot's
let shownAt = 0; // when the message came
let whole = 0; // s, the longest time left for the message
let touched = 0; // number of the message for which OK was touched
let stopping = false; // a person touched STOP and the robot has not confirmed it
let presses = 0; // of STOP

async function post(address: string, body: unknown): Promise<{ word: string; reason: string }> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await answer.text();
  if (!(answer.headers.get('Content-Type') ?? '').startsWith('application/json'))
    return { word: 'ERROR', reason: text.trim() };
  return JSON.parse(text) as { word: string; reason: string };
}

// ---- what is shown ----

function render(s: Show): void {
  if (!stopping && reloads(s.build)) return; // a new page would know nothing of the STOP
  const before = show;
  show = s;
  const now = status(s);
  root.dataset.mood = now.mood;
  face.feel(now.mood);
  face.look(s.head[0], s.head[1]);
  setText(pick('#status'), now.text);
  setText(pick('#detail'), now.detail);
  setText(pick('#driver span'), driver(s));
  const has = lent(s);
  pick('#lent').hidden = has === '';
  setText(pick('#lent span'), has);
  const seen = viewers(s);
  pick('#viewers').hidden = !seen;
  setText(pick('#viewers span'), seen);
  const power = pick('#charge');
  power.hidden = !s.mode || s.charge === null;
  setText(pick('span', power), charge(s));
  toggle(power, 'charges', s.charges);
  pick('#rec').hidden = !s.records;
  toggle(power, 'low', !s.charges && s.charge !== null && s.charge < LOW);
  setText(caption, s.speech?.text ?? talker(s));
  voiceReceiver.keep(s.ears);
  speaker.say(s.speech, s.speech ? (s.now - s.speech.at) / 1000 : 0);
  renderMessage(s, before?.message?.n);
  stopping &&= !s.stop;
  renderStop();
}

function renderMessage(s: Show, before: number | undefined): void {
  const m = s.message;
  if (m && m.n !== before) {
    shownAt = performance.now();
    whole = 0;
    setText(refused, '');
  }
  if (m?.n !== touched) touched = 0; // a restarted program numbers the messages of its scripts from 1 again
  whole = Math.max(whole, left(m?.until ?? null, s.now) ?? 0);
  message.hidden = !m;
  toggle(root, 'asks', !!m);
  setText(words, m ? m.text || texts.okAlone : '');
  if (!m) return;
  words.dataset.size = size(m.text);
  ok.hidden = !m.ok;
  ok.disabled = !s.may || touched === m.n;
  if (m.ok && !s.may) setText(refused, texts.okElsewhere);
  if (m.ok && s.may && document.activeElement === document.body) ok.focus({ preventScroll: true });
}

function renderStop(): void {
  const stopped = !!show?.stop;
  stop.setAttribute('aria-pressed', String(stopped));
  setText(pick('span', stop), stopped ? texts.stopIs : texts.stop);
  toggle(stop, 'sending', stopping);
}

// count draws what changes only with time.
function count(): void {
  const m = show?.message;
  const seconds = m ? left(m.until, performance.now() + offset) : null;
  bar.hidden = seconds === null;
  setText(timeLeft, seconds === null || !m?.ok ? '' : leftText(seconds));
  if (seconds !== null) bar.style.setProperty('--left', String(whole > 0 ? Math.min(1, seconds / whole) : 0));
}

// reloads reloads the page, once, when the robot runs another version of it.
function reloads(build: string): boolean {
  const mine = document.documentElement.dataset.build;
  if (build === mine) {
    sessionStorage.removeItem('reloaded');
    return false;
  }
  if (sessionStorage.getItem('reloaded') === build) return false;
  sessionStorage.setItem('reloaded', build);
  location.reload();
  return true;
}

// gone shows that there is no contact with the robot's computer.
function gone(why: string): void {
  show = null;
  touched = 0;
  root.dataset.mood = 'asleep';
  face.feel('asleep');
  face.look(0, 0);
  speaker.say(null, 0);
  voiceReceiver.end();
  setText(pick('#status'), texts.gone);
  setText(pick('#detail'), why || (stopping ? texts.stopLate : texts.goneMore));
  for (const e of [message, pick('#lent'), pick('#viewers'), pick('#charge')]) e.hidden = true;
  toggle(root, 'asks', false);
  setText(pick('#driver span'), '');
  setText(caption, '');
  renderStop();
}

// ---- actions ----

async function touchOK(): Promise<void> {
  const m = show?.message;
  if (!m?.ok || ok.disabled || performance.now() - shownAt < FRESH_MS) return;
  touched = m.n;
  ok.disabled = true;
  try {
    const answer = await post('/screen/ok', { message: m.n });
    if (answer.word !== 'SUCCESS' && answer.word !== 'MODIFIED') refuse(m.n, answer.reason);
  } catch {
    refuse(m.n, texts.notSent);
  }
}

function refuse(n: number, reason: string): void {
  if (touched === n) touched = 0;
  if (show?.message?.n !== n) return;
  setText(refused, reason);
  ok.disabled = !show.may;
  setTimeout(() => {
    if (refused.textContent === reason) setText(refused, '');
  }, REFUSED_MS);
}

// sendStop sends STOP every second until the robot has confirmed it. It does not wait for the answers: over a
// connection that is half open none comes.
function sendStop(press: number): void {
  if (!stopping || press !== presses) return;
  post('/screen/stop', {})
    .then((answer) => {
      if (press !== presses) return;
      if (answer.word === 'SUCCESS') stopping = false;
      else setText(refused, answer.reason);
      renderStop();
    })
    .catch(() => undefined); // it is sent again
  setTimeout(() => sendStop(press), STOP_AGAIN_MS);
}

function halt(): void {
  if (stopping) return;
  stopping = true;
  renderStop();
  sendStop(++presses);
}

// STOP acts on the touch, without waiting for the release.
stop.onpointerdown = (e) => {
  if (e.button === 0) halt();
};
stop.onclick = (e) => {
  if (e.detail === 0) halt(); // from the keyboard or a screen reader
};

ok.addEventListener('click', () => void touchOK());

addEventListener('keydown', (e) => {
  speaker.touched();
  voiceReceiver.touched();
  if (e.key === ' ')
    halt(); // as on the driver's page, whatever has the focus
  else if (e.key !== 'Enter' || e.target === stop || !show?.message?.ok) return;
  else if (!e.repeat) void touchOK();
  e.preventDefault(); // so that the button does not handle it too
});
addEventListener('keyup', (e) => {
  if (e.key === ' ') e.preventDefault();
});
addEventListener('pointerup', () => {
  speaker.touched();
  voiceReceiver.touched();
});

// The display stays on if the browser allows that.
async function stayAwake(): Promise<void> {
  if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
  try {
    await navigator.wakeLock.request('screen');
  } catch {
    // the system decides when a display goes dark
  }
}
document.addEventListener('visibilitychange', () => void stayAwake());
void stayAwake();

function frame(): void {
  face.speak(!!show?.speech, speaker.mouth());
  count();
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);

new Feed((s) => {
  offset = s.now - performance.now();
  render(s);
}, gone);
