// Driver: the inputs that are held on this page drive the robot. It reads the inputs for every sample
// (hold.ts decides when) and never repeats an old one. Any end of a hold sends zero at once.
import { GamepadReader } from './gamepad.ts';
import { busy, type Hands, type Hold, lose, next, open, type Out, PERIOD, type Sample, type Source } from './hold.ts';
import { Joystick } from './joystick.ts';
import { Keyboard } from './keyboard.ts';
import { deflection, grow, noKeys } from './keys.ts';
import { limitHand, limitsOf } from './limits.ts';
import type { Pad } from './pad.ts';
import { Pilot } from './pilot.ts';
import { begin, isDone, type StepMove, type Way } from './stepmove.ts';
import { deflect } from './stick.ts';
import { typesIn } from '../field.ts';
import type { Link } from '../link/index.ts';
import type { Stage } from '../map/stage.ts';
import { hasControl, mayDrive, type Model, now, type Store } from '../store.ts';
import { standing } from '../virtualrobot/free.ts';
import { say, words } from '../words.ts';

const AGAIN = 30; // s, before the same kind of driving is logged again
const STANDS = 0.02; // m/s, slower counts as standing
const SLOWED_MS = 5000; // between two toasts about a speed that was reduced

export class Driver {
  readonly pilot = new Pilot();
  readonly keyboard: Keyboard;
  readonly joystick: Joystick;
  readonly #store: Store;
  readonly #link: Link;
  readonly #stage: Stage;
  readonly #paint: () => void;
  readonly #gamepad = new GamepadReader((pad, before) => this.#takePad(pad, before));
  #hold: Hold = open;
  #step: StepMove | null = null;
  #why = ''; // why the hold was lost
  #timer = 0; // of the next sample
  #first = 0; // number of the first sample of the press; states about earlier ones are ignored
  #slowedAt = -Infinity; // ms
  #noted = { text: '', at: -Infinity }; // what was last logged about this page's driving
  #lines;

