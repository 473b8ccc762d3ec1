// Dark or light: the system's theme until the button is used.
import { QUERY, shown } from './shown.ts';
import type { Store, Theme } from '../store.ts';
import { words } from '../words.ts';

export function mountTheme(button: HTMLElement, store: Store): void {
  const use = button.querySelector('use') as SVGUseElement;
  const show = () => {
    const { theme } = store.get();
    const other = theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', theme === 'dark' ? '#0f151e' : '#ffffff');
    use.setAttribute('href', theme === 'dark' ? '#i-sun' : '#i-moon');
    button.title = other === 'light' ? words.theme.light : words.theme.dark;
  };
  button.onclick = () => {
    const { theme, prefs } = store.get();
    const other: Theme = theme === 'dark' ? 'light' : 'dark';
    store.set({ theme: other, prefs: { ...prefs, theme: other } });
  };
  matchMedia(QUERY).addEventListener('change', () => {
    const { prefs } = store.get();
    store.set({ theme: shown(prefs.theme) });
  });
  store.subscribe((m, before) => {
    if (m.theme !== before.theme) show();
  });
  show();
}
