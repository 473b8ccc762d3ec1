// Context: what the page hands to the scripts that it loads when they are first needed, and how they are loaded.
import type { Prediction } from './drive/pilot.ts';
import type { Link } from './link/index.ts';
import type { Voice } from './live.ts';
import type { Stage } from './map/stage.ts';
import type { Store } from './store.ts';
import { words } from './words.ts';

export interface Context {
  store: Store;
  link: Link;
  stage: Stage;
  voice: Voice;
  predicted: () => Prediction | null; // how far the virtual robot is ahead of the robot
}

export type Mount = (context: Context) => void;

// arrive is how such a script says that it has come: host is the element that names its files.
export function arrive(host: string, mount: Mount): void {
  document.dispatchEvent(new CustomEvent(host, { detail: mount }));
}

// tellMissing says that a script did not come.
export function tellMissing({ store }: Context): void {
  store.toast(words.workshop.failed, 'ERROR');
}

// loader returns what loads the script and, if there is one, the style sheet that an element names, once; then is done when
// they have come, and failed when they did not.
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

// hasDraft tells whether something waits under a name in this tab to be saved.
export function hasDraft(name: string): boolean {
  try {
    return sessionStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

// DRAFT is where the map editor keeps what is not saved, in this tab; JOB is where the job does.
export const DRAFT = 'mybot.mapedit';
export const JOB = 'mybot.job';
