// Network: the impairment of the simulator's network, for all users.
import { hide, pick, setText } from '../dom.ts';
import { mayAct, type Model } from '../store.ts';
import { delay as words } from '../../strings.json';
import { say } from '../words.ts';
import type { Context } from '../context.ts';

const UNITS = { rtt: 'ms', jitter: 'ms', loss: '%', stall: 's' } as const;
type Field = keyof typeof UNITS;

// profileOf formats the fields as the robot parses them; empty fields are no impairment.
export function profileOf(values: Readonly<Record<Field, string>>): string {
  const set = (Object.keys(UNITS) as Field[]).filter((f) => values[f].trim() !== '');
  return set.map((f) => `${f}=${values[f].trim().replace(/\s*(-|–|\.\.)\s*/, '..')}${UNITS[f]}`).join(',') || 'off';
}

const MOST: Readonly<Record<Field, number>> = { rtt: 10_000, jitter: 5_000, loss: 100, stall: 60 };
const TITLES: Readonly<Record<Field, string>> = {
  rtt: words.fieldRtt,
  jitter: words.fieldJitter,
  loss: words.fieldLoss,
  stall: words.fieldStall,
};

// faultOf says which field is wrong, and what would be right; empty if all are right.
export function faultOf(values: Readonly<Record<Field, string>>): string {
  for (const f of Object.keys(UNITS) as Field[]) {
    const parts = f === 'stall' ? values[f].split(/-|–|\.\./) : [values[f]];
    if (values[f].trim() === '') continue;
    const right = parts.length <= 2 && parts.every((p) => /^\d+(\.\d+)?$/.test(p.trim()) && Number(p) <= MOST[f]);
    if (!right) return say(f === 'stall' ? words.wrongStall : words.wrong, { field: TITLES[f], most: MOST[f] });
  }
  return '';
}

// fieldsOf parses such a profile.
export function fieldsOf(profile: string): Record<Field, string> {
  const of = (f: Field) => new RegExp(`(?:^|,)${f}=([^,]*)`).exec(profile)?.[1] ?? '';
  return {
    rtt: msOf(of('rtt')),
    jitter: msOf(of('jitter')),
    loss: of('loss').replace('%', ''),
    stall: of('stall').replaceAll(/m?s/g, (u) => (u === 's' ? '' : u)),
  };
}

// msOf converts a time such as 1.2s to ms.
function msOf(text: string): string {
  const [, n, unit] = /^([\d.]+)(ms|s|µs)$/.exec(text) ?? [];
  return n === undefined
    ? text
    : String(Number((Number(n) * (unit === 's' ? 1000 : unit === 'ms' ? 1 : 0.001)).toFixed(3)));
}

// nameOf returns the name of a profile for people: the preset's name and its round trip, or the round trip,
// jitter, loss and stalls.
export function nameOf(profile: string, preset: string): string {
  const { rtt, jitter, loss, stall } = fieldsOf(profile);
  const name = (words.networks as Record<string, string>)[preset];
  if (name !== undefined) return say(words.networkOf, { name, ms: rtt });
  const parts: string[] = [];
  if (Number(rtt) > 0) parts.push(say(words.bentRtt, { ms: rtt }));
  if (Number(jitter) > 0) parts.push(say(words.bentJitter, { ms: jitter }));
  const burst = Number(msOf(/(?:^|,)burst=([^,]*)/.exec(profile)?.[1] ?? '')) / 1000;
  if (Number(loss) > 0)
    parts.push(burst > 0 ? say(words.bentBursts, { percent: loss, s: burst }) : say(words.bentLoss, { percent: loss }));
  if (stall !== '') parts.push(say(words.bentStall, { s: stall.replace('..', '–') }));
  return parts.join(', ');
}

// mountNetwork binds the network menu of the delay card, which only a simulator has.
export function mountNetwork({ store, link }: Context): void {
  const menu = pick('#net');
  const form = pick<HTMLFormElement>('form', menu);
  const says = pick('p', form);
  const inputs = [...form.querySelectorAll('input')];
  const presets = [...form.querySelectorAll<HTMLButtonElement>('[value]')];

  function bend(profile: string): void {
    void link.ask({ type: 'link', profile }).then((answer) => {
      if (answer.word !== 'SUCCESS') setText(says, answer.reason);
    });
  }

  for (const b of presets) b.onclick = () => bend(b.value);
  form.onsubmit = (e) => {
    e.preventDefault();
    const values = Object.fromEntries(inputs.map((i) => [i.name, i.value])) as Record<Field, string>;
    const fault = faultOf(values);
    if (fault === '') bend(profileOf(values));
    else setText(says, fault);
  };

  let told: Model['bent'] = null;
  const show = (m: Readonly<Model>) => {
    hide(menu, !m.simulator);
    const off = !mayAct(m);
    for (const b of form.querySelectorAll('button')) b.disabled = off;
    if (m.bent === told || m.bent === null) return;
    told = m.bent;
    const { name, profile } = told;
    for (const b of presets) b.setAttribute('aria-pressed', String(b.value === (name || profile)));
    const fields = fieldsOf(profile);
    for (const i of inputs) i.value = fields[i.name as Field] ?? '';
    setText(says, profile === 'off' ? words.straight : say(words.bent, { profile: nameOf(profile, name) }));
  };
  store.subscribe(show);
  show(store.get());
}
