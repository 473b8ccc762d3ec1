// Bench: what the tools of the workshop work with. The page hands it over when they have come.
import type { Link } from '../link/index.ts';
import type { Voice } from '../live.ts';
import type { Stage } from '../map/stage.ts';
import type { Store } from '../store.ts';

export interface Bench {
  store: Store;
  link: Link;
  stage: Stage;
  voice: Voice;
}

// ARRIVED is the event with which they come: its detail is a Mount.
export const ARRIVED = 'mybot:workshop';
export type Mount = (bench: Bench) => void;

// DRAFT is where the map editor keeps what is not saved, in this tab.
export const DRAFT = 'mybot.mapedit';
