// The entry of the Scripts tab's own bundle, which the page loads when a person first opens the tab.
import { arrive } from '../context.ts';
import { ScriptsPanel } from './panel.ts';

arrive('scripts', (context) => {
  new ScriptsPanel(context);
});
