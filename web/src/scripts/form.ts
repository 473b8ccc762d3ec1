// The form of a rule: when something happens, for how long, and what the robot does then.
import { type Act, MAX_ACTS, mayLast, type Rule, type Side, type When } from './rule.ts';
import { actFor, clockText, readClock, SECONDS, type TimeUnit, unitOf, whenFor } from './view.ts';
import { make } from './make.ts';
import {
  scripts as words,
  scriptDeeds as deeds,
  scriptKinds as kindNames,
  scriptSides as sides,
} from '../../strings.json';

export interface Choices {
  places: readonly string[];
  jobs: readonly string[];
}

export interface FormActs {
  done(rule: Rule): void;
  cancel(): void;
}

const KINDS: readonly When['kind'][] = ['battery', 'close', 'blocked', 'ok', 'arrived', 'clock', 'every', 'people'];
const SIDES: readonly Side[] = ['near', 'front', 'left', 'right', 'back'];
const DEEDS: readonly Act['do'][] = ['goto', 'dock', 'job', 'say', 'show', 'alert', 'wait'];

// ruleForm shows a rule, and passes the edited rule to done.
export function ruleForm(first: Rule, choices: Choices, acts: FormActs): HTMLFormElement {
  let rule: Rule = structuredClone(first);
  const when = make('div', { class: 'fields' });
  const then = make('ol', { class: 'acts', 'aria-label': words.then });
  const more = button(words.addAct, 'plus', () => {
    rule.then.push(actFor('say', choices.places, choices.jobs));
    paint(() => then.lastElementChild?.querySelector('select')?.focus());
  });
  const form = make(
    'form',
    { class: 'box rule-form', novalidate: '', 'aria-label': words.formLabel },
    when,
    make('b', {}, words.then),
    then,
    make('div', { class: 'row' }, more),
    make(
      'div',
      { class: 'row end' },
      make('button', { class: 'btn pri', type: 'submit' }, words.formDone),
      button(words.formCancel, '', acts.cancel),
    ),
  );
  form.onsubmit = (e) => {
    e.preventDefault();
    const wrong = form.querySelector<HTMLElement>('[aria-invalid=true]');
    if (wrong !== null) wrong.focus();
    else acts.done(rule);
  };

  function paint(then?: () => void): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['field'];
    paintWhen();
    paintActs();
    if (then !== undefined) then();
    else if (focused !== undefined) form.querySelector<HTMLElement>(`[data-field="${focused}"]`)?.focus();
  }

  function paintWhen(): void {
    const kinds = choose(
      words.when,
      'when',
      KINDS,
      rule.when.kind,
      (k) => kindNames[k],
      (kind) => {
        rule = { ...rule, when: whenFor(kind), lasts: mayLast(kind) ? 5 : 0 };
        paint();
      },
    );
    const parts = [kinds, ...whenFields()];
    if (mayLast(rule.when.kind))
      parts.push(time(words.lasts, 'lasts', rule.lasts, 0, (seconds) => (rule.lasts = seconds)));
    when.replaceChildren(...parts);
  }

  function whenFields(): HTMLElement[] {
    const w = rule.when;
    switch (w.kind) {
      case 'battery':
        return [number(words.below, 'below', w.below, '%', 1, 100, (n) => (w.below = n))];
      case 'close':
        return [
          choose(
            words.side,
            'side',
            SIDES,
            w.side,
            (s) => sides[s],
            (s) => (w.side = s),
          ),
          number(words.closer, 'below', w.below, 'm', 0.01, 100, (n) => (w.below = n)),
        ];
      case 'arrived':
        return [
          choose(
            words.place,
            'place',
            ['', ...withOwn(choices.places, w.place)],
            w.place,
            (p) => p || words.anywhere,
            (p) => (w.place = p),
          ),
        ];
      case 'clock': {
        const field = make('input', {
          class: 'num',
          type: 'text',
          inputmode: 'numeric',
          autocomplete: 'off',
          maxlength: '5',
          placeholder: '22:00',
          'data-field': 'time',
          value: clockText(w.hour, w.minute),
        });
        field.oninput = () => {
          const time = readClock(field.value);
          field.setAttribute('aria-invalid', String(time === null));
          if (time !== null) [w.hour, w.minute] = time;
        };
        return [labelled(words.atTime, field)];
      }
      case 'every':
        return [time(words.everyTime, 'every', w.seconds, 1, (seconds) => (w.seconds = seconds))];
      default:
        return [];
    }
  }

  function paintActs(): void {
    more.disabled = rule.then.length >= MAX_ACTS;
    then.replaceChildren(
      ...rule.then.map((act, i) => {
        const deed = choose(
          words.deed,
          `deed${i}`,
          DEEDS,
          act.do,
          (d) => deeds[d],
          (d) => {
            rule.then[i] = actFor(d, choices.places, choices.jobs);
            paint();
          },
        );
        const drop = button('', 'x', () => {
          rule.then.splice(i, 1);
          paint(() => more.focus());
        });
        drop.setAttribute('aria-label', words.dropAct);
        drop.className = 'ib';
        drop.disabled = rule.then.length === 1;
        return make('li', {}, make('div', { class: 'row' }, deed, drop), ...actFields(act, i));
      }),
    );
  }

  function actFields(act: Act, i: number): HTMLElement[] {
    switch (act.do) {
      case 'goto':
        return [
          choose(
            words.place,
            `act${i}`,
            withOwn(choices.places, act.place),
            act.place,
            (p) => p,
            (p) => (act.place = p),
          ),
        ];
      case 'job':
        return [
          choose(
            words.job,
            `act${i}`,
            withOwn(choices.jobs, act.name),
            act.name,
            (j) => j,
            (j) => (act.name = j),
          ),
        ];
      case 'wait':
        return [time(words.waitTime, `act${i}`, act.seconds, 1, (seconds) => (act.seconds = seconds))];
      case 'dock':
        return [];
      default: {
        const field = make('input', {
          type: 'text',
          'data-field': `act${i}`,
          maxlength: '200',
          autocomplete: 'off',
          value: act.text,
        });
        field.oninput = () => (act.text = field.value);
        return [labelled(words.actText, field)];
      }
    }
  }

  paint();
  return form;
}

