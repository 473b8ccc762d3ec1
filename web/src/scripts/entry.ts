// The Scripts tab. It is a script of its own, which the page loads when somebody opens the tab.
import { arrive } from '../context.ts';
import { ScriptsPanel } from './panel.ts';

arrive('scripts', (context) => {
  new ScriptsPanel(context);
});
