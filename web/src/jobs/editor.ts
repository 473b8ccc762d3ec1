// Editor: the fields of one step, inside its card.
import { jobs as words } from '../../strings.json';
import { SPEEDS, speedName, voiceName } from './view.ts';
import { clone, deedOf, pick, setText } from '../dom.ts';
import { numberOf } from '../goto/numbers.ts';
import { heading, metres } from '../hud/figures.ts';
import type { Floorplan, Pose, Step } from '../wire.ts';

export interface Editor {
  root: HTMLElement;
  fill(step: Step, may: boolean): void; // shows a step, except in a field that a person types into
  picking(on: boolean): void; // the map waits for a press
}

export interface Hands {
  change(step: Step, mark: string): void;
  pick(): void; // to pick the place on the map
  here(): Pose | null; // the robot's pose
  say(step: Step): void; // Try
  places(): Floorplan['places'];
  voices(): readonly string[];
}

export function editorOf(first: Step, hands: Hands): Editor {
  const root = clone<HTMLFormElement>(`t-edit-${first.type}`);
  const part = <E extends HTMLElement>(q: string) => root.querySelector<E>(q);
  const [x, y, deg] = ['#step-x', '#step-y', '#step-deg'].map((q) => part<HTMLInputElement>(q)) as [
    HTMLInputElement | null,
    HTMLInputElement | null,
    HTMLInputElement | null,
  ];
  const text = part<HTMLTextAreaElement>('#step-text');
  const place = part<HTMLSelectElement>('#step-place');
  const voice = part<HTMLSelectElement>('#step-voice');
  const speed = part<HTMLSelectElement>('#step-speed');
  const seconds = part<HTMLInputElement>('#step-seconds');
  const ok = part<HTMLButtonElement>('#step-ok');
  const fail = pick<HTMLSelectElement>('#step-fail', root);
  const retries = pick<HTMLInputElement>('#step-retries', root);
  const after = pick<HTMLInputElement>('#step-after', root);
  let step = first;
  let posed = false; // the fields show a pose

  const change = (patch: Partial<Step>, mark: string) => hands.change({ ...step, ...patch }, mark);

  root.onsubmit = (e) => e.preventDefault();
  if (text) text.oninput = () => change({ text: text.value }, 'text');
  if (place) {
    place.onchange = () => {
      const pose = hands.places().find((p) => p.name === step.place)?.pose ?? step.pose;
      if (place.value !== '') change({ place: place.value }, 'place');
      else if (pose) change({ place: '', pose }, 'place');
      else hands.pick();
    };
  }
  for (const field of [x, y, deg]) if (field) field.onchange = typed;
  if (voice) voice.onchange = () => change({ voice: voice.value }, 'voice');
  if (speed) speed.onchange = () => change({ speed: Number(speed.value) }, 'speed');
  if (ok) ok.onclick = () => change({ ok: ok.getAttribute('aria-checked') !== 'true' }, 'ok');
  fail.onchange = () => change({ on_failure: fail.value as NonNullable<Step['on_failure']> }, 'fail');
  number(seconds, 'seconds');
  number(retries, 'retries');
  number(after, 'retry_after');
  root.onclick = (e) => {
    const deed = deedOf(e);
    const here = deed === 'here' ? hands.here() : null;
    if (deed === 'pick') hands.pick();
    if (deed === 'try') hands.say(step);
    if (here !== null) change({ place: '', pose: here }, '');
  };

  function number(field: HTMLInputElement | null, name: 'seconds' | 'retries' | 'retry_after'): void {
    if (field)
      field.onchange = () => change({ [name]: field.value.trim() === '' ? 0 : (numberOf(field.value) ?? -1) }, name);
  }

  // typed applies x, y and heading once x and y are complete, and reports an invalid number.
  function typed(): void {
    const [px, py, pd] = [x, y, deg].map((f) => {
      const n = f?.value.trim() ? numberOf(f.value) : undefined;
      f?.setAttribute('aria-invalid', String(n === null));
      return n;
    });
    part('#step-fault')?.toggleAttribute('hidden', px !== null && py !== null && pd !== null);
    if (px != null && py != null && pd !== null)
      change({ place: '', pose: [px, py, ((pd ?? 0) * Math.PI) / 180] }, 'pose');
  }

  function options(
    select: HTMLSelectElement | null,
    all: readonly [value: string, text: string][],
    value: string,
  ): void {
    if (select === null) return;
    const key = JSON.stringify(all);
    if (select.dataset['key'] !== key) {
      select.dataset['key'] = key;
      select.replaceChildren(...all.map(([v, t]) => new Option(t, v)));
    }
    if (select.value !== value) select.value = value;
  }

  function set(field: HTMLInputElement | HTMLTextAreaElement | null, value: string): void {
    if (field && field !== document.activeElement && field.value !== value) field.value = value;
  }

  return {
    root,
    fill(next, may) {
      step = next;
      const places = hands.places();
      const pose = step.pose ?? places.find((p) => p.name === step.place)?.pose;
      const known = step.place && !places.some((p) => p.name === step.place) ? [step.place] : [];
      options(
        place,
        [['', words.ownSpot], ...[...known, ...places.map((p) => p.name)].map((n): [string, string] => [n, n])],
        step.place ?? '',
      );
      if (pose || posed) {
        // incomplete numbers remain
        set(x, pose ? metres(pose[0]) : '');
        set(y, pose ? metres(pose[1]) : '');
        set(deg, pose ? heading(pose[2]) : '');
        posed = pose !== undefined;
      }
      set(text, step.text ?? '');
      const voices = [...new Set([...hands.voices(), step.voice ?? 'en'])];
      options(
        voice,
        voices.map((v): [string, string] => [v, voiceName(v)]).sort((a, b) => (a[1] < b[1] ? -1 : 1)),
        step.voice ?? 'en',
      );
      options(
        speed,
        [...new Set([...SPEEDS, step.speed ?? 1])].map((s): [string, string] => [String(s), speedName(s)]),
        String(step.speed ?? 1),
      );
      set(seconds, step.seconds ? String(step.seconds) : '');
      ok?.setAttribute('aria-checked', String(step.ok ?? false));
      const how = step.on_failure ?? 'stop';
      fail.value = how;
      pick('.again', root).hidden = how !== 'retry';
      set(retries, step.retries ? String(step.retries) : '');
      set(after, step.retry_after ? String(step.retry_after) : '');
      setText(pick('summary span', root), fail.selectedOptions[0]?.text.toLowerCase() ?? '');
      for (const f of root.querySelectorAll<HTMLInputElement>('input,select,textarea,button')) f.disabled = !may;
    },
    picking(on) {
      part('[data-do=pick]')?.setAttribute('aria-pressed', String(on));
    },
  };
}
