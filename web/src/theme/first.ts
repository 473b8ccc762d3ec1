// Runs before the first paint, so that a light page is never dark for a moment.
import { loadPrefs } from '../prefs.ts';
import { shown } from './shown.ts';

document.documentElement.dataset.theme = shown(loadPrefs().theme);
