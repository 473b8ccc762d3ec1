// Making a map by driving: the card with its buttons, and the growing map on the page.
import { Card } from './card.ts';
import { drawLoop, drawOpen, drawWay } from './marks.ts';
import { Review } from './review.ts';
import { type Box, boxOf, Tiles } from './tiles.ts';
import { closedNow, isMapping, newsOf } from './view.ts';
import { mapping as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { type Model, now } from '../store.ts';
import { readTabItem, saveTabItem } from '../tab-storage.ts';
import type { Floorplan, Mapping, Point } from '../wire.ts';

const ADDRESS = '/api/v1/mapping';
const TOLD = 'mybot.mapping'; // the messages to show after the page has reloaded, in this tab
const SETTLE_MS = 300; // the answer to a request follows the floor plan that it takes into use
const STEP = 4; // m, steps in which the shown part of the floor grows

export function mountMapping(context: Context): void {
  const { store, stage, voice } = context;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const review = new Review(context);
  const card = new Card(context, review);
  const tiles = new Tiles(
    ({ tile, rev }) => `${ADDRESS}/tiles/${tile}/${rev}.png`,
    () => stage.redraw(),
  );
  const empty: Floorplan = {
    name: '',
    bounds: [0, 0, 0, 0],
    walls: [],
    rooms: [],
    free: [],
    doors: [],
    furniture: [],
    via: [],
    edges: [],
    places: [],
    dock: null,
  };
  let loop: { at: Point; since: number } | null = null; // shown for a moment

  stage.layer('floor', (b) => {
    const { mapping } = store.get();
    if (!isMapping(mapping)) return;
    if (mapping.state === 'review' && review.draw(b)) return;
    tiles.draw(b);
    drawWay(b, mapping.trail ?? []);
    if (mapping.state === 'mapping' || mapping.state === 'paused') drawOpen(b, mapping.open ?? []);
    if (loop !== null && !drawLoop(b, loop.at, now() - loop.since, calm.matches)) loop = null;
    if (loop !== null) setTimeout(() => stage.redraw(), calm.matches ? 200 : 16);
  });

  // clear hides the floor plan in use, because the new map has its own frame.
  function clear(m: Readonly<Model>, mapping: Mapping): void {
    const points: Point[] = [...(mapping.trail ?? [])];
    if (m.state) points.push([m.state.pose[0], m.state.pose[1]]);
    const bounds = roomy(review.bounds() ?? boxOf(mapping.tiles ?? [], points) ?? [0, 0, 0, 0]);
    if (m.plan.walls.length > 0 || m.plan.rooms.length > 0 || String(m.plan.bounds) !== String(bounds))
      store.set({ plan: { ...empty, bounds } });
  }

  function follow(m: Readonly<Model>, before: Mapping | null): void {
    const { mapping } = m;
    if (mapping === null) return;
    review.follow(mapping);
    if (isMapping(mapping)) {
      if (m.tool === 'edit') {
        store.set({ tool: null }); // it would edit the hidden map
        store.toast(words.noEditor);
      }
      if (!isMapping(before)) stage.overview(true);
      if (closedNow(mapping, before) && mapping.loop !== null) loop = { at: mapping.loop.at, since: now() };
      clear(m, mapping);
      tiles.show(mapping.tiles ?? []);
      stage.redraw();
    }
    for (const line of newsOf(mapping, before)) voice.say(line);
  }

  // isNewFloor: another floor plan is in use than the page's. While a map is being made there is none.
  const isNewFloor = ({ floor, mapping }: Readonly<Model>) =>
    floor !== null && !isMapping(mapping) && String(floor.build) !== document.documentElement.dataset['floor'];

  // reload reloads the page if another floor plan remains in use, and no edit is underway.
  async function reload(): Promise<void> {
    await review.settled();
    if (!isNewFloor(store.get())) return;
    saveTabItem(TOLD, [card.done, review.lost]);
    location.reload();
  }

  store.subscribe((m, before) => {
    if (m.mapping !== before.mapping || (m.tool === 'edit' && isMapping(m.mapping))) follow(m, before.mapping);
    if ((m.floor !== before.floor || m.mapping !== before.mapping) && isNewFloor(m)) setTimeout(reload, SETTLE_MS);
    card.follow(m, before);
  });
  const m = store.get();
  follow(m, null);
  card.follow(m, null);
  void reload();
  const [done, lost] = (readTabItem(TOLD) ?? []) as string[];
  saveTabItem(TOLD, null);
  if (done) store.toast(done, 'SUCCESS');
  if (lost) store.toast(lost, 'ERROR');
}

// roomy returns a box in whole steps around another, so that the view does not jump with every scan.
function roomy([x0, y0, x1, y1]: Box): Box {
  return [
    STEP * Math.floor(x0 / STEP - 0.5),
    STEP * Math.floor(y0 / STEP - 0.5),
    STEP * Math.ceil(x1 / STEP + 0.5),
    STEP * Math.ceil(y1 / STEP + 0.5),
  ];
}
