// The workshop: the map editor what a person does to the simulated world, and the motions. It is a script of its own, which the page loads when one of them is
// wanted.
import { arrive } from '../context.ts';
import { MapEditor } from '../mapedit/editor.ts';
import { mountSavePlace } from '../mapedit/save-place.ts';
import { mountMotions } from '../motions/index.ts';
import { mountRecordings } from '../recordings/index.ts';
import { mountWorld } from '../world/index.ts';

arrive('workshop', (context) => {
  new MapEditor(context);
  mountSavePlace(context);
  mountWorld(context);
  mountMotions(context);
  mountRecordings(context);
});
