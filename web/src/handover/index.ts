// Handing over control: the card that waits for an answer, and the form for a request. Neither is modal.
import { cardOf } from './view.ts';
import type { Context } from '../context.ts';
import { COUNT_MS, focusPanel, hide, pick, setText } from '../dom.ts';
import type { Link } from '../link/index.ts';
import type { Voice } from '../live.ts';
import { hasControl, type Model, now, ownAsk, type Store } from '../store.ts';

const LOOK = 0.5; // s; a click so soon after a card has gone was meant for it, not for the next one

export function mountHandover({ store, link, voice }: Context): void {
  mountCard(store, link, voice);
  mountAsk(store, link);
}

function mountCard(store: Store, link: Link, voice: Voice): void {
  const element = pick('#handover');
  const who = pick('.who', element);
  const yes = pick<HTMLButtonElement>('.two .pri', element);
  const no = pick<HTMLButtonElement>('.two .btn:not(.pri)', element);
  let shown = '';
  let gone = 0; // when the last card went, page time

  const show = (m: Readonly<Model>) => {
    const card = cardOf(m, now());
    const key = card?.key ?? '';
    const other = key !== shown;
    if (other && shown) gone = now();
    shown = key;
    if (other && element.contains(document.activeElement)) focusPanel(); // the next Enter is not about another person
    hide(element, !card);
    if (!card) return;
    who.hidden = !card.initial;
    setText(who, card.initial);
    setText(pick('h2', element), card.title);
    setText(pick('.quote', element), card.quote);
    setText(pick('.note', element), card.note);
    element.style.setProperty('--left', card.left.toFixed(3));
    for (const [button, answer] of [
      [yes, card.yes],
      [no, card.no],
    ] as const) {
      setText(button, answer.text);
      button.disabled = !m.socket;
      button.onclick = () => {
        if (now() - gone > LOOK) link.control(answer.action, card.to === null ? {} : { to: card.to });
      };
    }
    if (other) voice.say([card.title, card.quote].filter(Boolean).join('. '));
  };
  store.subscribe(show);
  setInterval(() => {
    if (!element.hidden) show(store.get());
  }, COUNT_MS);
  show(store.get());
}

function mountAsk(store: Store, link: Link): void {
  const form = pick<HTMLFormElement>('#ask');
  const reason = pick<HTMLInputElement>('input', form);
  let opener: HTMLElement | undefined;
  const close = () => {
    if (form.contains(document.activeElement)) focusPanel();
    store.set({ asking: false });
  };
  form.onsubmit = (e) => {
    e.preventDefault();
    link.control('request', { reason: reason.value.trim() });
    close();
  };
  const cancel = () => {
    close();
    opener?.focus();
  };
  pick<HTMLButtonElement>('button[type=button]', form).onclick = cancel;
  form.onkeydown = (e) => {
    if (e.key === 'Escape') cancel();
  };
  // Reports whether this person may still request control, which may have come, gone or been requested
  // meanwhile.
  const may = (m: Readonly<Model>) =>
    m.holder !== null && !hasControl(m) && !m.elsewhere && m.role !== 'observer' && m.offer === null && !ownAsk(m);
  store.subscribe((m) => {
    if (m.asking && !may(m)) close();
    else if (form.hidden === m.asking) {
      form.hidden = !m.asking;
      if (m.asking) {
        reason.value = '';
        opener = document.activeElement as HTMLElement;
        reason.focus();
      }
    }
  });
}
