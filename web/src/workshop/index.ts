// The buttons of the workshop. Their script and style sheet load when they are first needed.
import { type Context, loader, readMapDraft, tellMissing } from '../context.ts';
import { pick } from '../dom.ts';
import { hasControl, mayAct, type Model, type Tool } from '../store.ts';
import { drawWorld, drawWorldTags } from '../world/marks.ts';

type Work = 'edit' | 'world' | 'motions';

const isWork = (tool: Tool | null): tool is Work => tool === 'edit' || tool === 'world' || tool === 'motions';

export function mountWorkshop(context: Context): void {
  const { store, stage } = context;
  const app = pick('#app');
  const shop = pick('#workshop');
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-work]')];
  const workOf = (b: HTMLElement) => b.dataset['work'] as Work;
  const load = loader(shop, context, () => {
    store.set({ tool: null });
    tellMissing(context);
  });
  let kept = readMapDraft(store.get().plan) !== null;

  function open(work: Work): void {
    load();
    store.set({ tool: work, draft: null });
  }

  for (const b of buttons)
    b.onclick = () => (store.get().tool === workOf(b) ? store.set({ tool: null }) : open(workOf(b)));

  const spot = pick<HTMLButtonElement>('#spot-open');
  spot.onclick = () => load(() => spot.click()); // by then the button has its own handler

  const show = (m: Readonly<Model>) => {
    const may = hasControl(m) && m.role !== 'observer';
    for (const b of buttons) {
      b.hidden = workOf(b) === 'world' && !m.simulator;
      b.disabled = !may && workOf(b) !== 'motions';
      b.setAttribute('aria-pressed', String(m.tool === workOf(b)));
    }
    if (isWork(m.tool)) app.dataset['work'] = m.tool;
    else delete app.dataset['work'];
  };
  stage.layer('floor', (b) => {
    const { plan, world, tool } = store.get();
    if (world !== null) drawWorld(b, plan, world, tool === 'world');
  });
  stage.layer('over', (b) => {
    const { plan, world, tool } = store.get();
    if (world !== null) drawWorldTags(b, plan, world, tool === 'world');
  });
  store.subscribe((m, before) => {
    spot.disabled = !mayAct(m);
    if (
      m.tool !== before.tool ||
      m.holder !== before.holder ||
      m.you !== before.you ||
      m.simulator !== before.simulator ||
      m.role !== before.role ||
      m.elsewhere !== before.elsewhere
    )
      show(m);
    if (isWork(m.tool) && ((!hasControl(m) && m.tool !== 'motions') || m.tab !== before.tab)) store.set({ tool: null });
    if (kept && m.state !== null && hasControl(m)) {
      kept = false; // a reload continues where it was
      if (m.tool === null) open('edit');
    }
  });
  spot.disabled = true;
  show(store.get());
}
