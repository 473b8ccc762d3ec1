// Deleted: reports a deletion and, for a while, offers to undo it by one press.
import { pick, setText } from '../dom.ts';
import type { Voice } from '../live.ts';

const UNDO_MS = 8000;

export interface Deleted {
  offer(text: string, keys: boolean, back: () => void): void; // keys: Ctrl Z does the same
  hide(): void;
}

export function mountDeleted(voice: Voice): Deleted {
  const root = pick('#job-deleted');
  let timer = 0;

  function hide(): void {
    clearTimeout(timer);
    if (root.contains(document.activeElement)) pick('#tab-jobs').focus();
    root.hidden = true;
  }

  return {
    hide,
    offer(text, keys, back) {
      setText(pick('.t', root), text);
      pick('button', root).onclick = () => {
        hide();
        back();
      };
      pick('kbd', root).hidden = !keys;
      root.hidden = false;
      clearTimeout(timer);
      timer = window.setTimeout(hide, UNDO_MS);
      voice.say(text);
    },
  };
}
