// The workshop: the map editor, the simulated world, and the motions. A separate script, which the page
// loads when one of them is needed.
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
