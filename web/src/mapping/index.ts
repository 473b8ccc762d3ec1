// The making of a map by driving: the card with its buttons, and the map that grows on the page.
import { Card } from './card.ts';
import { drawLoop, drawOpen, drawWay } from './marks.ts';
import { Review } from './review.ts';
import { type Box, boxOf, Tiles } from './tiles.ts';
import { closedNow, isMapping, newsOf } from './view.ts';
import { mapping as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { type Model, now } from '../store.ts';
import { readTabItem, saveTabItem } from '../tab-storage.ts';
import { say } from '../words.ts';
import type { Floorplan, Mapping, Point } from '../wire.ts';

const ADDRESS = '/api/v1/mapping';
const TOLD = 'mybot.mapping'; // what is told after the page has loaded itself anew, in this tab
const STEP = 4; // m, in which the shown part of the floor grows

export function mountMapping(context: Context): void {
  const { store, stage, voice } = context;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const card = new Card(context);
  const review = new Review(context);
  const tiles = new Tiles(
    ({ tile, rev }) => `${ADDRESS}/tiles/${tile}/${rev}.png`,
    () => stage.redraw(),
  );
  const empty: Floorplan = {
    name: '',
    bounds: [0, 0, 0, 0],
    walls: [],
    rooms: [],
    doors: [],
    furniture: [],
    via: [],
    edges: [],
    places: [],
    dock: null,
  };
  let loop: { at: Point; since: number } | null = null; // that is shown for a moment
  let ending: Mapping | null = null; // the last state before the map was saved or discarded

  stage.layer('floor', (b) => {
    const { mapping } = store.get();
    if (!isMapping(mapping)) return;
    if (mapping.state === 'review' && review.draw(b)) return;
    tiles.draw(b);
    drawWay(b, mapping.trail ?? []);
    if (mapping.state === 'mapping' || mapping.state === 'paused') drawOpen(b, mapping.open ?? []);
    if (loop !== null && !drawLoop(b, loop.at, now() - loop.since, calm.matches)) loop = null;
    if (loop !== null) setTimeout(stage.redraw, calm.matches ? 200 : 16);
  });

  // clear puts the floor plan in use aside: the map that is being made has a frame of its own.
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
        store.set({ tool: null }); // it would change the map that is put aside
        store.toast(words.noEditor);
      }
      if (!isMapping(before)) stage.overview(true);
      if (closedNow(mapping, before) && mapping.loop !== null) loop = { at: mapping.loop.at, since: now() };
      clear(m, mapping);
      tiles.show(mapping.tiles ?? []);
      ending = mapping;
      stage.redraw();
    }
    for (const line of newsOf(mapping, before)) voice.say(line);
  }

  // reload loads the page anew when another floor plan is in use than the one it was made with.
  function reload(build: number): void {
    if (String(build) === document.documentElement.dataset['floor']) return;
    if (ending !== null) {
      const name = store.get().mapping?.name ?? '';
      saveTabItem(TOLD, ending.state === 'saving' ? say(words.saved, { name }) : words.discarded);
    }
    location.reload();
  }

  store.subscribe((m, before) => {
    if (m.mapping !== before.mapping || (m.tool === 'edit' && isMapping(m.mapping))) follow(m, before.mapping);
    if (m.floor !== before.floor && m.floor !== null) reload(m.floor.build);
    card.follow(m, before);
  });
  const m = store.get();
  follow(m, null);
  card.follow(m, null);
  if (m.floor !== null) reload(m.floor.build);
  const told = readTabItem(TOLD);
  if (typeof told === 'string') {
    saveTabItem(TOLD, null);
    store.toast(told, 'SUCCESS');
  }
}

// roomy is a box in whole steps around another, so that what is shown does not jump with every scan.
function roomy([x0, y0, x1, y1]: Box): Box {
  return [
    STEP * Math.floor(x0 / STEP - 0.5),
    STEP * Math.floor(y0 / STEP - 0.5),
    STEP * Math.ceil(x1 / STEP + 0.5),
    STEP * Math.ceil(y1 / STEP + 0.5),
  ];
}
