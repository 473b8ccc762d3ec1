// Parts that the first paint of the page and driving do not need: handover of control, people, log, keys,
// delay. Their script loads right after the page's own.
import { arrive } from '../context.ts';
import { mountDelay } from '../delay/index.ts';
import { mountLinkCard } from '../delay/link-card.ts';
import { mountNetwork } from '../delay/network.ts';
import { mountHandover } from '../handover/index.ts';
import { mountLidar } from '../lidar/index.ts';
import { mountLog } from '../log/index.ts';
import { mountPeople } from '../people/index.ts';
import { loadPlayback } from '../playback/load.ts';
import { mountShortcuts } from '../shortcuts/index.ts';
import { mountStopper } from '../stopper/index.ts';

arrive('cards', (context) => {
  mountPeople(context);
  mountLidar(context);
  mountLog(context);
  mountHandover(context);
  mountStopper(context);
  mountShortcuts(context);
  mountDelay(context);
  mountLinkCard(context);
  mountNetwork(context);
  loadPlayback(context);
});
