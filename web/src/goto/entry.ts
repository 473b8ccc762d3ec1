// The script of Go to.
import { GotoTab } from './tab.ts';
import { arrive } from '../context.ts';

arrive('goto', (context) => void new GotoTab(context));
