// Making a map. A separate script, which the page loads if a map can be made or there is none.
import { mountMapping } from './index.ts';
import { arrive } from '../context.ts';

arrive('mapping', mountMapping);
