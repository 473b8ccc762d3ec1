// The making of a map. It is a script of its own, which the page loads where a map can be made or there is none.
import { mountMapping } from './index.ts';
import { arrive } from '../context.ts';

arrive('mapping', mountMapping);
