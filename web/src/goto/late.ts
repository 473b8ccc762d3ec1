// The script of Go to.
import { mountGoto } from './index.ts';
import { arrive } from '../workshop/bench.ts';

arrive('goto', ({ store, link, stage, voice }) => mountGoto(store, link, stage, voice));
