// The telemetry over the map. Numbers change five times a second; an old number is grey and shows its age.
import {
  alarm,
  DASH,
  degrees,
  heading,
  metres,
  quality,
  rangersOf,
  rangesOf,
  side,
  spread,
  sureness,
  turn,
} from './figures.ts';
import { ageOf } from '../base.ts';
import { hide, mark, pick, setText as text } from '../dom.ts';
import { clockTime } from '../format.ts';
import { DANGER, WARN } from '../map/marks.ts';
import { isBaseLost, isOld, type Model, now, type Store } from '../store.ts';
import { isBlind, lacks } from '../parts/lacks.ts';
import { say, words } from '../words.ts';

const BEAT_MS = 200;

// mountHud fills the cells of Hud in root for as long as the page lives.
export function mountHud(root: HTMLElement, store: Store): void {
  const cells = findCells(root);
  const turns: string[] = []; // the segments' present text
  const looks: string[] = [];
  let timer = 0;
  let last = -Infinity;
  let dial = 0; // degrees, unwrapped so that the arrow always takes the shorter direction

  const write = () => {
    timer = 0;
    last = performance.now();
    const m = store.get();
    const old = isOld(m) || m.state === null;
    root.classList.toggle('stale', m.conn === 'stale' || isOld(m));
    root.classList.toggle('empty', m.state === null);
    writeMotion(m, old);
    writeHeading(m);
    writePosition(m, old);
    writeNearest(m, old);
    const lost = m.conn !== 'lost' && isBaseLost(m);
    hide(cells.age, m.conn !== 'stale' && !lost);
    text(cells.age, say(words.hud.age, { s: lost ? ageOf(m, now()) : m.silence.toFixed(1) }));
  };

  function writeMotion({ state, robot }: Readonly<Model>, old: boolean): void {
    const [v, w] = state === null || old ? [null, null] : state.twist;
    text(cells.speed, metres(v));
    text(cells.turn, w === null ? DASH : turn(w));
    const most = isBlind(robot) ? robot?.drive : robot?.safe; // a robot without range sensors drives no faster than by hand
    text(cells.speedLimit, most ? say(words.hud.max, { n: most[0].toFixed(2) }) : '');
    text(cells.turnLimit, most ? say(words.hud.max, { n: Math.round(degrees(most[1])) }) : '');
    part(cells.speedBar, v === null || !most ? 0 : Math.abs(v) / most[0]);
    part(cells.turnBar, w === null || !most ? 0 : w / most[1]);
    cells.turnBar.classList.toggle('right', w !== null && w < 0);
  }

  function writeHeading({ state }: Readonly<Model>): void {
    text(cells.heading, state === null ? DASH : heading(state.pose[2]));
    text(
      cells.place,
      state === null ? DASH : say(words.hud.place, { x: metres(state.pose[0]), y: metres(state.pose[1]) }),
    );
    if (state === null) return;
    const to = -degrees(state.pose[2]);
    dial += ((((to - dial) % 360) + 540) % 360) - 180;
    cells.dial.style.setProperty('--turn', `${dial.toFixed(1)}deg`);
  }

  function writePosition(m: Readonly<Model>, old: boolean): void {
    const { state, robot } = m;
    const sources = state === null || old ? null : state.sources;
    const ranging = sources === null || robot === null ? '' : rangersOf(sources, robot);
    if (state === null || old) {
      text(cells.quality, state === null ? DASH : say(words.hud.unknownSince, { time: clockTime(state.at) }));
      text(cells.sigma, '');
      mark(root, 'quality', '');
    } else {
      const [place, angle] = sureness(state.cov);
      const q = quality(place, state.trust);
      mark(root, 'quality', q);
      text(cells.quality, words.hud[q]);
      const blind = ranging === '';
      text(
        cells.sigma,
        q === 'lost' && blind
          ? lacks(robot, 'compass')
            ? words.hud.blindWheels
            : words.hud.blind
          : spread(place, angle, state.trust),
      );
    }
    chip(cells.wheels, sources?.wheels === true);
    chip(cells.compass, sources?.compass === true);
    chip(cells.sonar, ranging !== '');
    const label = cells.sonar.querySelector('span');
    if (label !== null) text(label, ranging || (robot?.sonars.length === 0 ? words.hud.lidar : words.hud.sonar));
  }

  function writeNearest({ state, robot }: Readonly<Model>, old: boolean): void {
    const nearest = state === null || old ? null : state.nearest;
    const distance = nearest === null ? null : nearest.distance;
    text(cells.nearest, metres(distance));
    const range = nearest === null || distance === null ? null : (state?.ranges[nearest.sonar ?? -1] ?? distance);
    mark(root, 'near', alarm(range, WARN, DANGER));
    if (state === null || old) text(cells.side, words.hud.noData);
    else
      text(
        cells.side,
        nearest === null || distance === null
          ? isBlind(robot)
            ? words.hud.noRanges
            : words.hud.nothing
          : side(nearest.bearing),
      );
    const around = state === null || old ? [] : rangesOf(state);
    cells.segments.forEach((seg, i) => {
      const r = around[i] ?? null;
      const theta = robot?.sonars[i]?.[2] ?? (i * Math.PI) / 6;
      const turned = `${(-degrees(theta) - 13).toFixed(1)}deg`;
      if (turns[i] !== turned) seg.style.setProperty('--turn', (turns[i] = turned));
      const look = `seg ${r === null || (robot !== null && r >= robot.range) ? 'none' : alarm(r, WARN, DANGER) || (r < 3 ? 'some' : 'far')}`;
      if (looks[i] !== look) seg.setAttribute('class', (looks[i] = look));
    });
  }

  const ask = () => {
    if (timer === 0) timer = window.setTimeout(write, Math.max(0, last + BEAT_MS - performance.now()));
  };
  store.subscribe((m, before) => {
    if (m.state !== before.state || m.conn !== before.conn || m.silence !== before.silence || m.robot !== before.robot)
      ask();
  });
  write();
}

function part(e: HTMLElement | SVGElement, f: number): void {
  e.style.setProperty('--part', Math.min(1, Math.abs(f)).toFixed(3));
}

function chip(e: Element, on: boolean): void {
  e.classList.toggle('ok', on);
}

function findCells(root: HTMLElement) {
  const cell = (name: string) => pick(`[data-hud=${name}]`, root);
  const source = (name: string) => pick(`[data-source=${name}]`, root);
  return {
    speed: cell('speed'),
    speedLimit: cell('speedLimit'),
    speedBar: cell('speedBar'),
    turn: cell('turn'),
    turnLimit: cell('turnLimit'),
    turnBar: cell('turnBar'),
    heading: cell('heading'),
    place: cell('place'),
    dial: cell('dial'),
    quality: cell('quality'),
    sigma: cell('sigma'),
    wheels: source('wheels'),
    compass: source('compass'),
    sonar: source('sonar'),
    nearest: cell('nearest'),
    side: cell('side'),
    segments: [...root.querySelectorAll<SVGElement>('.seg')],
    age: cell('age'),
  };
}
