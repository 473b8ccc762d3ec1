// The camera's picture with its buttons: head control, the predicted view, and the voices in both
// directions.
import { eye as words } from '../../strings.json';
import { arrive, type Context } from '../context.ts';
import { pick, setIcon, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import { rested } from '../live.ts';
import { readSetting, saveSetting } from './settings.ts';
import { borrowed, isBaseLost, isStopped, loanOf, mayUse, type Model } from '../store.ts';
import { say } from '../words.ts';
import type { Point } from '../wire.ts';
import { type Corner, cornerOf } from './corner.ts';
import { DIRECTIONS, HeadControl } from './head-control.ts';
import { Picture } from './picture.ts';
import { type PictureState, Receiver } from './receiver.ts';
import { savePicture } from './snapshot.ts';
import { mountTalk, type Talk } from './talk.ts';
import type { Angles } from './view.ts';

const REST: Angles = [0, (-15 * Math.PI) / 180]; // straight ahead, with the floor in front of the robot in view
const DOWN: Angles = [0, (-30 * Math.PI) / 180]; // with the path already sent in view, from the floor 0.4 m ahead on
const AT_REST = 0.02; // rad, within which the head counts as at rest
const AHEAD = 'mybot.eye.ahead';
const SWAP = 'mybot.eye.swap';
const CORNER_MS = 1000;
const STAYS_MS = 2000; // a state of the picture that stays this long is announced

// SHOWN are the fields of the model on which the buttons depend.
const SHOWN = [
  'robot',
  'role',
  'camera',
  'holder',
  'conn',
  'socket',
  'stop',
  'stopping',
  'passing',
  'elsewhere',
  'loans',
] as const;

class CameraPanel {
  readonly #context: Context;
  readonly #app = pick('#app');
  readonly #eye = pick('#eye');
  readonly #glass = pick('#eye-glass');
  readonly #video = pick<HTMLVideoElement>('#eye-video');
  readonly #buttons: ReadonlyMap<string, HTMLButtonElement>;
  readonly #phone = matchMedia('(max-width:760px) and (min-height:481px)');
  readonly #head: HeadControl;
  readonly #picture: Picture;
  readonly #receiver: Receiver;
  readonly #talk: Talk;
  #ahead = readSetting(AHEAD) !== 'off'; // the view is predicted
  #swapped = readSetting(SWAP) === 'on'; // the picture is large and the map small
  #swappedByFull = false; // leaving full screen swaps them back
  #told = ''; // the state of the picture that was announced last
  readonly #tell = rested((text) => {
    if (text !== this.#told) this.#context.voice.say((this.#told = text));
  }, STAYS_MS);
  #drag: { id: number; x: number; y: number; from: Angles } | null = null;

  constructor(context: Context) {
    this.#context = context;
    this.#buttons = new Map(
      [...this.#eye.querySelectorAll<HTMLButtonElement>('[data-eye]')].map((b) => [b.dataset['eye'] ?? '', b]),
    );
    this.#head = new HeadControl(context);
    this.#picture = new Picture(context, this.#head, {
      live: () => this.#receiver.state() === 'live',
      ahead: () => this.#ahead,
      small: () => this.#small(),
    });
    this.#receiver = new Receiver(context, this.#video, (rtp) => this.#picture.take(rtp));
    this.#talk = mountTalk(context, this.#button('talk'));
    this.#bindButtons();
    this.#bindKeys();
    this.#bindGlass();
    document.addEventListener('fullscreenchange', () => this.#followFullScreen());
    setInterval(() => this.#place(), CORNER_MS);
    this.#receiver.onState((state, fault) => this.#showState(state, fault));
    context.store.subscribe((m, before) => this.#follow(m, before));
    this.#show();
    this.#place();
  }

  #button(name: string): HTMLButtonElement {
    return this.#buttons.get(name) ?? pick<HTMLButtonElement>('#eye');
  }

  // small: the picture is in a corner of a phone's map, and a touch swaps the two.
  #small(): boolean {
    return this.#phone.matches && !this.#swapped;
  }

  #bindButtons(): void {
    for (const name of DIRECTIONS) this.#button(name).onclick = () => this.#head.step(name);
    this.#button('centre').onclick = () => this.#centre();
    this.#button('swap').onclick = () => this.#swap();
    this.#button('ahead').onclick = () => this.#toggleAhead();
    this.#button('sound').onclick = () => this.#toggleSound();
    this.#button('full').onclick = () => this.#toggleFullScreen();
    this.#button('shot').onclick = () => {
      const { store } = this.#context;
      savePicture(this.#video, store.get().robot?.name ?? 'robot', (name) => store.toast(say(words.saved, { name })));
    };
    pick('#eye-retry').onclick = () => this.#receiver.retry();
  }

  #bindKeys(): void {
    addEventListener('keydown', (e) => {
      const m = this.#context.store.get();
      if (
        e.defaultPrevented ||
        e.ctrlKey ||
        e.altKey ||
        e.metaKey ||
        m.dialog ||
        !m.prefs.letterKeys ||
        typesIn(e.target)
      )
        return;
      if (e.code === 'KeyV' && !e.repeat) this.#swap();
      else if (e.code === 'KeyO' && !e.repeat) this.#centre();
      else if (this.#head.pressKey(e.code, e.repeat)) this.#picture.redraw();
      else return;
      e.preventDefault();
    });
    addEventListener('keyup', (e) => this.#head.releaseKey(e.code));
    addEventListener('blur', () => this.#head.releaseKeys());
  }

  #bindGlass(): void {
    const glass = this.#glass;
    glass.onkeydown = (e) => {
      if (!e.code.startsWith('Arrow') || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      this.#head.step(e.code.slice('Arrow'.length).toLowerCase());
    };
    glass.onpointerdown = (e) => {
      if (e.button !== 0 || this.#small()) return;
      this.#drag = { id: e.pointerId, x: e.clientX, y: e.clientY, from: this.#head.target() };
      glass.setPointerCapture(e.pointerId);
    };
    glass.onpointermove = (e) => {
      const head = this.#context.store.get().robot?.head;
      const drag = this.#drag;
      if (drag === null || drag.id !== e.pointerId || head === undefined) return;
      const focal = (head.width / 2 / Math.tan(head.field / 2)) * this.#picture.cover(head).k;
      this.#head.lookAt([drag.from[0] + (e.clientX - drag.x) / focal, drag.from[1] + (e.clientY - drag.y) / focal]);
    };
    glass.onpointerup = glass.onpointercancel = () => (this.#drag = null);
    glass.onclick = () => {
      if (this.#small()) this.#swap();
    };
  }

  // rest returns the forward angles of the head. A driver who drives by the picture against the delay looks
  // farther down, at the path already sent.
  #rest(): Angles {
    return this.#swapped && this.#ahead && this.#context.store.get().compensate ? DOWN : REST;
  }

  #centre(): void {
    this.#head.lookAt(this.#rest());
  }

  #swap(): void {
    const [pan, tilt] = this.#head.target();
    const rested = Math.abs(pan) < AT_REST && Math.abs(tilt - this.#rest()[1]) < AT_REST;
    this.#swapped = !this.#swapped;
    if (rested && !this.#isOthers()) this.#centre(); // using a lent part would take it back
    saveSetting(SWAP, this.#swapped ? 'on' : 'off');
    this.#show();
    this.#context.stage.redraw();
    dispatchEvent(new Event('resize'));
  }

  // isOthers: another person has borrowed the head.
  #isOthers(): boolean {
    const m = this.#context.store.get();
    return loanOf(m, 'head') !== undefined && borrowed(m, 'head') === null;
  }

  #toggleAhead(): void {
    this.#ahead = !this.#ahead;
    saveSetting(AHEAD, this.#ahead ? 'on' : 'off');
    this.#show();
    if (this.#ahead) this.#context.store.toast(words.shown);
  }

  #toggleSound(): void {
    this.#video.muted = !this.#video.muted;
    this.#receiver.listen(!this.#video.muted);
    this.#show();
  }

  #toggleFullScreen(): void {
    if (isFull()) {
      void document.exitFullscreen();
      return;
    }
    void document.documentElement.requestFullscreen().catch(() => undefined); // the whole page, so that STOP remains
    this.#swappedByFull = !this.#swapped;
    if (!this.#swapped) this.#swap();
  }

  #followFullScreen(): void {
    if (!isFull() && this.#swappedByFull) {
      this.#swappedByFull = false;
      if (this.#swapped) this.#swap();
    }
    this.#show();
  }

  #follow(m: Readonly<Model>, before: Readonly<Model>): void {
    if (SHOWN.some((key) => m[key] !== before[key]) || isBaseLost(m) !== isBaseLost(before)) this.#show();
    if (m.hold !== before.hold || m.holder !== before.holder) this.#head.forget();
    if (loanOf(m, 'head')?.loan !== loanOf(before, 'head')?.loan) {
      this.#head.pass();
      this.#drag = null;
    }
    if (m.stop !== before.stop) this.#head.halt();
    if (m.dialog && !before.dialog) this.#head.releaseKeys(); // a dialog takes the keys
  }

  #show(): void {
    const m = this.#context.store.get();
    const may = m.sees && (m.camera || m.role !== 'observer');
    this.#eye.hidden = !may;
    this.#app.toggleAttribute('data-eye', may);
    this.#app.toggleAttribute('data-swap', may && this.#swapped);
    this.#press('swap', this.#swapped);
    this.#press('ahead', this.#ahead);
    this.#press('full', isFull());
    this.#button('full').hidden = !document.fullscreenEnabled; // an iPhone shows only videos in full screen, without STOP
    this.#press('sound', !this.#video.muted);
    this.#button('sound').hidden = !m.hears;
    setIcon(this.#button('sound'), this.#video.muted ? 'volume-x' : 'volume-2');
    for (const name of [...DIRECTIONS, 'centre']) {
      this.#button(name).hidden = m.robot?.head === undefined;
      this.#button(name).disabled = !mayUse(m, 'head') || isStopped(m) || isBaseLost(m);
    }
    this.#talk.show(m);
    this.#picture.redraw();
  }

  #press(name: string, on: boolean): void {
    this.#button(name).setAttribute('aria-pressed', String(on));
  }

  #showState(state: PictureState, fault: string): void {
    const { store } = this.#context;
    const dim = state === 'loading' ? words.loading : fault || words.off;
    this.#eye.dataset['state'] = state;
    const dark = pick('#eye-dark');
    dark.hidden = state === 'live' || state === 'frozen';
    pick<HTMLElement>('.i', dark).style.display = state === 'loading' ? '' : 'none';
    setText(pick('p', dark), dim);
    pick('#eye-retry').hidden = state === 'loading' || !!store.get().scripts?.camera_off || store.get().elsewhere;
    this.#button('shot').disabled = state !== 'live' && state !== 'frozen';
    if (state === 'live') this.#picture.redraw();
    this.#tell(state === 'live' ? words.cameraLive : state === 'frozen' ? words.cameraLost : dim);
  }

  // place keeps a phone's picture away from the robot and its path.
  #place(): void {
    const { store, stage } = this.#context;
    const { state } = store.get();
    if (!this.#small() || state === null) return;
    const points: Point[] = [stage.screen(state.pose)];
    if (state.goal !== null && state.goal.phase !== 'ended') points.push(stage.screen(state.goal.goal));
    const map = pick('#map');
    this.#eye.dataset['corner'] = cornerOf(
      this.#eye.dataset['corner'] as Corner | undefined,
      points,
      map.clientWidth,
      map.clientHeight,
    );
  }
}

// isFull reports whether the page is in full screen. Some browsers cannot show it so and have no such field.
function isFull(): boolean {
  return Boolean(document.fullscreenElement);
}

arrive('eye', (context) => void new CameraPanel(context));
