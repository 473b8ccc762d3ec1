// The people row: all users in order of connection. A press on one's own name edits it; on another's, the
// person in control can lend a part of the robot.
import { loans } from '../../strings.json';
import type { Context } from '../context.ts';
import { lendable } from '../loans/lendable.ts';
import { hasControl, type Model } from '../store.ts';
import { clone, pick, setText, toggle } from '../dom.ts';
import { say, words } from '../words.ts';
import type { Person } from '../wire.ts';

const MOST = 24; // letters

export function mountPeople({ store, link }: Context): void {
  const list = pick('#people');
  let renaming = false;

  const show = (m: Readonly<Model>) => {
    if (renaming) return; // no update while a person types
    const focused = document.activeElement?.closest<HTMLElement>('#people li')?.dataset['id'];
    list.replaceChildren(...[...m.people].sort((a, b) => a.order - b.order).map((p) => item(m, p, p.id === m.you)));
    if (focused)
      (list.querySelector<HTMLElement>(`[data-id="${focused}"] button`) ?? pick<HTMLElement>('button', list)).focus();
  };

  const item = (m: Readonly<Model>, p: Person, you: boolean): HTMLElement => {
    const lends = !you && hasControl(m) && lendable(m, p).length > 0;
    const li = clone(you || lends ? 't-person-you' : 't-person');
    const chip = you || lends ? pick('button', li) : li;
    li.dataset['id'] = String(p.id);
    setText(pick('i', chip), initials(p.name));
    setText(pick('.t', chip), you ? words.people.you : p.name);
    setText(pick('small', chip), you ? standing({ ...p, rtt_ms: null }) : standing(p)); // one's own delay is in the top bar
    toggle(chip, 'control', p.control);
    toggle(chip, 'asks', p.asks);
    toggle(chip, 'away', !p.here);
    chip.title = say(words.people.title, { name: p.name, role: words.people[p.role] ?? '', n: p.order });
    if (you) {
      setText(pick('.vh', chip), say(words.people.rename, { name: p.name }));
      chip.onclick = () => rename(p, li);
    } else if (lends) {
      chip.classList.remove('you');
      setText(pick('.vh', chip), say(loans.choose, { name: p.name }));
      chip.onclick = () => store.set({ lendTo: p.id });
    }
    return li;
  };

  const rename = (p: Person, li: HTMLElement) => {
    renaming = true;
    const form = clone('t-rename');
    const input = pick<HTMLInputElement>('input', form);
    input.value = p.name;
    const end = (name: string) => {
      if (!renaming) return;
      renaming = false;
      if (name !== '' && name !== p.name) link.rename(name);
      show(store.get());
      pick('button', list).focus();
    };
    pick<HTMLFormElement>('form', form).onsubmit = (e) => {
      e.preventDefault();
      end([...input.value.trim()].slice(0, MOST).join(''));
    };
    input.onkeydown = (e) => {
      if (e.key === 'Escape') end('');
    };
    input.onblur = () => end('');
    li.replaceWith(form);
    input.select();
  };

  store.subscribe((m, before) => {
    if (m.people !== before.people || m.you !== before.you || m.holder !== before.holder) show(m);
  });
  show(store.get());
}

// initials abbreviates names: Guest 12 is 12, Ana Maria is AM.
export function initials(name: string): string {
  const parts = name.trim().split(/\s+/);
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && /^\d{1,3}$/.test(last)) return last;
  const letter = (part: string | undefined) => [...(part ?? '')][0] ?? '';
  return (letter(parts[0]) + (parts.length > 1 ? letter(last) : '')).toUpperCase() || '?';
}

// standing returns a person's state: in control, away, or the place in line; and the delay of the page.
function standing(p: Person): string {
  const place = p.control
    ? words.people.control
    : !p.here
      ? words.people.away
      : p.asks
        ? words.people.asks
        : ordinal(p.order);
  return p.rtt_ms === null || !p.here ? place : `${place} ${say(words.people.delay, { ms: Math.round(p.rtt_ms) })}`;
}

function ordinal(n: number): string {
  return say(words.people.order[n - 1] ?? words.people.order.at(-1) ?? '{n}', { n });
}
