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
    const items = [...m.people].sort((a, b) => a.order - b.order).map((p) => item(m, p, p.id === m.you));
    // Items that stay are not moved: a press and the focus on one outlast the updates of every second.
    if (items.length === list.children.length && items.every((li, n) => li === list.children[n])) return;
    const focused = list.querySelector<HTMLElement>(':focus');
    list.replaceChildren(...items);
    if (focused) (focused.isConnected ? focused : pick('button', list)).focus();
  };

  // item returns the item of a person: the one that is shown, with new texts, or a new one.
  const item = (m: Readonly<Model>, p: Person, you: boolean): HTMLElement => {
    const kind = you || (hasControl(m) && lendable(m, p).length > 0) ? 't-person-you' : 't-person';
    const li = list.querySelector<HTMLElement>(`[data-id="${p.id}"].${kind}`) ?? clone<HTMLElement>(kind);
    const chip: HTMLElement = li.querySelector('button') ?? li;
    const put = (selector: string, text: string) => setText(pick(selector, chip), text);
    li.dataset['id'] = String(p.id);
    put('i', initials(p.name));
    put('.t', you ? words.people.you : p.name);
    put('small', standing(p, you));
    toggle(chip, 'control', p.control);
    toggle(chip, 'asks', p.asks);
    toggle(chip, 'away', !p.here);
    const line = say(words.people.title, { n: p.order });
    chip.title = [p.name, words.people[p.role], line].filter(Boolean).join(', ');
    if (chip !== li) {
      chip.classList.toggle('you', you);
      put('.vh', say(you ? words.people.rename : loans.choose, { name: p.name }));
      chip.onclick = () => (you ? rename(p, li) : store.set({ lendTo: p.id }));
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
      if (name && name !== p.name) link.rename(name);
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
  const [first, ...others] = name.trim().split(/\s+/);
  const last = others.at(-1) ?? '';
  if (/^\d{1,3}$/.test(last)) return last;
  const letters = [first ?? '', last].map((part) => [...part][0]);
  return letters.join('').toUpperCase() || '?';
}

// standing returns a person's state: in control, away, or the place in line; and the delay of the page. One's
// own delay is in the top bar.
function standing(p: Person, you: boolean): string {
  const place = p.control
    ? words.people.control
    : !p.here
      ? words.people.away
      : p.asks
        ? words.people.asks
        : ordinal(p.order);
  return you || p.rtt_ms === null || !p.here
    ? place
    : `${place} ${say(words.people.delay, { ms: Math.round(p.rtt_ms) })}`;
}

function ordinal(n: number): string {
  return say(words.people.order[n - 1] ?? words.people.order.at(-1) ?? '{n}', { n });
}
