// STOP: the buttons, the keys, and the card that releases it. STOP works in every state of the page and
// needs no confirmation.
import { type Model, type Store } from '../store.ts';
import type { Link } from '../link/index.ts';
import { pick, setText, toggle } from '../dom.ts';
import { typesIn } from '../field.ts';
import { words } from '../words.ts';
import { isStopped, isUnsent } from '../store.ts';
import { mountRelease } from './release.ts';
import { tick, warble } from './tick.ts';

const DOUBLE_ESC = 0.5; // s
const WARN_MS = 2000; // between two warnings that STOP has not arrived

export function mountStop(store: Store, link: Link): void {
  const app = pick('#app');
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('button.stop[aria-keyshortcuts]')];
  for (const button of buttons) {
    // STOP acts on the touch, without waiting for the release.
    button.onpointerdown = (e) => {
      if (e.button === 0) link.stop();
    };
    button.onclick = (e) => {
      if (e.detail === 0) link.stop(); // from the keyboard or a screen reader
    };
  }
  stopKeys(link);

  let warns = 0;
  const warn = () => {
    warble();
    shake([90, 60, 90]);
  };

  const show = (m: Readonly<Model>) => {
    const w = words.stop;
    const unsent = isUnsent(m);
    toggle(app, 'stopped', m.stop !== null);
    toggle(app, 'unsent', unsent);
    const [text, more] =
      m.stop !== null
        ? [w.stopped, w.stoppedMore]
        : unsent
          ? [w.unsent, w.unsentMore]
          : m.stopping !== null
            ? [w.stopping, w.stoppedMore]
            : [w.button, w.buttonMore];
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(isStopped(m)));
      setText(pick('.t', button), text);
      setText(pick('.more', button), more);
    }
  };
  store.subscribe((m, before) => {
    if (m.stop === before.stop && m.stopping === before.stopping) return;
    show(m);
    if (m.stop !== null && before.stop === null) {
      tick();
      shake(60);
    }
    if (isUnsent(m) === isUnsent(before)) return;
    clearInterval(warns);
    if (!isUnsent(m)) return;
    warn();
    warns = window.setInterval(warn, WARN_MS);
  });
  show(store.get());
  mountRelease(store, link);
}

// shake vibrates only if the browser allows it.
function shake(pattern: number | number[]): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}

// stopKeys handles keys before everything else on the page: Space anywhere except in text, Esc twice
// anywhere.
function stopKeys(link: Link): void {
  let esc = -Infinity;
  addEventListener(
    'keydown',
    (e) => {
      if (e.code === 'Space' && !typesIn(e.target)) {
        e.preventDefault();
        e.stopImmediatePropagation();
        if (!e.repeat) link.stop();
      } else if (e.key === 'Escape' && !e.repeat) {
        const t = e.timeStamp / 1000; // time of the press: a busy page handles it later
        if (t - esc <= DOUBLE_ESC) link.stop();
        esc = t;
      } else if (
        e.key === 'Enter' &&
        !e.repeat &&
        e.target instanceof HTMLInputElement &&
        e.target.type === 'checkbox'
      ) {
        e.target.click(); // Space is taken
      } else if ((e.key === '/' || e.key === "'") && !e.ctrlKey && !e.metaKey && !typesIn(e.target)) {
        e.preventDefault(); // Firefox would open its search, which takes the keys that follow, Space too
      }
    },
    true,
  );
  // The release of Space would click a focused button.
  addEventListener(
    'keyup',
    (e) => {
      if (e.code === 'Space' && !typesIn(e.target)) e.preventDefault();
    },
    true,
  );
}
