// Driving by hand: keys, the stick on the screen, a gamepad or step buttons. Inputs are read anew for every sample that
// leaves (hold.ts says which); nothing repeats an old one. Whatever takes the hand away ends in zero, at once.
import { busy, type Hands, type Hold, lose, next, open, type Out, PERIOD, type Sample, type Source } from './hold.ts';
import { mountGhost } from './ghost.ts';
import { hintOf } from './hint.ts';
import { deflection, grow, isDriveKey, type Keys, noKeys, press, release, wayOf } from './keys.ts';
import { noPad, type Pad, readPad } from './pad.ts';
import { Pilot, type Prediction } from './pilot.ts';
import { begin, isDone, type StepMove, type Way } from './stepmove.ts';
import { circle, deflect } from './stick.ts';
import { pick, setText, toggle } from '../dom.ts';
import { typesIn } from '../field.ts';
import type { Link } from '../link/index.ts';
import type { Stage } from '../map/stage.ts';
import { hasControl, mayDrive, type Model, now, type Store } from '../store.ts';
import { standing } from '../virtualrobot/free.ts';
import { say, words } from '../words.ts';

const AGAIN = 30; // s, before the same kind of driving is a line in the log again
const STANDS = 0.02; // m/s, slower is told as standing
const SLOWED_MS = 5000; // between two toasts about a speed that was reduced
const STEP_OF_KEY: Readonly<Record<'W' | 'A' | 'S' | 'D', Way>> = { W: 'ahead', A: 'left', S: 'back', D: 'right' };

