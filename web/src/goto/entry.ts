// The script of Go to.
import { mountGoto } from './tab.ts';
import { arrive } from '../context.ts';

arrive('goto', ({ store, link, stage, voice }) => mountGoto(store, link, stage, voice));
