// The people row: everybody in order of connection; a press on your own name lets you change it.
import type { Context } from '../context.ts';
import type { Model } from '../store.ts';
import { clone, pick, setText, toggle } from '../dom.ts';
import { say, words } from '../words.ts';
import type { Person } from '../wire.ts';

const MOST = 24; // letters

export function mountPeople({ store, link }: Context): void {
  const list = pick('#people');
  let renaming = false;

  const show = (m: Readonly<Model>) => {
    if (renaming) return; // the row waits for the person who types in it
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...[...m.people].sort((a, b) => a.order - b.order).map((p) => item(p, p.id === m.you)));
    if (focused) pick('button', list).focus();
  };

  const item = (p: Person, you: boolean): HTMLElement => {
    const li = clone(you ? 't-person-you' : 't-person');
    const chip = you ? pick('button', li) : li;
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
    if (m.people !== before.people || m.you !== before.you) show(m);
  });
  show(store.get());
}

// initials tell people apart: Guest 12 is 12, Ana Maria is AM.
export function initials(name: string): string {
  const parts = name.trim().split(/\s+/);
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && /^\d{1,3}$/.test(last)) return last;
  const letter = (part: string | undefined) => [...(part ?? '')][0] ?? '';
  return (letter(parts[0]) + (parts.length > 1 ? letter(last) : '')).toUpperCase() || '?';
}

// standing is what a person is to the robot now: in control, away, or the place in line; and how far away the page is.
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