// mountDrive binds the elements of DrivePanel in root for as long as the page lives. It returns what the virtual robot is
// ahead of the robot, null while no hand drives it; the canvas has the same as "predicted", for tests.
export function mountDrive(root: HTMLElement, store: Store, link: Link, stage: Stage): () => Prediction | null {
  const stick = findStick(root);
  const face = findFace(root);
  const pilot = new Pilot();
  let lines = standing(store.get().plan, null);

  let hold: Hold = open;
  let keys: Keys = noKeys;
  let thumb: { id: number; x: number; y: number } | null = null; // of the unit circle, x right, y down
  let pad: Pad = noPad;
  let step: StepMove | null = null;
  let why = ''; // the hold was lost
  let timer = 0;
  let slowedAt = -Infinity;
  let polling = 0;
  let noted = { text: '', at: -Infinity }; // what the log was last told of this page's driving

  // ---- samples ----

  // readHands reads every input as it is now: m/s and rad/s.
  function readHands(t: number): Hands {
    const m = store.get();
    const limit = limits(m);
    keys = grow(keys, t);
    if (step !== null && (m.state === null || isDone(step, pilot.end(t) ?? m.state.pose, t))) step = null;
    const k = deflection(keys);
    const s = thumb === null ? { forward: 0, left: 0 } : deflect(thumb.x, thumb.y, 1);
    const stepped = m.prefs.stepMoves;
    return {
      keys: { held: !stepped && keys.down.length > 0, v: k.forward * limit.v, w: k.left * limit.w },
      stick: { held: thumb !== null, v: s.forward * limit.v, w: s.left * limit.w },
      pad: { held: pad.held, v: pad.forward * limit.v, w: pad.left * limit.w },
      step: step === null ? { held: false, v: 0, w: 0 } : { held: true, ...step.wish },
    };
  }

  function pump(): void {
    if (document.hidden) return;
    const t = now();
    carryOut(next(hold, readHands(t), may(), t));
  }

  // may: a window that is not in front does not hear every release, so nothing pressed in it counts.
  function may(): boolean {
    return document.hasFocus() && mayDrive(store.get());
  }

  // letGo is the end of a hold that nobody let go.
  function letGo(reason = ''): void {
    const t = now();
    why = reason;
    const hands = readHands(t);
    step = null;
    carryOut(lose(hold, { ...hands, step: { held: false, v: 0, w: 0 } }, t));
  }

  // forget also forgets the keys and the thumb: their release may not be heard. A gamepad can still be read.
  function forget(): void {
    letGo();
    keys = { ...noKeys, at: now() };
    thumb = null;
    hold = { ...hold, spent: hold.spent.filter((s) => s === 'pad') };
    paint();
  }

  function carryOut({ hold: after, send }: Out): void {
    const had = hold.owner;
    hold = after;
    if (hold.owner !== null && hold.owner !== had && store.get().refusal !== '') store.set({ refusal: '' });
    const begins = hold.owner !== null && hold.owner !== had;
    if (hasControl(store.get())) for (const [i, s] of send.entries()) transmit(s, begins && i === 0);
    clearTimeout(timer);
    if (busy(hold)) timer = window.setTimeout(pump, Math.max(1, (hold.at + PERIOD - now()) * 1000));
    if (hold.owner !== null && hold.owner !== had) noteDriving(hold.owner);
    if (store.get().driving !== (hold.owner !== null)) store.set({ driving: hold.owner !== null });
    paint();
  }

  // transmit sends one sample, with the virtual robot's when the delay is made up for.
  function transmit({ v, w }: Sample, begins: boolean): void {
    const m = store.get();
    if (!m.compensate) {
      link.sendDrive(v, w);
      return;
    }
    const out = pilot.sample(m, { v, w }, begins, { lines, things: stage.things() }, now());
    const seq = out && link.sendDrive(out.v, out.w, out.virtual);
    if (seq !== null) pilot.sent(seq);
    if (out !== null)
      meet(
        v,
        out.v,
        say(words.drive.nearSlow, {
          v: Math.abs(out.v).toFixed(2),
          m: out.way.toFixed(2),
          side: v > 0 ? words.drive.ahead : words.drive.behind,
        }),
      );
    stage.redraw();
  }

  // noteDriving tells the log of a drive that begins, but not of every press of a series.
  function noteDriving(by: Source): void {
    const v = limits(store.get()).v.toFixed(2);
    const text = say(words.drive.log, { by: words.drive.by[by], v });
    if (text !== noted.text || now() - noted.at > AGAIN) store.note('drive', text);
    noted = { text, at: now() };
  }

  // ---- what takes the hand away ----

  for (const name of ['blur', 'pagehide', 'orientationchange']) window.addEventListener(name, () => forget());
  screen.orientation?.addEventListener('change', () => forget());
  document.addEventListener('freeze', () => forget());
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) forget();
  });
  document.addEventListener('focusin', (e) => {
    if (typesIn(e.target) || e.target instanceof HTMLSelectElement) forget();
  });
  new MutationObserver(() => {
    if (document.querySelector('dialog[open]') !== null) letGo();
  }).observe(document.body, { subtree: true, attributeFilter: ['open'] });

  // meet notes what an obstacle leaves of the speed that a hand asks for. One that holds the robot is told under the stick, as
  // long as it does.
  function meet(asked: number, given: number, why: string): void {
    const blockedBy = Math.abs(asked) < STANDS || Math.abs(given) >= STANDS ? null : asked > 0 ? 'ahead' : 'behind';
    if (blockedBy !== store.get().blockedBy) store.set({ blockedBy });
    if (blockedBy === null && Math.abs(given) < 0.9 * Math.abs(asked)) slowed(why);
  }

  // slowed tells that a drive is slower than the hand wants: by the robot's guard, or by the virtual robot before it.
  function slowed(why: string): void {
    if (performance.now() - slowedAt > SLOWED_MS) {
      store.toast(why, 'MODIFIED');
      store.note('warn', why);
    }
    slowedAt = performance.now();
  }
  store.subscribe((m, before) => {
    const refused = m.refusal !== '' && m.refusal !== before.refusal;
    if (m.plan !== before.plan || m.world?.doors !== before.world?.doors) lines = standing(m.plan, m.world);
    if (m.hold !== before.hold) pilot.hold(m, now());
    else if (m.compensate !== before.compensate || refused) pilot.forget();
    else if (m.state !== before.state) pilot.see(m, now());
    if (hold.owner !== null && (m.hold !== before.hold || m.compensate !== before.compensate || refused))
      letGo(refused ? m.refusal : m.hold !== before.hold ? m.holdReason : '');
    else if (mayDrive(m) !== mayDrive(before) || (step !== null && m.state !== before.state)) pump();
    if (m.state !== before.state && m.driving && m.state?.drive.word === 'MODIFIED')
      meet(hold.last.v, m.state.drive.given[0], m.state.drive.reason);
    if (!m.driving) slowedAt = -Infinity;
    if (!m.driving && m.blockedBy !== null) store.set({ blockedBy: null });
    paint();
  });

  // ---- keys ----

  document.addEventListener('keydown', (e) => {
    if (e.key === 'Meta') {
      forget(); // the system keeps the releases of other keys to itself while this one is down
      return;
    }
    setSlow(e.shiftKey);
    if (
      !isDriveKey(e.code) ||
      e.defaultPrevented ||
      e.ctrlKey ||
      e.altKey ||
      e.metaKey ||
      store.get().dialog ||
      keepsKeys(e)
    )
      return;
    e.preventDefault();
    if (e.repeat) return;
    keys = press(keys, e.code, now());
    const way = wayOf(e.code);
    if (store.get().prefs.stepMoves && way !== null) startStep(STEP_OF_KEY[way]);
    else pump();
  });
  document.addEventListener('keyup', (e) => {
    setSlow(e.shiftKey);
    if (!keys.down.includes(e.code)) return;
    keys = release(keys, e.code, now());
    pump();
  });

  function setSlow(slow: boolean): void {
    if (keys.slow === slow) return;
    keys = { ...keys, slow };
    if (hold.owner === 'keys') pump();
  }

  // ---- stick ----

  stick.area.addEventListener('pointerdown', (e) => {
    if (e.button !== 0 || thumb !== null || !may()) return;
    e.preventDefault();
    stick.area.setPointerCapture(e.pointerId);
    thumb = { id: e.pointerId, ...stick.at(e) };
    pump();
  });
  stick.area.addEventListener('pointermove', (e) => {
    if (thumb?.id !== e.pointerId) return;
    thumb = { id: e.pointerId, ...stick.at(e) };
    pump();
  });
  for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
    stick.area.addEventListener(name, (e) => {
      if (thumb?.id !== e.pointerId) return;
      thumb = null;
      pump();
    });
  }
  stick.area.addEventListener('contextmenu', (e) => e.preventDefault());

  // ---- gamepad ----

  function poll(): void {
    polling = 0;
    const before = pad;
    pad = readPad(navigator.getGamepads?.() ?? []);
    if (pad.here !== store.get().pad) store.set({ pad: pad.here });
    if (pad.stop && !before.stop) link.stop();
    if (pad.held !== before.held || (pad.held && (pad.forward !== before.forward || pad.left !== before.left))) pump();
    if (pad.here) polling = requestAnimationFrame(poll);
  }
  const wake = () => {
    if (polling === 0) poll();
  };
  window.addEventListener('gamepadconnected', wake);
  window.addEventListener('gamepaddisconnected', () => {
    cancelAnimationFrame(polling);
    poll();
  });
  wake();

  // ---- step moves ----

  function startStep(way: Way): void {
    const m = store.get();
    if (step !== null || hold.owner !== null || m.state === null || !may()) return;
    step = begin(way, pilot.end(now()) ?? m.state.pose, limits(m), now());
    pump();
  }
  for (const button of root.querySelectorAll<HTMLButtonElement>('[data-step]')) {
    button.addEventListener('click', () => startStep(button.dataset['step'] as Way));
  }
  face.stepMoves.addEventListener('click', () => {
    letGo();
    const { prefs } = store.get();
    store.set({ prefs: { ...prefs, stepMoves: !prefs.stepMoves } });
  });

  // ---- speed limit ----

  face.limit.addEventListener('input', () => {
    const speedLimit = face.limit.valueAsNumber;
    store.set({ prefs: { ...store.get().prefs, speedLimit }, faster: speedLimit > store.get().suggested });
  });

  face.limit.addEventListener('change', () => {
    store.note('drive', say(words.drive.logLimit, { v: limits(store.get()).v.toFixed(2) }));
  });

  // ---- what the panel shows ----

  const touch = matchMedia('(pointer: coarse)');
  let painted: unknown[] = [];

  function paint(): void {
    const m = store.get();
    const { owner } = hold;
    toggle(root, 'driving', owner !== null);
    toggle(root, 'off', !mayDrive(m));
    stick.area.dataset['blocked'] = m.blockedBy ?? '';
    stick.show(owner === null ? null : owner === 'stick' ? thumb : shownAt(m));
    const { strong, text } = hintOf(m, owner, hold.spent.length > 0 ? why : null, touch.matches);
    setText(face.strong, strong);
    setText(face.text, strong === '' ? text : ` ${text}`);
    const ways = owner === 'keys' || owner === 'step' ? keys.down.map(wayOf) : [];
    for (const key of face.keys) key.classList.toggle('on', ways.includes(key.dataset['key'] as 'W'));
    face.wayKeys.classList.toggle('on', owner === 'keys');
    face.wayPad.classList.toggle('on', owner === 'pad');
    setText(
      face.padText,
      m.pad ? (owner === 'pad' ? words.drive.padDriving : words.drive.padReady) : words.drive.padNone,
    );
    const key = [m.prefs, m.robot, mayDrive(m), step, m.suggested, m.faster];
    if (key.some((k, i) => k !== painted[i])) paintPrefs(m);
    painted = key;
  }

  // shownAt is where the knob stands while another hand drives: as far out as what was sent.
  function shownAt(m: Readonly<Model>): { x: number; y: number } {
    const limit = limits(m);
    const [x, y] = circle(-hold.last.w / limit.w, -hold.last.v / limit.v);
    return { x, y };
  }

  function paintPrefs(m: Readonly<Model>): void {
    const { prefs, robot } = m;
    const most = robot?.drive[0] ?? Number(face.limit.max);
    if (face.limit.max !== String(most)) face.limit.max = String(most);
    const limit = wanted(m);
    if (face.limit.valueAsNumber !== limit) face.limit.valueAsNumber = limit;
    const least = Number(face.limit.min);
    const v = limit.toFixed(2);
    face.limit.style.setProperty('--at', ((limit - least) / (most - least)).toFixed(3));
    setText(face.limitText, say(words.drive.limitValue, { v }));
    face.limit.setAttribute('aria-valuetext', say(words.drive.limitSpoken, { v }));
    face.stepMoves.setAttribute('aria-checked', String(prefs.stepMoves));
    stick.area.hidden = prefs.stepMoves;
    face.stepper.hidden = !prefs.stepMoves;
    const off = !mayDrive(m);
    for (const b of face.steps) {
      b.disabled = off;
      b.classList.toggle('on', step !== null && step.way === b.dataset['step']);
    }
  }

  paint();
  mountGhost(store, stage, pilot);
  const predicted = () => pilot.predict(store.get(), now());
  Object.assign(pick('#map'), { predicted });
  return predicted;
}