// withOwn adds the rule's own place or job to the choices if it no longer exists. Otherwise the form would
// change it although the person did not.
function withOwn(names: readonly string[], own: string): readonly string[] {
  return own === '' || names.includes(own) ? names : [...names, own];
}

function button(text: string, icon: string, press: () => void): HTMLButtonElement {
  const b = make('button', { class: 'btn sm', type: 'button', ...(icon === '' ? {} : { icon }) }, text);
  b.onclick = press;
  return b;
}

function labelled(text: string, ...fields: HTMLElement[]): HTMLElement {
  return make('label', {}, make('span', {}, text), ...fields);
}

function choose<T extends string>(
  label: string,
  field: string,
  values: readonly T[],
  value: T,
  text: (value: T) => string,
  change: (value: T) => void,
): HTMLElement {
  const select = make(
    'select',
    { 'data-field': field },
    ...values.map((v) => make('option', { value: v, ...(v === value ? { selected: '' } : {}) }, text(v))),
  );
  select.onchange = () => change(select.value as T);
  return labelled(label, select);
}

function number(
  label: string,
  field: string,
  value: number,
  unit: string,
  least: number,
  most: number,
  change: (value: number) => void,
): HTMLElement {
  return labelled(
    label,
    make('span', { class: 'in' }, numberField(field, value, least, most, change), make('span', {}, unit)),
  );
}

function numberField(field: string, value: number, least: number, most: number, change: (value: number) => void) {
  const input = make('input', {
    class: 'num',
    type: 'text',
    inputmode: 'decimal',
    autocomplete: 'off',
    maxlength: '7',
    'data-field': field,
    value: String(value),
  });
  input.oninput = () => {
    const n = Number(input.value.replace(',', '.'));
    const right = input.value.trim() !== '' && n >= least && n <= most;
    input.setAttribute('aria-invalid', String(!right));
    if (right) change(n);
  };
  return input;
}

// time builds a field for a number with a unit; least is in that unit.
function time(
  label: string,
  field: string,
  seconds: number,
  least: number,
  change: (seconds: number) => void,
): HTMLElement {
  let unit = unitOf(seconds);
  let n = seconds / SECONDS[unit];
  const units = make(
    'select',
    { 'aria-label': words.unit, 'data-field': `${field}-unit` },
    ...(['s', 'min', 'h'] as const).map((u) =>
      make('option', { value: u, ...(u === unit ? { selected: '' } : {}) }, u),
    ),
  );
  const tell = () => change(n * SECONDS[unit]);
  units.onchange = () => {
    unit = units.value as TimeUnit;
    tell();
  };
  const input = numberField(field, n, least, 1000, (value) => {
    n = value;
    tell();
  });
  return make('div', { class: 'time' }, labelled(label, input), units);
}
