// Description: the map in words, for people who cannot see it.
import { mayBeAt } from '../alone.ts';
import { ageOf } from '../base.ts';
import { contains } from './floor.ts';
import { goingOf, poseText, wayOf } from '../goto/view.ts';
import { quality, rangersOf, side, sureness } from '../hud/figures.ts';
import { pick } from '../dom.ts';
import type { Stage } from './stage.ts';
import { isOld, type Model, now, type Store } from '../store.ts';
import { say, words } from '../words.ts';
import type { Robot, State } from '../wire.ts';

const EVERY_MS = 1000;

// mountDescription updates the list beside the map that describes it.
export function mountDescription(store: Store, stage: Stage): void {
  const list = pick('.maptext');
  let told = '';
  const show = () => {
    const lines = describeMap(store.get(), stage.things().length);
    if (lines.join() === told) return;
    told = lines.join();
    list.replaceChildren(
      ...lines.map((line) => {
        const item = document.createElement('li');
        item.textContent = line;
        return item;
      }),
    );
  };
  setInterval(show, EVERY_MS);
}

// describeMap returns the contents of the map, one sentence each.
export function describeMap(m: Readonly<Model>, things: number): string[] {
  return linesOf(m, things).map((line) => (line.endsWith('.') ? line : `${line}.`));
}

function linesOf(m: Readonly<Model>, things: number): string[] {
  const { state, robot, plan } = m;
  if (state === null || robot === null) return [words.map.textNoRobot];
  const [x, y, theta] = state.pose;
  const room = plan.rooms.find((r) => r.name !== '' && contains(r.outline, [x, y]))?.name ?? '';
  const where = {
    x: x.toFixed(1),
    y: y.toFixed(1),
    deg: ((Math.round((theta * 180) / Math.PI) % 360) + 360) % 360,
    room,
  };
  const lines = [say(room === '' ? words.map.textRobot : words.map.textRobotIn, where)];
  if (isOld(m)) {
    const by = mayBeAt(m);
    if (by !== null) lines.push(say(words.map.textMayBe, { x: by[0].toFixed(1), y: by[1].toFixed(1) }));
    return [say(words.map.tagLost, { s: Math.round(m.silence) || ageOf(m, now()) }), ...lines];
  }
  if (state.nearest !== null && state.nearest.distance !== null) {
    lines.push(say(words.map.textNearest, { m: state.nearest.distance.toFixed(1), side: side(state.nearest.bearing) }));
  }
  const goal = goingOf(m);
  if (goal !== null) lines.push([goal.title, goal.left, goal.time, goal.note].filter((s) => s !== '').join(', '));
  if (m.draft !== null)
    lines.push(say(words.map.textPreview, { pose: poseText(m.draft.pose), way: wayOf(m).says || wayOf(m).size }));
  lines.push(estimate(state, robot));
  if (things > 0) lines.push(say(words.map.textUnknown, { n: things }));
  return lines;
}

// estimate describes the quality and the sources of the position.
function estimate({ cov, trust, sources }: State, robot: Robot): string {
  const [place] = sureness(cov);
  const { wheels, compass } = words.hud;
  const made = [sources.wheels ? wheels : '', sources.compass ? compass : '', rangersOf(sources, robot)];
  return say(trust === 'OK' ? words.map.textEstimate : words.map.textDoubted, {
    word: words.hud[quality(place, trust)].toLowerCase(),
    m: place.toFixed(2),
    sources: made.filter((s) => s !== '').join(', '),
  });
}
