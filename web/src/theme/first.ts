// Runs before the first paint, so that a light page is never dark for a moment.
import { loadPrefs } from '../prefs.ts';
import { shown } from './shown.ts';

document.documentElement.dataset.theme = shown(loadPrefs().theme);

// iOS magnifies the page when a field with small text gets the focus, and leaves it so, with STOP out of sight. With a
// maximum it does not; two fingers magnify the page there all the same.
if (CSS.supports('-webkit-touch-callout', 'none'))
  document.querySelector<HTMLMetaElement>('meta[name=viewport]')!.content += ',maximum-scale=1';
