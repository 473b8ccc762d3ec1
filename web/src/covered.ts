// The keyboard of a phone covers the bottom of the page, where STOP is, and the browser may move the page up. Meanwhile
// the page takes only the part of the window that is visible.
import { toggle } from './dom.ts';

const LEAST = 100; // px; less is the browser's own bar, which dvh follows

export function mountCovered(app: HTMLElement): void {
  const seen = window.visualViewport;
  if (seen === null) return;
  const fit = () => {
    const high = seen.height * seen.scale; // magnified by two fingers, the page keeps its height
    const covered = document.documentElement.clientHeight - high > LEAST;
    const was = 'covered' in app.dataset;
    if (!covered && !was) return;
    toggle(app, 'covered', covered);
    app.style.setProperty('--high', covered ? `${high}px` : '');
    app.style.translate = covered && seen.scale === 1 ? `0 ${seen.offsetTop}px` : '';
    if (covered && !was) document.activeElement?.scrollIntoView({ block: 'nearest' });
  };
  seen.addEventListener('resize', fit);
  seen.addEventListener('scroll', fit);
}