// limits are what full deflection asks for: m/s by the person's own limit, rad/s by the robot's.
function limits(m: Readonly<Model>): { v: number; w: number } {
  const drive = m.robot?.drive ?? [0, 0];
  return { v: Math.min(wanted(m), drive[0]), w: drive[1] };
}

// wanted is the speed limit of this person, or what is suggested at this delay.
function wanted(m: Readonly<Model>): number {
  return m.faster ? m.prefs.speedLimit : Math.min(m.prefs.speedLimit, m.suggested);
}

// keepsKeys tells whether the element with the focus needs the key itself: a field or a list every driving key; the map, the
// camera's picture, a slider or a row of tools the arrows.
function keepsKeys(e: KeyboardEvent): boolean {
  if (typesIn(e.target)) return true;
  if (!(e.target instanceof Element)) return false;
  if (e.target.closest('select, [role=listbox]') !== null) return true;
  return (
    e.code.startsWith('Arrow') && e.target.closest('input, [role=application], [role=toolbar], [role=slider]') !== null
  );
}

interface Stick {
  area: HTMLElement;
  at(e: PointerEvent): { x: number; y: number };
  show(at: { x: number; y: number } | null): void;
}

// findStick binds the stick: at gives a pointer's place, 1 at the end of the knob's way; show moves the knob.
function findStick(root: HTMLElement): Stick {
  const area = pick('.joy', root);
  const knob = pick('.knob', area);
  let way = 0; // px, the knob's way from the middle
  const reach = () => (way ||= (area.clientWidth - knob.clientWidth) / 2);
  new ResizeObserver(() => {
    way = 0;
  }).observe(area);
  let shownAt = '';
  return {
    area,
    at(e) {
      const r = area.getBoundingClientRect();
      return { x: (e.clientX - r.left - r.width / 2) / reach(), y: (e.clientY - r.top - r.height / 2) / reach() };
    },
    show(to) {
      const [x, y] = to === null ? [0, 0] : circle(to.x, to.y);
      const at = `${x} ${y}`;
      if (at === shownAt) return;
      shownAt = at;
      const far = x === 0 && y === 0 ? 0 : reach();
      area.style.setProperty('--x', (x * far).toFixed(1));
      area.style.setProperty('--y', (y * far).toFixed(1));
      area.style.setProperty('--reach', (Math.hypot(x, y) * far).toFixed(1));
      area.style.setProperty('--aim', `${Math.atan2(y, x).toFixed(3)}rad`);
    },
  };
}

function findFace(root: HTMLElement) {
  const line = pick('.how', root);
  const strong = document.createElement('b');
  const text = document.createElement('span');
  line.replaceChildren(strong, text);
  return {
    strong,
    text,
    keys: [...root.querySelectorAll<HTMLElement>('[data-key]')],
    wayKeys: pick('[data-way=keys]', root),
    wayPad: pick('[data-way=pad]', root),
    padText: pick('[data-way=pad] span', root),
    limit: pick<HTMLInputElement>('input[type=range]', root),
    limitText: pick('output', root),
    stepMoves: pick<HTMLButtonElement>('[role=switch]', root),
    stepper: pick('.stepper', root),
    steps: [...root.querySelectorAll<HTMLButtonElement>('[data-step]')],
  };
}
