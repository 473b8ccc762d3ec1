// Pins: the goals of the steps of a job, on the map. A numbered pin can be dragged, and its tip turned.
import { type Aim, drag, grasp, neat, nudge } from '../goto/aim.ts';
import { drawDial, drawRoute } from '../goto/marks.ts';
import { type Brush, FONT, TAU } from '../map/brush.ts';
import type { Stage } from '../map/stage.ts';
import { toScreen } from '../map/view.ts';
import type { Point, Pose } from '../wire.ts';

export interface Pin {
  key: number;
  n: number; // of the step
  pose: Pose;
  kind: 'next' | 'later' | 'bad';
}

export interface Sheet {
  pins: readonly Pin[];
  ways: readonly { way: readonly Point[]; driven: boolean }[]; // driven: the path that the robot drives now, or next
  lit: number | null;
  open: number | null; // its heading can be turned
  may: boolean; // pins can be dragged
  ghost: Pose | null;
}

export interface Acts {
  light(key: number | null): void;
  open(key: number): void;
  put(key: number, pose: Pose): void; // a person has put it there
  live(key: number, pose: Pose): void; // and during the drag
  picked(): void; // the awaited press has come
}

const NEAR = 18; // px
const NARROW = 600; // px

export interface Pins {
  pick(key: number | null, heading: number): void; // makes the next press on the map this step's place
  picking(): number | null;
}

export function mountPins(canvas: HTMLCanvasElement, stage: Stage, sheet: () => Sheet | null, acts: Acts): Pins {
  let held: { key: number; aim: Aim } | null = null;
  let picking: { key: number; heading: number } | null = null;
  let hover: number | null = null;

  // turnable returns the pin with a dial, if there is room for one.
  const turnable = (s: Sheet): Pin | undefined =>
    s.may && canvas.clientWidth > NARROW ? s.pins.find((p) => p.key === s.open) : undefined;

  function hit(s: Sheet, x: number, y: number, near: number): Pin | null {
    let best: Pin | null = null;
    let least = near;
    for (const p of s.pins) {
      const [px, py] = stage.screen(p.pose);
      const off = Math.hypot(px - x, py - y);
      if (off <= least) [best, least] = [p, off];
    }
    return best;
  }

  stage.grip({
    take(touch) {
      const s = sheet();
      if (s === null || !s.may) return false;
      if (picking !== null) {
        const aim = grasp(touch, stage.at, null, true, picking.heading);
        if (aim === null) return false;
        held = { key: picking.key, aim };
        acts.live(held.key, aim.pose);
        canvas.focus({ preventScroll: true });
        return true;
      }
      const open = turnable(s);
      const turn = open ? grasp(touch, stage.at, { pose: open.pose, pin: stage.screen(open.pose) }, false, 0) : null;
      const under = hit(s, touch.x, touch.y, NEAR + (touch.finger ? 8 : 0));
      if (open && turn !== null && (under === null || under.key === open.key)) {
        held = { key: open.key, aim: turn };
        if (turn.far) acts.live(open.key, turn.pose);
        return true;
      }
      if (under === null) return false;
      held = {
        key: under.key,
        aim: {
          way: 'pin',
          pose: under.pose,
          press: [touch.x, touch.y],
          off: [under.pose[0] - touch.at[0], under.pose[1] - touch.at[1]],
          far: false,
        },
      };
      return true;
    },
    move(touch) {
      if (held === null) return;
      const { pose } = held.aim;
      held = { ...held, aim: drag(held.aim, touch, stage.screen(pose)) };
      if (held.aim.pose !== pose) acts.live(held.key, held.aim.pose);
    },
    end(touch) {
      const was = held;
      held = null;
      if (was === null) return;
      const { way, far, pose } = was.aim;
      if (touch === null)
        acts.put(was.key, [NaN, NaN, NaN]); // the drag was cancelled: restore
      else if (way === 'place' || far) acts.put(was.key, neat(pose));
      else acts.open(was.key);
      if (way === 'place') stop();
    },
  });

  function wait(next: typeof picking): void {
    picking = next;
    canvas.toggleAttribute('data-pick', next !== null);
  }

  function stop(): void {
    wait(null);
    acts.picked();
  }

  canvas.addEventListener('pointermove', (e) => {
    const s = sheet();
    const key = s === null || held !== null ? null : (hit(s, e.offsetX, e.offsetY, NEAR)?.key ?? null);
    if (key === hover) return;
    hover = key;
    canvas.dataset['pin'] = key === null ? '' : 'on';
    acts.light(key);
  });
  canvas.addEventListener('pointerleave', () => {
    if (hover === null) return;
    hover = null;
    acts.light(null);
  });

  // Keys move the picked place, or the pin of the open step, while the map has the focus.
  canvas.addEventListener('keydown', (e) => {
    const s = sheet();
    const key = picking?.key ?? s?.open;
    const pin = s?.pins.find((p) => p.key === key);
    if (!s?.may || key == null || e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.code === 'Enter' && picking !== null) stop();
    else {
      const [x, y] = stage.at(canvas.clientWidth / 2, canvas.clientHeight / 2);
      const pose = nudge(pin?.pose ?? neat([x, y, picking?.heading ?? 0]), e.code, e.shiftKey);
      if (pose === null) return;
      acts.put(key, pose);
      stage.reveal([pose[0], pose[1]]);
    }
    e.preventDefault();
  });
  document.addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && picking !== null) stop();
  });

  stage.layer('floor', (b) => {
    for (const { way, driven } of sheet()?.ways ?? []) drawRoute(b, way, !driven);
  });
  stage.layer('path', (b) => {
    const s = sheet();
    for (const p of s?.pins ?? []) if (p.key !== s?.lit && p.key !== s?.open) drawStep(b, p, false);
  });
  stage.layer('over', (b) => {
    const s = sheet();
    if (s === null) return;
    const open = turnable(s);
    if (open) drawDial(b, open.pose, open.kind === 'bad');
    for (const p of s.pins) if (p.key === s.lit || p.key === s.open) drawStep(b, p, true);
    if (s.ghost !== null) stage.drawGhost(b, s.ghost);
  });

  return {
    pick: (key, heading) => wait(key === null ? null : { key, heading }),
    picking: () => picking?.key ?? null,
  };
}

// drawStep draws the pin of a step: a disc with its number, and outside it the heading.
function drawStep({ c, v, p }: Brush, pin: Pin, lit: boolean): void {
  const [x, y] = toScreen(v, pin.pose[0], pin.pose[1]);
  const colour = p[pin.kind === 'bad' ? 'danger' : 'accent'];
  const hollow = pin.kind === 'later';
  c.save();
  c.translate(x, y);
  c.fillStyle = colour;
  c.globalAlpha = lit ? 0.42 : 0.24;
  disc(lit ? 26 : 21);
  c.globalAlpha = 1;
  c.save();
  c.rotate(-pin.pose[2]);
  c.beginPath();
  c.moveTo(31, 0);
  c.lineTo(19, -7.5);
  c.lineTo(19, 7.5);
  c.closePath();
  c.fill();
  c.restore();
  if (hollow) c.fillStyle = p['surface-1'];
  disc(13);
  c.lineWidth = 2.5;
  c.strokeStyle = hollow ? colour : '#fff';
  c.stroke();
  c.fillStyle = hollow ? p.text : '#fff';
  c.font = `700 ${pin.n > 99 ? 10 : 13}px ${FONT}`;
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  c.fillText(String(pin.n), 0, 0.5);
  c.restore();

  function disc(r: number): void {
    c.beginPath();
    c.arc(0, 0, r, 0, TAU);
    c.fill();
  }
}
