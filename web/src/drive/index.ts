// Driving by hand: keys, the stick on the screen, a gamepad or step buttons.
import { Driver } from './driver.ts';
import { mountGhost } from './ghost.ts';
import { DrivePanel } from './panel.ts';
import type { Prediction } from './pilot.ts';
import { pick } from '../dom.ts';
import type { Link } from '../link/index.ts';
import type { Stage } from '../map/stage.ts';
import { now, type Store } from '../store.ts';

// mountDrive binds the elements of DrivePanel in root for as long as the page lives. It returns a function
// with the virtual robot's lead over the robot, null while no one drives; the canvas has the same as
// "predicted", for tests.
export function mountDrive(root: HTMLElement, store: Store, link: Link, stage: Stage): () => Prediction | null {
  const driver: Driver = new Driver(root, store, link, stage, () => panel.paint());
  const panel = new DrivePanel(root, store, driver);
  driver.start();
  panel.paint();
  mountGhost(store, stage, driver.pilot);
  const predicted = () => driver.pilot.predict(store.get(), now());
  Object.assign(pick('#map'), { predicted });
  return predicted;
}
