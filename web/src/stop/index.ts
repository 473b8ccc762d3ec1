// STOP: the buttons, the keys, and the card that releases it. STOP works in every state of the page and asks nothing.
import { type Model, now, type Store } from '../store.ts';
import type { Link } from '../link/index.ts';
import { pick, setText, toggle } from '../dom.ts';
import { typesIn } from '../field.ts';
import { words } from '../words.ts';
import { isStopped } from '../store.ts';
import { mountRelease } from './release.ts';
import { tick } from './tick.ts';

const DOUBLE_ESC = 0.5; // s

export function mountStop(store: Store, link: Link): void {
  const app = pick('#app');
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('button.stop[aria-keyshortcuts]')];
  for (const button of buttons) {
    // A finger that presses STOP means it: do not wait for it to lift.
    button.onpointerdown = (e) => {
      if (e.button === 0) link.stop();
    };
    button.onclick = (e) => {
      if (e.detail === 0) link.stop(); // from the keyboard or a screen reader
    };
  }
  stopKeys(link);

  const show = (m: Readonly<Model>) => {
    const stopped = isStopped(m);
    toggle(app, 'stopped', stopped);
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(stopped));
      setText(pick('.t', button), stopped ? words.stop.stopped : words.stop.button);
      setText(pick('.more', button), stopped ? words.stop.stoppedMore : words.stop.buttonMore);
    }
  };
  store.subscribe((m, before) => {
    const stopped = isStopped(m);
    if (stopped === isStopped(before)) return;
    show(m);
    if (stopped) {
      tick();
      if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(60); // else the browser complains
    }
  });
  show(store.get());
  mountRelease(store, link);
}

// stopKeys listens before everything else on the page: Space anywhere but in text, Esc twice anywhere.
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
        const t = now();
        if (t - esc <= DOUBLE_ESC) link.stop();
        esc = t;
      }
    },
    true,
  );
  // A button would be clicked when Space is let go.
  addEventListener(
    'keyup',
    (e) => {
      if (e.code === 'Space' && !typesIn(e.target)) e.preventDefault();
    },
    true,
  );
}
