// Context: what the page passes to the scripts that it loads on demand, and how it loads them.
import type { Prediction } from './drive/pilot.ts';
import type { Link } from './link/index.ts';
import type { Voice } from './live.ts';
import type { Stage } from './map/stage.ts';
import type { Store } from './store.ts';
import { readTabItem } from './tab-storage.ts';
import type { Floorplan } from './wire.ts';
import { words } from './words.ts';

export interface Context {
  store: Store;
  link: Link;
  stage: Stage;
  voice: Voice;
  predicted: () => Prediction | null; // the virtual robot's lead over the robot
}

export type Mount = (context: Context) => void;

// arrive is called by such a script once it has loaded: host is the element that names its files.
export function arrive(host: string, mount: Mount): void {
  document.dispatchEvent(new CustomEvent(host, { detail: mount }));
}

// tellMissing reports that a script did not load.
export function tellMissing({ store }: Context): void {
  store.toast(words.workshop.failed, 'ERROR');
}

// loader returns a function that loads, once, the script and any style sheet that an element names. Then it
// calls done or, if that fails, failed.
export function loader(
  host: HTMLElement,
  context: Context,
  failed = () => tellMissing(context),
): (then?: () => void) => void {
  let loaded = false;
  return (then) => {
    if (loaded) return;
    loaded = true;
    const style = document.createElement('link');
    const script = document.createElement('script');
    document.addEventListener(
      host.id,
      (e) => {
        const mount = () => {
          ((e as CustomEvent).detail as Mount)(context);
          then?.();
        };
        if (style.sheet || !style.isConnected) mount();
        else style.onload = style.onerror = mount;
      },
      { once: true },
    );
    style.rel = 'stylesheet';
    style.href = host.dataset['style'] ?? '';
    script.src = host.dataset['script'] ?? '';
    script.onerror = () => {
      loaded = false;
      script.remove();
      style.remove();
      failed();
    };
    document.head.append(...(host.dataset['style'] ? [style] : []), script);
  };
}

// hasDraft reports whether this tab stores an unsaved draft under a name.
export function hasDraft(name: string): boolean {
  try {
    return sessionStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

// readMapDraft returns the unsaved edits of a floor that this tab stores, with the floor as floorOf names it;
// null if there are none, or if they are of another floor.
export function readMapDraft(plan: Floorplan): unknown {
  const draft = readTabItem(DRAFT) as { floor?: string } | null;
  return (draft?.floor ?? floorOf(plan)) === floorOf(plan) ? draft : null; // an earlier page stored no floor
}

// floorOf tells floors apart: maps of the same name cover different areas.
export function floorOf({ name, bounds }: Floorplan): string {
  return JSON.stringify([name, bounds]);
}

// DRAFT is the key under which the map editor stores unsaved edits in this tab; JOB is that of the job
// editor.
export const DRAFT = 'mybot.mapedit';
export const JOB = 'mybot.job';