  constructor(root: HTMLElement, store: Store, link: Link, stage: Stage, paint: () => void) {
    this.#store = store;
    this.#link = link;
    this.#stage = stage;
    this.#paint = paint;
    this.#lines = standing(store.get().plan, null);
    this.keyboard = new Keyboard(store, this);
    this.joystick = new Joystick(
      root,
      () => this.#may(),
      () => this.pump(),
    );
    this.#listen();
    store.subscribe((m, before) => this.#follow(m, before));
  }

  start(): void {
    this.#gamepad.start();
  }

  owner(): Source | null {
    return this.#hold.owner;
  }

  step(): StepMove | null {
    return this.#step;
  }

  // sent returns the last sample.
  sent(): Sample {
    return this.#hold.last;
  }

  // lost returns why an input that is still held no longer drives (may be empty); null: there is none.
  lost(): string | null {
    return this.#hold.spent.length > 0 ? this.#why : null;
  }

  pump(): void {
    if (document.hidden) return;
    const t = now();
    this.#carryOut(next(this.#hold, this.#readHands(t), this.#may(), t));
  }

  // letGo ends a hold without the end of an input.
  letGo(reason = ''): void {
    const t = now();
    this.#why = reason;
    const hands = this.#readHands(t);
    this.#step = null;
    this.#carryOut(lose(this.#hold, { ...hands, step: { held: false, v: 0, w: 0 } }, t));
  }

  // forget also drops the keys and the thumb, whose release the page may miss. A gamepad can still be read.
  forget(): void {
    this.letGo();
    this.keyboard.keys = { ...noKeys, at: now() };
    this.joystick.thumb = null;
    this.#hold = { ...this.#hold, spent: this.#hold.spent.filter((s) => s === 'pad') };
    this.#paint();
  }

  startStep(way: Way): void {
    const m = this.#store.get();
    if (this.#step !== null || this.#hold.owner !== null || m.state === null || !this.#may()) return;
    this.#step = begin(way, this.pilot.end(now()) ?? m.state.pose, limitsOf(m), now());
    this.pump();
  }

  // listen drops held inputs in situations in which the page may miss their release.
  #listen(): void {
    const forget = () => this.forget();
    for (const name of ['blur', 'pagehide', 'orientationchange', 'dragstart']) window.addEventListener(name, forget);
    window.addEventListener('contextmenu', (e) => {
      // The browser's menu takes the keys. A long touch beside the stick opens none.
      if (!e.defaultPrevented && (e as PointerEvent).pointerType !== 'touch') forget();
    });
    screen.orientation?.addEventListener('change', forget);
    document.addEventListener('freeze', forget);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) forget();
    });
    document.addEventListener('focusin', (e) => {
      if (typesIn(e.target) || e.target instanceof HTMLSelectElement) forget();
    });
    new MutationObserver(() => {
      if (document.querySelector('dialog[open]') !== null) this.letGo();
    }).observe(document.body, { subtree: true, attributeFilter: ['open'] });
  }

  // may reports whether inputs count: a window that is not in front may miss releases, so none does there.
  #may(): boolean {
    return document.hasFocus() && mayDrive(this.#store.get());
  }

  // readHands reads the present state of all inputs: m/s and rad/s.
  #readHands(t: number): Hands {
    const m = this.#store.get();
    const limit = limitsOf(m);
    const { pad } = this.#gamepad;
    const { thumb } = this.joystick;
    const keys = (this.keyboard.keys = grow(this.keyboard.keys, t));
    const step = this.#step;
    if (step !== null && (m.state === null || isDone(step, this.pilot.end(t) ?? m.state.pose, t))) this.#step = null;
    const k = deflection(keys);
    const s = thumb === null ? { forward: 0, left: 0 } : deflect(thumb.x, thumb.y, 1);
    return {
      keys: { held: !m.prefs.stepMoves && keys.down.length > 0, v: k.forward * limit.v, w: k.left * limit.w },
      stick: { held: thumb !== null, v: s.forward * limit.v, w: s.left * limit.w },
      pad: { held: pad.held, v: pad.forward * limit.v, w: pad.left * limit.w },
      step: this.#step === null ? { held: false, v: 0, w: 0 } : { held: true, ...this.#step.wish },
    };
  }

  #takePad(pad: Pad, before: Pad): void {
    if (pad.here !== this.#store.get().pad) this.#store.set({ pad: pad.here });
    if (pad.stop && !before.stop) this.#link.stop();
    const moved = pad.held && (pad.forward !== before.forward || pad.left !== before.left);
    if (pad.held !== before.held || moved) this.pump();
  }

  #carryOut({ hold, send }: Out): void {
    const store = this.#store;
    const begins = hold.owner !== null && hold.owner !== this.#hold.owner;
    this.#hold = hold;
    if (begins && store.get().refusal !== '') store.set({ refusal: '' });
    if (hasControl(store.get())) for (const [i, s] of send.entries()) this.#transmit(s, begins && i === 0);
    clearTimeout(this.#timer);
    if (busy(hold)) this.#timer = window.setTimeout(() => this.pump(), Math.max(1, (hold.at + PERIOD - now()) * 1000));
    if (begins && hold.owner !== null) this.#noteDriving(hold.owner);
    const driving = hold.owner !== null;
    if (store.get().driving !== driving) store.set({ driving });
    this.#paint();
  }

  // transmit sends one sample, with the virtual robot's if the delay is compensated.
  #transmit(wish: Sample, begins: boolean): void {
    const m = this.#store.get();
    const { v, w } = limitHand(m, wish);
    const free = { lines: this.#lines, things: this.#stage.things() };
    const out = m.compensate ? this.pilot.sample(m, { v, w }, begins, free, now()) : null;
    let seq: number | null = null;
    if (out !== null) seq = this.#link.sendDrive(out.v, out.w, out.virtual);
    else if (!m.compensate) seq = this.#link.sendDrive(v, w);
    if (seq !== null) {
      this.pilot.sent(seq);
      if (begins) this.#first = seq;
    }
    if (out !== null) {
      const side = v > 0 ? words.drive.ahead : words.drive.behind;
      this.#meet(v, out.v, say(words.drive.nearSlow, { v: Math.abs(out.v).toFixed(2), m: out.way.toFixed(2), side }));
    }
    this.#stage.redraw();
  }

  // noteDriving logs a drive that begins, but not every press of a series.
  #noteDriving(by: Source): void {
    const v = limitsOf(this.#store.get()).v.toFixed(2);
    const text = say(words.drive.log, { by: words.drive.by[by], v });
    if (text !== this.#noted.text || now() - this.#noted.at > AGAIN) this.#store.note('drive', text);
    this.#noted = { text, at: now() };
  }

  // meet notes how much of the requested speed an obstacle allows. One that holds the robot is shown under
  // the stick, as long as it does.
  #meet(asked: number, given: number, why: string): void {
    const held = Math.abs(asked) >= STANDS && Math.abs(given) < STANDS;
    const blockedBy = !held ? null : asked > 0 ? 'ahead' : 'behind';
    if (blockedBy !== this.#store.get().blockedBy) this.#store.set({ blockedBy });
    if (blockedBy === null && Math.abs(given) < 0.9 * Math.abs(asked)) this.#slow(why);
  }

  // slow reports that the robot drives slower than requested, limited by the robot's guard or already by
  // the virtual robot.
  #slow(why: string): void {
    if (performance.now() - this.#slowedAt > SLOWED_MS) {
      this.#store.toast(why, 'MODIFIED');
      this.#store.note('warn', why);
    }
    this.#slowedAt = performance.now();
  }

  #follow(m: Readonly<Model>, before: Readonly<Model>): void {
    const refused = m.refusal !== '' && m.refusal !== before.refusal;
    const held = m.hold !== before.hold;
    const switched = m.compensate !== before.compensate;
    if (m.plan !== before.plan || m.world?.doors !== before.world?.doors) this.#lines = standing(m.plan, m.world);
    if (held) this.pilot.hold(m, now());
    else if (switched || refused) this.pilot.forget();
    else if (m.state !== before.state) this.pilot.see(m, now());
    if (this.#hold.owner !== null && (held || switched || refused))
      this.letGo(refused ? m.refusal : held ? m.holdReason : '');
    else if (mayDrive(m) !== mayDrive(before) || (this.#step !== null && m.state !== before.state)) this.pump();
    const drive = m.state?.drive;
    if (m.state !== before.state && m.driving && drive?.word === 'MODIFIED' && (m.state?.seq ?? 0) >= this.#first) {
      this.#meet(this.#hold.last.v, drive.given[0], drive.reason);
    }
    if (!m.driving) {
      this.#slowedAt = -Infinity;
      if (m.blockedBy !== null) this.#store.set({ blockedBy: null });
    }
    this.#paint();
  }
}
