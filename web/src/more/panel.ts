// The sheet of a phone for what does not fit on its map: its buttons press those of the wide page.
import { pick, setText, toggle } from '../dom.ts';
import { mountSheet } from '../sheet.ts';
import { arrive } from '../context.ts';

// ONCE are the buttons after which the sheet closes, because the person wants to see something else.
const ONCE = '#help, [data-map=floor], [data-eye=swap], [data-eye=full]';

arrive('more', ({ store }) => {
  const sheet = pick<HTMLDialogElement>('#more');
  const delay = pick('#delay');
  const home = delay.nextSibling;
  const panel = pick('#drive');
  const parts = pick('#parts');
  const body = pick('#body');
  const layers = mountLayers();
  const presses = [...sheet.querySelectorAll<HTMLButtonElement>('[data-press]')].map((button) => {
    const of = pick<HTMLButtonElement>(button.dataset['press'] ?? '');
    button.onclick = () => {
      of.click();
      if (of.matches(ONCE) && sheet.open && !of.matches('#help')) sheet.close();
      show();
    };
    return { button, of };
  });

  function show(): void {
    pick('#more-eye').hidden = pick('#eye').hidden;
    for (const { button, of } of presses) {
      button.disabled = of.disabled;
      button.hidden = of.hidden;
      const on = of.getAttribute('aria-pressed') ?? of.getAttribute('aria-checked');
      if (on !== null) button.setAttribute('aria-pressed', on);
    }
    pick('use', pick('[data-press="#theme"]', sheet)).setAttribute(
      'href',
      store.get().theme === 'dark' ? '#i-sun' : '#i-moon',
    );
    layers();
  }

  mountSheet(store, sheet, pick('#more-open'), () => {
    pick('#more-delay').append(delay);
    pick('#more-delay').before(parts);
    toggle(pick('#app'), 'more', true);
    show();
  });
  sheet.addEventListener('close', () => {
    panel.insertBefore(delay, home);
    body.append(parts);
    toggle(pick('#app'), 'more', false);
  });
  store.subscribe(() => {
    if (sheet.open) show();
  });

  // mountLayers copies the legend and the layers of the map, operates their switches, and returns a
  // function that updates the copies.
  function mountLayers(): () => void {
    const legend = document.createElement('div');
    const title = document.createElement('h3');
    const copy = pick('#layers').cloneNode(true) as HTMLElement;
    copy.removeAttribute('id');
    copy.hidden = false;
    legend.className = 'legend';
    title.className = 'h';
    setText(title, pick('.legend ul').getAttribute('aria-label') ?? '');
    legend.append(title, pick('.legend ul').cloneNode(true));
    pick('#more-map').append(copy, legend);
    const boxes = [...copy.querySelectorAll<HTMLInputElement>('[data-layer]')].map((box) => {
      const of = pick<HTMLInputElement>(`#layers [data-layer=${box.dataset['layer']}]`);
      box.onchange = () => of.click();
      return { box, of };
    });
    return () => {
      for (const { box, of } of boxes) box.checked = of.checked;
    };
  }
});
