// The card that releases the stop: only for the person in control, only by holding, never by a click.
import { hasControl, isOld, type Model, now, type Store } from '../store.ts';
import type { Link } from '../link/index.ts';
import { hide, pick, setText } from '../dom.ts';
import { typesIn } from '../field.ts';
import { nameOfGoal, underWay } from '../goto/view.ts';
import { side } from '../hud/figures.ts';
import { say, words } from '../words.ts';
import { due, grip, type Held, loose, progress, secondClick } from './held.ts';

export function mountRelease(store: Store, link: Link): void {
  const card = pick('#release');
  const button = pick<HTMLButtonElement>('#release-hold');
  const label = pick('.t', button);
  let held: Held = loose;
  let frame = 0;
  let first: number | null = null; // time of the first of two clicks that cannot be held

  const letGo = () => {
    held = loose;
    cancelAnimationFrame(frame);
    button.style.setProperty('--p', '0%');
  };
  const run = () => {
    const t = now();
    if (due(held, t)) {
      held = { ...held, done: true };
      link.unstop();
    }
    button.style.setProperty('--p', `${progress(held, t) * 100}%`);
    if (held.since !== null && !held.done) frame = requestAnimationFrame(run);
  };
  const hold = () => {
    if (card.hidden || button.disabled) return;
    held = grip(held, now());
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(run);
  };

  button.onpointerdown = (e) => {
    if (e.button !== 0) return;
    button.setPointerCapture(e.pointerId);
    hold();
  };
  button.onpointerup = button.onpointercancel = button.onlostpointercapture = letGo;
  button.oncontextmenu = (e) => e.preventDefault();
  addEventListener('blur', letGo);
  document.addEventListener('visibilitychange', letGo);

  const mine = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.altKey || e.metaKey || typesIn(e.target)) return false;
    if (e.code === 'Enter' || e.code === 'NumpadEnter') return document.activeElement === button;
    return e.code === 'KeyR' && store.get().prefs.letterKeys && !store.get().dialog;
  };
  addEventListener('keydown', (e) => {
    if (card.hidden || !mine(e)) return;
    e.preventDefault();
    if (!e.repeat) hold();
  });
  addEventListener('keyup', (e) => {
    if (e.code === 'KeyR' || e.code === 'Enter' || e.code === 'NumpadEnter') letGo();
  });
  button.onclick = (e) => {
    if (e.detail !== 0 || button.disabled) return; // a real press is held, not clicked
    const t = now();
    if (secondClick(first, t)) {
      first = null;
      link.unstop();
    } else {
      first = t;
      setText(label, words.stop.again);
    }
  };

  const show = (m: Readonly<Model>) => {
    const hidden = !(m.stop && hasControl(m));
    if (hidden && !card.hidden) {
      letGo();
      first = null;
      setText(label, words.stop.hold);
    }
    hide(card, hidden);
    if (hidden) return;
    const pressed = m.state?.estop === true;
    setText(pick('.after', card), pressed ? words.base.estopFirst : words.stop.after);
    button.disabled = !m.socket || pressed;
    if (button.disabled) letGo();
    setText(pick('#release-nearest'), nearest(m));
    const goal = underWay(m);
    const job = m.run !== null && m.run.phase !== 'ended' ? m.run : null;
    const paused = pick('#release-paused', card);
    paused.hidden = goal === null && job === null;
    if (job !== null)
      setText(
        pick('span', paused),
        say(words.stop.pausedJob, { name: job.name, n: job.step + 1, of: job.steps.length }),
      );
    else if (goal !== null) setText(pick('span', paused), say(words.stop.paused, { name: nameOfGoal(goal) }));
  };
  store.subscribe(show);
  show(store.get());
}

function nearest(m: Readonly<Model>): string {
  if (isOld(m) || !m.state) return words.stop.nearestUnknown;
  const { nearest } = m.state;
  if (!nearest || nearest.distance === null) return words.stop.nearestNone;
  return say(words.stop.nearestValue, { distance: nearest.distance.toFixed(2), side: side(nearest.bearing) });
}
