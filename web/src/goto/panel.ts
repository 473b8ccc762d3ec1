// Panel: the contents of the Go to tab.
import { type Chip, goingOf, qualityOf, underWay, wayOf } from './view.ts';
import { clone, pick, setIcon, setText } from '../dom.ts';
import { heading, metres } from '../hud/figures.ts';
import { hasControl, isHeld, mayAct, type Model } from '../store.ts';
import { say, words } from '../words.ts';
import type { Floorplan } from '../wire.ts';

type Place = Floorplan['places'][number];

// showPanel returns a function that shows a model in the panel, and what is wrong with the typed numbers
// (empty: nothing). choose is called with the place of a pressed chip.
export function showPanel(choose: (place: Place) => void): (m: Readonly<Model>, fault: string) => void {
  const root = pick('#goto');
  const going = pick('#going', root);
  const form = pick<HTMLFormElement>('#draft', root);
  const fields = ['#draft-x', '#draft-y', '#draft-deg'].map((s) => pick<HTMLInputElement>(s, root));
  const places = pick('#places ul', root);
  let filled = false; // the fields show a pose
  let brought = ''; // the phase of the draft that was last scrolled into view
  let shown: { places: Place[]; dock: Floorplan['dock'] } | null = null;

  function showGoing(m: Readonly<Model>): void {
    const card = goingOf(m);
    going.hidden = card === null;
    if (card === null) return;
    going.dataset['kind'] = card.kind;
    setText(pick('h2', going), card.title);
    setText(pick('.time', going), card.time);
    const bar = pick('.prog', going);
    const percent = String(Math.round(card.part * 100));
    if (bar.getAttribute('aria-valuenow') !== percent) bar.setAttribute('aria-valuenow', percent);
    bar.style.setProperty('--part', card.part.toFixed(3));
    const [done, left] = going.querySelectorAll('.ends span:not(.grow)');
    if (done && left) {
      setText(done, card.done);
      setText(left, card.left);
    }
    setText(pick('.note', going), card.note);
    showVia(pick('.via', going), card.via, card.goal);
    const pause = pick<HTMLButtonElement>('#goal-pause', going);
    setIcon(pause, card.resume ? 'play' : 'pause');
    setText(pick('span', pause), card.resume ? words.goto.resume : words.goto.pause);
    pause.classList.toggle('pri', card.resume);
    pick('#goal-around', going).hidden = !card.around;
    for (const b of going.querySelectorAll('button')) b.disabled = !mayAct(m);
    if (card.resume && isHeld(m)) pause.disabled = true;
  }

  function showForm(m: Readonly<Model>, fault: string): void {
    const open = m.draft !== null || m.tool === 'goal' || m.tool === 'pose';
    const asked = pick('#goto-new', root);
    form.hidden = !open;
    asked.hidden = open;
    if (m.draft === null && filled) for (const f of fields) f.value = '';
    filled = m.draft !== null;
    if (!open) return;
    const way = wayOf(m);
    setText(pick('h2', form), way.head);
    const pose = m.draft?.pose;
    const values = pose ? [metres(pose[0]), metres(pose[1]), heading(pose[2])] : null;
    fields.forEach((f, i) => {
      const value = values?.[i];
      if (value !== undefined && f !== document.activeElement && f.value !== value) f.value = value;
      f.disabled = !mayAct(m);
    });
    const route = pick('.route', form);
    route.hidden = way.size === '';
    setText(pick('.by', form), way.by);
    showVia(
      pick('.via', form),
      way.via.map((name) => ({ name, done: false })),
      '',
    );
    setText(pick('.size', form), way.size);
    const says = pick('.says', form);
    setText(says, fault || way.says);
    says.classList.toggle('bad', way.bad || fault !== '');
    const button = pick<HTMLButtonElement>('button[type=submit]', form);
    setText(pick('span', button), way.button);
    button.disabled = !way.can;
    const phase = m.draft?.phase ?? '';
    if (phase !== brought) form.scrollIntoView({ block: 'nearest' }); // a result should be visible
    brought = phase;
  }

  function showPlaces(m: Readonly<Model>): void {
    const { plan } = m;
    if (shown?.places !== plan.places || shown.dock !== plan.dock) {
      shown = { places: plan.places, dock: plan.dock };
      const dock: Place[] =
        plan.dock === null || plan.places.some((p) => p.name === words.goto.dock)
          ? []
          : [{ name: words.goto.dock, pose: plan.dock }];
      places.replaceChildren(
        ...[...dock, ...plan.places].map((place) => {
          const li = clone('t-place');
          const button = pick<HTMLButtonElement>('button', li);
          setIcon(li, place.name === words.goto.dock ? 'house' : 'map-pin');
          setText(pick('span', li), place.name);
          button.onclick = () => choose(place);
          return li;
        }),
      );
      pick('#places-none', root).hidden = places.childElementCount > 0;
    }
    const goal = m.draft ?? underWay(m);
    for (const b of places.querySelectorAll('button')) {
      b.setAttribute('aria-pressed', String(goal !== null && goal.name !== '' && goal.name === b.textContent?.trim()));
      b.disabled = !mayAct(m);
    }
  }

  function showEstimate(m: Readonly<Model>): void {
    const q = qualityOf(m);
    setText(
      pick('#estimate', root),
      q === null
        ? words.goto.estimateNone
        : q === 'lost'
          ? words.goto.lost
          : say(words.goto.estimate, { word: words.hud[q].toLowerCase() }),
    );
    pick('.estimate', root).dataset['quality'] = q ?? '';
    for (const b of document.querySelectorAll<HTMLButtonElement>('button[data-do=pose]')) b.disabled = !mayAct(m);
    pick<HTMLButtonElement>('#goto-new', root).disabled = !mayAct(m);
    pick<HTMLButtonElement>('[data-map=goal]').disabled = !hasControl(m);
  }

  return (m, fault) => {
    showEstimate(m);
    showGoing(m);
    showForm(m, fault);
    showPlaces(m);
  };
}

// showVia lists via points in order, and the goal last if it has a name.
function showVia(list: Element, via: readonly Chip[], goal: string): void {
  const key = JSON.stringify([via, goal]);
  if (list instanceof HTMLElement && list.dataset['key'] === key) return;
  if (list instanceof HTMLElement) list.dataset['key'] = key;
  const tag = list.tagName === 'OL' ? 'li' : 'span';
  const chip = (name: string, kind: string) => {
    const item = document.createElement(tag);
    item.className = kind;
    item.textContent = name;
    if (kind === 'done') item.setAttribute('aria-label', `${name}, ${words.goto.passed}`);
    return item;
  };
  list.replaceChildren(
    ...via.map((v) => chip(v.name, v.done ? 'done' : '')),
    ...(goal === '' ? [] : [chip(goal, 'goal')]),
  );
}
