// Menu: a list of actions beside a button. The arrow keys move in it; Esc, Tab and a press elsewhere close
// it.
import { clone, pick, setIcon, setText } from '../dom.ts';

export interface Deed {
  icon: string;
  text: string;
  keys?: string;
  off?: boolean; // it is disabled
  act: () => void;
}

export type Menu = (anchor: HTMLElement, title: string, deeds: readonly Deed[]) => void;

export function mountMenu(): Menu {
  const menu = pick('#job-menu');
  let opener: HTMLElement | null = null;

  const items = () => [...menu.querySelectorAll<HTMLButtonElement>('button:not([disabled])')];

  function close(back: boolean): void {
    if (menu.hidden) return;
    menu.hidden = true;
    opener?.removeAttribute('aria-expanded');
    if (back) opener?.focus();
    opener = null;
  }

  menu.onkeydown = (e) => {
    const all = items();
    const i = all.findIndex((b) => b === document.activeElement);
    const to = {
      ArrowDown: (i + 1) % all.length,
      ArrowUp: (i - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[e.key];
    if (to !== undefined) all[to]?.focus();
    else if (e.key === 'Escape' || e.key === 'Tab') close(true);
    else return;
    if (e.key !== 'Escape') e.preventDefault(); // Esc also counts for STOP
  };
  document.addEventListener(
    'pointerdown',
    (e) => {
      if (!menu.hidden && !(e.target instanceof Node && (menu.contains(e.target) || opener?.contains(e.target))))
        close(false);
    },
    { capture: true },
  );
  addEventListener('resize', () => close(false));
  addEventListener('scroll', () => close(false), { capture: true, passive: true });

  return (anchor, title, deeds) => {
    if (!menu.hidden && opener === anchor) {
      close(true);
      return;
    }
    close(false);
    opener = anchor;
    anchor.setAttribute('aria-expanded', 'true');
    menu.setAttribute('aria-label', title);
    menu.replaceChildren(
      ...deeds.map((d) => {
        const b = clone<HTMLButtonElement>('t-job-item');
        setIcon(b, d.icon);
        setText(pick('span', b), d.text);
        setText(pick('kbd', b), d.keys ?? '');
        b.disabled = d.off ?? false;
        b.onclick = () => {
          close(true);
          d.act();
        };
        return b;
      }),
    );
    menu.hidden = false;
    // It opens below the button, or above if the panel ends there.
    const at = anchor.getBoundingClientRect();
    const panel = pick('#side').getBoundingClientRect();
    const end = (pick('.mstop').getBoundingClientRect().top || innerHeight) - 4;
    const { offsetWidth: w, offsetHeight: h } = menu;
    const top = at.bottom + 4 + h <= end ? at.bottom + 4 : Math.max(8, at.top - 4 - h);
    menu.style.setProperty(
      '--x',
      `${Math.max(panel.width > 0 ? panel.left + 4 : 8, Math.min(at.right - w, innerWidth - w - 8))}px`,
    );
    menu.style.setProperty('--y', `${Math.min(top, end - h)}px`);
    items()[0]?.focus();
  };
}
