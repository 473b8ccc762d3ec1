// The camera's picture, the head that turns it, and the voices both ways.
import { eye as words } from '../../strings.json';
import { pick, setIcon, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import { isStopped, mayAct, type Model, now } from '../store.ts';
import { wrap } from '../virtualrobot/step.ts';
import { say } from '../words.ts';
import { arrive, type Context } from '../context.ts';
import { mountEdge } from './edge.ts';
import { mountOverlay } from './overlay.ts';
import { mountReceiver } from './receiver.ts';
import { Neck, States, takenAt } from './frame-pose.ts';
import { mountTalk } from './talk.ts';
import { type Angles, css, homography, turned, type View, viewOf } from './view.ts';

const STEP = (10 * Math.PI) / 180; // of a press
const RATE = (45 * Math.PI) / 180; // rad/s of a key that is held
const EACH_MS = 60; // between two orders to the head
const OLD = 0.15; // s from which a picture's age is told
const TELLS = (2 * Math.PI) / 180; // rad from which a turned view is told
const REST: Angles = [0, (-15 * Math.PI) / 180]; // straight ahead, where the floor before the robot is seen
const DOWN: Angles = [0, (-30 * Math.PI) / 180]; // where the way that is sent already is seen, from the floor 0.4 m ahead on
const AHEAD = 'mybot.eye.ahead';
const SWAP = 'mybot.eye.swap';

arrive('eye', (context: Context) => {
  const { store, link, stage, voice, predicted } = context;
  const app = pick('#app');
  const eye = pick('#eye');
  const glass = pick('#eye-glass');
  const video = pick<HTMLVideoElement>('#eye-video');
  const buttons = new Map(
    [...eye.querySelectorAll<HTMLButtonElement>('[data-eye]')].map((b) => [b.dataset['eye'] ?? '', b]),
  );
  const button = (name: string) => buttons.get(name) ?? pick<HTMLButtonElement>('#eye');
  const states = new States();
  const neck = new Neck();
  let ahead = kept(AHEAD) !== 'off';
  let swapped = kept(SWAP) === 'on';
  let shown: { taken: number; view: View; angles: Angles } | null = null; // the picture that is shown
  let drag: { id: number; x: number; y: number; from: Angles } | null = null;
  let held = new Set<string>(); // keys that turn the head
  let wish: Angles | null = null; // of the head
  let sentAt = 0;
  let sending = 0;

  const receiver = mountReceiver(context, video, (rtp) => {
    const m = store.get();
    const head = m.robot?.head;
    if (head === undefined || m.offset === null) return;
    const taken = takenAt(rtp, now() + m.offset);
    const seen = states.at(taken);
    if (seen !== null) shown = { taken, angles: seen.head, view: viewOf(head, seen.head, seen.pose) };
  });
  const over = mountOverlay(pick<HTMLCanvasElement>('#eye-over'));
  const edge = mountEdge(pick<HTMLCanvasElement>('#eye-edge'));
  const lilacTag = pick('#eye-lilac');
  const talk = mountTalk(context, button('talk'));

  // ---- the head ----

  function look(to: Angles): void {
    const head = store.get().robot?.head;
    if (head === undefined || !mayAct(store.get()) || isStopped(store.get())) return;
    wish = [clamp(to[0], head.pan), clamp(to[1], head.tilt)];
    neck.ask(wish, now());
    if (sending === 0) send();
  }

  function send(): void {
    sending = 0;
    if (wish === null) return;
    const wait = sentAt + EACH_MS - performance.now();
    if (wait > 0) {
      sending = window.setTimeout(send, wait);
      return;
    }
    sentAt = performance.now();
    const [pan, tilt] = wish;
    void link.ask({ type: 'look', pan: round(pan), tilt: round(tilt) });
  }

  const wanted = (): Angles => wish ?? store.get().state?.head ?? [0, 0];
  const WAYS: Readonly<Record<string, Angles>> = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] };
  const KEYS: Readonly<Record<string, string>> = { KeyJ: 'left', KeyL: 'right', KeyI: 'up', KeyK: 'down' };
  for (const [name, [pan, tilt]] of Object.entries(WAYS)) {
    button(name).onclick = () => {
      const at = wanted();
      look([at[0] + pan * STEP, at[1] + tilt * STEP]);
    };
  }
  // centre looks ahead. Who drives by the picture against the delay looks farther down, where what was sent already is seen.
  const rest = () => (swapped && ahead && store.get().compensate ? DOWN : REST);
  const centre = () => look(rest());
  button('centre').onclick = centre;

  addEventListener('keydown', (e) => {
    const m = store.get();
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
    if (e.code === 'KeyV' && !e.repeat) swap();
    else if (e.code === 'KeyO' && !e.repeat) centre();
    else if (e.code in KEYS) {
      held.add(e.code);
      again();
    } else return;
    e.preventDefault();
  });
  addEventListener('keyup', (e) => held.delete(e.code));
  addEventListener('blur', () => (held = new Set()));

  glass.onpointerdown = (e) => {
    if (e.button !== 0 || small()) return;
    drag = { id: e.pointerId, x: e.clientX, y: e.clientY, from: wanted() };
    glass.setPointerCapture(e.pointerId);
  };
  glass.onpointermove = (e) => {
    const head = store.get().robot?.head;
    if (drag === null || drag.id !== e.pointerId || head === undefined) return;
    const focal = (head.width / 2 / Math.tan(head.field / 2)) * scaleOf(head).k;
    look([drag.from[0] + (e.clientX - drag.x) / focal, drag.from[1] + (e.clientY - drag.y) / focal]);
  };
  glass.onpointerup = glass.onpointercancel = () => (drag = null);
  glass.onclick = () => {
    if (small()) swap();
  };

  // ---- what it looks like ----

  // small: the picture lies in a corner of a phone's map, and a touch swaps the two.
  const phone = matchMedia('(max-width:760px) and (min-height:481px)');
  const small = () => phone.matches && !swapped;

  function swap(): void {
    const [pan, tilt] = wanted();
    const rested = Math.abs(pan) < 0.02 && Math.abs(tilt - rest()[1]) < 0.02; // nobody has turned the head
    swapped = !swapped;
    if (rested) centre();
    keep(SWAP, swapped ? 'on' : 'off');
    show(store.get());
    stage.redraw();
    dispatchEvent(new Event('resize'));
  }
  button('swap').onclick = swap;

  button('ahead').onclick = () => {
    ahead = !ahead;
    keep(AHEAD, ahead ? 'on' : 'off');
    show(store.get());
    if (ahead) store.toast(words.shown);
  };

  button('sound').onclick = () => {
    video.muted = !video.muted;
    receiver.listen(!video.muted);
    show(store.get());
  };

  button('full').onclick = () => {
    if (document.fullscreenElement !== null) void document.exitFullscreen();
    else {
      void document.documentElement.requestFullscreen().catch(() => undefined); // the whole page: STOP stays
      swappedByFull = !swapped;
      if (!swapped) swap();
    }
  };
  let swappedByFull = false; // leaving it puts camera and map back
  document.addEventListener('fullscreenchange', () => {
    if (document.fullscreenElement === null && swappedByFull) {
      swappedByFull = false;
      if (swapped) swap();
    }
    show(store.get());
  });

  button('shot').onclick = () => {
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext('2d')?.drawImage(video, 0, 0);
    canvas.toBlob((blob) => {
      if (blob === null) return;
      const name = `${store.get().robot?.name ?? 'robot'}-${new Date().toISOString().slice(0, 19).replace(/:/g, '-')}.png`;
      const a = document.createElement('a');
      a.href = URL.createObjectURL(blob);
      a.download = name;
      a.click();
      setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
      store.toast(say(words.saved, { name }));
    }, 'image/png');
  };
  pick('#eye-retry').onclick = () => receiver.retry();

  // room is how large the glass is. It is measured when it changes, not with every frame: that would lay the page out anew.
  let room = { w: glass.clientWidth, h: glass.clientHeight };
  new ResizeObserver(([at]) => {
    if (at === undefined) return;
    room = { w: at.contentRect.width, h: at.contentRect.height };
    again();
  }).observe(glass);

  // scaleOf tells how large a pixel of the picture is on the page, and how far its corner lies outside the glass.
  function scaleOf(head: { width: number; height: number }): { k: number; x: number; y: number; w: number; h: number } {
    const { w, h } = room;
    const k = Math.max(w / head.width, h / head.height);
    return { k, x: (w - k * head.width) / 2, y: (h - k * head.height) / 2, w, h };
  }

  // again paints the next frame: the picture turned ahead, and what lies on its floor.
  let asked = 0;
  function again(): void {
    if (asked === 0) asked = requestAnimationFrame(paint);
  }
  let last = 0;
  function paint(): void {
    asked = 0;
    const t = now();
    const dt = Math.min(0.1, t - last);
    last = t;
    const m = store.get();
    const head = m.robot?.head;
    if (head === undefined || m.state === null || eye.hidden) return;
    if (held.size > 0) {
      let [pan, tilt] = wanted();
      for (const code of held) {
        const way = WAYS[KEYS[code] ?? ''] ?? [0, 0];
        pan += way[0] * RATE * dt;
        tilt += way[1] * RATE * dt;
      }
      look([pan, tilt]);
    }
    const angles = neck.advance(t, m.state.head, head.speed);
    const live = receiver.state() === 'live' && m.offset !== null;
    const s = scaleOf(head);
    const width = `${(s.k * head.width).toFixed(1)}px`;
    if (video.style.width !== width)
      Object.assign(video.style, { width, height: `${s.k * head.height}px`, left: `${s.x}px`, top: `${s.y}px` });
    if (shown === null || !live) {
      video.style.transform = '';
      edge.show(null, t);
      over.clear();
      lilacTag.hidden = true;
      tell(0, null);
    } else {
      const p = predicted();
      const here = states.at(shown.taken);
      const pose = p?.shown === true ? p.pose : m.state.pose;
      const yaw =
        here === null || !ahead
          ? 0
          : wrap((p?.shown === true ? pose[2] - here.pose[2] : 0) + angles[0] - shown.angles[0]);
      const tilt = ahead ? angles[1] - shown.angles[1] : 0;
      const view = turned(shown.view, shown.angles, { yaw, tilt });
      const moves = Math.abs(yaw) > 1e-4 || Math.abs(tilt) > 1e-4;
      const transform = moves ? css(homography(shown.view, view), s.k) : '';
      if (video.style.transform !== transform) video.style.transform = transform;
      edge.show(moves ? video : null, t);
      const lilac = over.draw(view, s, {
        committed: p?.shown === true ? p.committed : null,
        ahead: p?.shown === true ? p.ahead : null,
        route: routeOf(m),
        width: m.robot?.width ?? 0.45,
      });
      tell(Math.hypot(yaw, tilt), now() + (m.offset ?? 0) - shown.taken);
      lilacTag.hidden = !lilac || small();
    }
    again();
  }

  // tell says how old the picture is and by how much it is turned.
  let told = 0;
  function tell(turn: number, age: number | null): void {
    if (performance.now() - told < 200) return;
    told = performance.now();
    const deg = Math.round((turn * 180) / Math.PI);
    const turnedBy = pick('#eye-turned');
    turnedBy.hidden = turn < TELLS || small();
    setText(turnedBy, say(words.turned, { deg: `${deg}°` }));
    const old = pick('#eye-age');
    old.hidden = age === null || age < OLD;
    if (age !== null) setText(old, say(words.age, { s: age.toFixed(2) }));
    const at = store.get().state?.head;
    const angle = pick('#eye-angles');
    angle.hidden = at === undefined || store.get().robot?.head === undefined || small();
    if (at !== undefined) setText(angle, say(words.angles, { pan: degrees(at[0]), tilt: degrees(at[1]) }));
  }

  function routeOf(m: Readonly<Model>): [number, number][] | null {
    const g = m.state?.goal;
    if (m.route === null || g === null || g === undefined || (g.phase !== 'driving' && g.phase !== 'paused'))
      return null;
    return m.route.line;
  }

  // ---- where it is ----

  function show(m: Readonly<Model>): void {
    const may = m.sees && (m.camera || m.role !== 'observer');
    eye.hidden = !may;
    app.toggleAttribute('data-eye', may);
    app.toggleAttribute('data-swap', may && swapped);
    button('swap').setAttribute('aria-pressed', String(swapped));
    button('ahead').setAttribute('aria-pressed', String(ahead));
    button('full').setAttribute('aria-pressed', String(document.fullscreenElement !== null));
    button('sound').setAttribute('aria-pressed', String(!video.muted));
    button('sound').hidden = !m.hears;
    setIcon(button('sound'), video.muted ? 'volume-x' : 'volume-2');
    const noHead = m.robot?.head === undefined;
    const act = mayAct(m) && !isStopped(m);
    for (const name of ['left', 'up', 'down', 'right', 'centre']) {
      button(name).hidden = noHead;
      button(name).disabled = !act;
    }
    talk.show(m);
    again();
  }

  // corner keeps the picture on a phone away from the robot and from where it goes.
  function corner(): void {
    const { state } = store.get();
    if (!small() || state === null) return;
    const canvas = pick('#map');
    const points = [
      stage.touch([state.pose[0], state.pose[1]]),
      ...(state.goal !== null && state.goal.phase !== 'ended'
        ? [stage.touch([state.goal.goal[0], state.goal.goal[1]])]
        : []),
    ];
    const corners = {
      br: [canvas.clientWidth, canvas.clientHeight],
      bl: [0, canvas.clientHeight],
      tr: [canvas.clientWidth, 0],
      tl: [0, 0],
    } as const;
    const far = (c: readonly [number, number] | readonly number[]) =>
      Math.min(...points.map((p) => Math.hypot(p.x - (c[0] ?? 0), p.y - (c[1] ?? 0))));
    const current = eye.dataset['corner'] as keyof typeof corners | undefined;
    const best = (Object.keys(corners) as (keyof typeof corners)[]).reduce((a, b) =>
      far(corners[b]) > far(corners[a]) ? b : a,
    );
    if (current === undefined || far(corners[best]) > far(corners[current]) + 60) eye.dataset['corner'] = best;
  }
  setInterval(corner, 1000);

  receiver.onState((state, fault) => {
    eye.dataset['state'] = state;
    const dark = pick('#eye-dark');
    dark.hidden = state === 'live' || state === 'frozen';
    pick<HTMLElement>('.i', dark).style.display = state === 'loading' ? '' : 'none';
    setText(pick('p', dark), state === 'loading' ? words.loading : fault || words.off);
    pick('#eye-retry').hidden = state === 'loading';
    button('shot').disabled = state !== 'live' && state !== 'frozen';
    if (state === 'live') {
      voice.say(words.cameraLive);
      again();
    }
    if (state === 'frozen') voice.say(words.cameraLost);
  });

  store.subscribe((m, before) => {
    if (m.state !== null && m.state !== before.state) states.add(m.state);
    if (
      m.robot !== before.robot ||
      m.role !== before.role ||
      m.camera !== before.camera ||
      m.holder !== before.holder ||
      m.conn !== before.conn ||
      m.socket !== before.socket ||
      m.stop !== before.stop ||
      m.stopping !== before.stopping ||
      m.passing !== before.passing ||
      m.elsewhere !== before.elsewhere
    )
      show(m);
    if (m.hold !== before.hold || m.holder !== before.holder) wish = null;
    if (m.stop !== before.stop) neck.ask(null, 0); // a stop holds the head where it is
    if (m.dialog && !before.dialog) held = new Set(); // what opens takes the keys
  });
  show(store.get());
  corner();
});

function clamp(x: number, [least, most]: readonly [number, number]): number {
  return Math.max(least, Math.min(most, x));
}

function round(x: number): number {
  return Math.round(x * 1e4) / 1e4;
}

function degrees(x: number): string {
  const d = Math.round((x * 180) / Math.PI);
  return `${d < 0 ? '\u2212' : ''}${Math.abs(d)}°`;
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // then it holds for this page
  }
}
