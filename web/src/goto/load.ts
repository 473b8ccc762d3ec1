// Go to. Its script loads when a goal is first wanted, chosen or underway.
import { underWay } from './view.ts';
import { mark, pick } from '../dom.ts';
import { typesIn } from '../field.ts';
import { hasControl, type Model } from '../store.ts';
import { whyByHand } from '../parts/lacks.ts';
import { type Context, loader } from '../context.ts';

// loadGoto loads it then. Until it has loaded, the buttons and the key that open it load it and are then
// pressed again.
export function loadGoto(context: Context): void {
  const { store, stage } = context;
  const map = pick('#map');
  let come = false;
  const load = loader(pick('#goto'), context);
  const openers = [...document.querySelectorAll<HTMLButtonElement>('[data-map=goal], button[data-do=pose]')];
  const first = (again: () => void) => {
    if (!come)
      load(() => {
        come = true;
        again();
      });
  };
  for (const b of openers) b.onclick = () => first(() => b.click());
  document.addEventListener('keydown', (e) => {
    const { dialog, prefs, robot } = store.get();
    if (
      come ||
      e.code !== 'KeyG' ||
      e.defaultPrevented ||
      e.ctrlKey ||
      e.altKey ||
      e.metaKey ||
      e.repeat ||
      dialog ||
      !prefs.letterKeys ||
      whyByHand(robot) !== '' ||
      typesIn(e.target)
    )
      return;
    e.preventDefault();
    first(() =>
      document.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyG', bubbles: true, cancelable: true })),
    );
  });

  const show = (m: Readonly<Model>) => {
    mark(map, 'tool', m.tool ?? '');
    if (come) return;
    for (const b of openers) b.disabled = !hasControl(m);
    if (m.tab === 'goto' || m.tool === 'goal' || m.tool === 'pose' || m.draft !== null || underWay(m) !== null)
      first(() => undefined);
  };
  store.subscribe((m, was) => {
    if (m.tab !== was.tab) stage.overview(m.tab !== 'drive');
    show(m);
  });
  show(store.get());
}
