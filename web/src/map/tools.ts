// Tools: the buttons, legend, layers and scale on the map.
import { LAYERS } from './layers.ts';
import { pick, setText } from '../dom.ts';

// Mode is what the view follows: the robot, the whole floor, or nothing.
const MODES = ['follow', 'floor', 'free'] as const;
export type Mode = (typeof MODES)[number];

export function isMode(mode: unknown): mode is Mode {
  return (MODES as readonly unknown[]).includes(mode);
}

export interface Tools {
  show(mode: Mode, robot: boolean): void;
  measure(metres: number, scale: number): void;
  onAct(f: (name: string) => void): void;
  onLayer(first: Readonly<Record<string, boolean>>, f: (layer: string, on: boolean) => void): void;
}

// findTools binds the elements of MapTools.
export function findTools(region: HTMLElement): Tools {
  const one = <E extends HTMLElement>(selector: string) => pick<E>(selector, region);
  const bar = one('.tools');
  const back = one('.torobot');
  const scaleBar = one('.scale');
  const scaleText = one('.scale span');
  const layersButton = one<HTMLButtonElement>('[data-map=layers]');
  const menu = one('.layers');
  const legend = one<HTMLDetailsElement>('.legend');
  const wide = matchMedia('(min-width: 1100px)');
  const fold = () => {
    legend.open = wide.matches;
  };
  wide.addEventListener('change', fold);
  fold();
  const buttons = () => [...bar.querySelectorAll<HTMLButtonElement>('button')].filter((b) => b.offsetParent !== null);
  let shownScale = '';

  const open = (on: boolean) => {
    menu.hidden = !on;
    layersButton.setAttribute('aria-expanded', String(on));
  };
  layersButton.addEventListener('click', () => open(menu.hidden));
  region.addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || menu.hidden) return;
    open(false);
    layersButton.focus();
    e.stopPropagation();
  });
  menu.addEventListener('focusout', ({ relatedTarget: to }) => {
    if (to instanceof Node && !menu.contains(to) && !layersButton.contains(to)) open(false);
  });
  document.addEventListener('pointerdown', (e) => {
    if (!(e.target instanceof Node)) return;
    if (!menu.hidden && !menu.contains(e.target) && !layersButton.contains(e.target)) open(false);
    if (!wide.matches && !legend.contains(e.target)) legend.open = false;
  });
  // Arrows move inside the toolbar; Tab enters and leaves it.
  const rove = (to: HTMLButtonElement | undefined) => {
    for (const b of bar.querySelectorAll('button')) b.tabIndex = b === to ? 0 : -1;
  };
  bar.addEventListener('keydown', (e) => {
    const all = buttons();
    const i = all.findIndex((b) => b === document.activeElement);
    const d =
      e.key === 'ArrowDown' || e.key === 'ArrowRight' ? 1 : e.key === 'ArrowUp' || e.key === 'ArrowLeft' ? -1 : 0;
    if (d === 0 || i < 0) return;
    e.preventDefault();
    const to = all[(i + d + all.length) % all.length];
    rove(to);
    to?.focus();
  });
  rove(buttons()[0]);
  const press = (name: string, on: boolean) =>
    bar.querySelector(`[data-map=${name}]`)?.setAttribute('aria-pressed', String(on));

  return {
    show(mode, robot) {
      press('move', mode === 'free');
      press('follow', mode === 'follow');
      press('floor', mode === 'floor');
      back.hidden = mode !== 'free' || !robot;
    },
    measure(metres, scale) {
      const text = `${metres} m ${Math.round(metres * scale)}`;
      if (text === shownScale) return;
      shownScale = text;
      setText(scaleText, `${metres} m`);
      scaleBar.style.setProperty('--bar', `${Math.round(metres * scale)}px`);
    },
    onAct(f) {
      region.addEventListener('click', (e) => {
        const name =
          e.target instanceof Element ? e.target.closest<HTMLElement>('[data-map]')?.dataset['map'] : undefined;
        if (name !== undefined) f(name);
      });
    },
    onLayer(first, f) {
      for (const layer of LAYERS) {
        const box = one<HTMLInputElement>(`[data-layer=${layer}]`);
        box.checked = first[layer] === true;
        box.addEventListener('change', () => f(layer, box.checked));
      }
    },
  };
}
