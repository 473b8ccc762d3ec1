// The paired devices, for an admin, who can revoke the access of each, alone or with all devices that came
// by its links.
import { broodOf, type Device } from './view.ts';
import { devices as words, share } from '../../strings.json';
import { clone, pick, setText } from '../dom.ts';
import type { Store } from '../store.ts';
import { say } from '../words.ts';

const ADDRESS = '/api/v1/users';

// mountDevices returns a function that updates the list.
export function mountDevices(store: Store): () => Promise<void> {
  const part = pick('#devices');
  const list = pick('ul', part);
  let all: Device[] = [];

  // ask sends a request to the robot; null: the robot refused, and the page shows that.
  async function ask(path: string, method: string): Promise<unknown> {
    try {
      const answer = await fetch(path, { method });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text) as unknown;
      store.toast(text.trim() || share.failed, 'ERROR');
    } catch {
      store.toast(share.failed, 'ERROR');
    }
    return null;
  }

  async function show(): Promise<void> {
    const told = (await ask(ADDRESS, 'GET')) as { users: Device[] } | null;
    if (told === null) return;
    all = told.users;
    list.replaceChildren(...all.map(rowOf));
  }

  function rowOf(device: Device): HTMLElement {
    const li = clone('t-device');
    setText(pick('b', li), device.name || device.id);
    setText(pick('small', li), words[device.role as 'observer'] ?? device.role);
    const revoke = pick<HTMLButtonElement>('button', li);
    revoke.setAttribute('aria-label', say(words.revokeWho, { name: device.name || device.id }));
    revoke.onclick = () => question(li, device);
    return li;
  }

  // question asks which access to revoke: this device's, or also that of all devices that came by its
  // links.
  function question(row: HTMLElement, device: Device): void {
    const li = clone('t-revoke');
    const name = device.name || device.id;
    const brood = broodOf(all, device.id);
    const [alone, both, keep] = ['.alone', '.both', '.keep'].map((s) => pick<HTMLButtonElement>(s, li)) as [
      HTMLButtonElement,
      HTMLButtonElement,
      HTMLButtonElement,
    ];
    setText(
      pick('p', li),
      brood.length === 0
        ? say(words.ask, { name })
        : say(words.askAll, { name, names: brood.map((d) => d.name || d.id).join(', ') }),
    );
    setText(alone, brood.length === 0 ? words.revoke : say(words.only, { name }));
    setText(both, say(brood.length === 1 ? words.both : words.all, { name, n: brood.length }));
    both.hidden = brood.length === 0;
    const end = async (how: string) => {
      li.inert = true; // a second click asks for nothing
      const done = await ask(`${ADDRESS}/${encodeURIComponent(device.id)}${how}`, 'DELETE');
      li.inert = false;
      await show();
      list.querySelector('button')?.focus(); // the one that was pressed is gone
      if (done !== null) store.toast(say(words.done, { name }), 'SUCCESS');
    };
    alone.onclick = () => void end('?alone');
    both.onclick = () => void end('');
    keep.onclick = () => {
      li.replaceWith(row);
      pick('button', row).focus();
    };
    row.replaceWith(li);
    (brood.length === 0 ? alone : both).focus();
  }

  return show;
}
