// A person who stops the robot again and again: the person in control may remove that device. STOP itself
// always works for everyone.
import type { Context } from '../context.ts';
import { hasControl, type Model, personOf } from '../store.ts';
import { focusPanel, pick, setText } from '../dom.ts';
import { say, words } from '../words.ts';

const LASTS_MS = 60_000; // later the robot would refuse it

// mountStopper binds the elements of stopperCard.
export function mountStopper({ store, voice }: Context): void {
  const card = pick('#stopper');
  const [remove, keep] = [pick<HTMLButtonElement>('.drop', card), pick<HTMLButtonElement>('.keep', card)];
  let timer = 0;

  const close = () => store.set({ stopper: null });
  keep.onclick = close;
  remove.onclick = async () => {
    const { stopper } = store.get();
    if (!stopper) return;
    remove.disabled = true;
    const refused = await send(stopper.device);
    remove.disabled = false;
    if (!refused) store.toast(say(words.stopper.done, { name: stopper.name }), 'SUCCESS');
    else store.toast(refused, 'ERROR');
    if (store.get().stopper === stopper) close();
  };

  const show = ({ stopper }: Readonly<Model>, before?: Readonly<Model>) => {
    // The next Enter is not about another device.
    if (stopper?.device !== before?.stopper?.device && card.contains(document.activeElement)) focusPanel();
    card.hidden = !stopper;
    clearTimeout(timer);
    if (!stopper) return;
    const { name, stops } = stopper;
    const title = say(words.stopper.title, { name, n: stops });
    setText(pick('h2', card), title);
    setText(remove, say(words.stopper.remove, { name }));
    voice.say(title);
    timer = window.setTimeout(close, LASTS_MS);
  };
  store.subscribe((m, before) => {
    if (m.stopper !== before.stopper) show(m, before);
    else if (m.stopper && isOver(m)) close();
  });
  show(store.get());
}

// isOver: this person can no longer remove the device, or it has left.
function isOver(m: Readonly<Model>): boolean {
  return !hasControl(m) || (!!m.stopper?.id && !personOf(m, m.stopper.id));
}

// send ends the access of the device on the robot. It returns an empty text, or why not.
async function send(device: string): Promise<string> {
  try {
    const answer = await fetch(`/api/v1/people/${encodeURIComponent(device)}`, { method: 'DELETE' });
    return answer.ok ? '' : (await answer.text()).trim() || words.share.failed;
  } catch {
    return words.share.failed;
  }
}
