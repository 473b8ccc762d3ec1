// Save place: saves the robot's pose as a place. The map editor has more actions for places.
import { send } from './send.ts';
import { mapedit as words } from '../../strings.json';
import { pick, setText } from '../dom.ts';
import { hasControl, mayAct } from '../store.ts';
import type { Context } from '../context.ts';
import { say } from '../words.ts';

export function mountSavePlace({ store, voice }: Context): void {
  const row = pick('#spot');
  const opener = pick<HTMLButtonElement>('#spot-open');
  const form = pick<HTMLFormElement>('#spot-form');
  const name = pick<HTMLInputElement>('#spot-name');
  const line = pick('#spot-says');
  let saving = false;

  function show(on: boolean): void {
    form.hidden = !on;
    row.hidden = on;
    setText(line, '');
    if (on) name.focus();
    else opener.focus();
  }

  opener.onclick = () => {
    name.value = '';
    show(true);
  };
  pick('button[type=button]', form).onclick = () => show(false);
  form.onkeydown = (e) => {
    if (e.key === 'Escape') show(false);
  };
  form.onsubmit = (e) => {
    e.preventDefault();
    void save(name.value.trim());
  };

  async function save(text: string): Promise<void> {
    const m = store.get();
    if (saving) return;
    if (text === '' || m.state === null) return name.focus();
    if (!mayAct(m)) return refuse(words.failed);
    const [x, y, theta] = m.state.pose;
    const pose = [Math.round(x * 100) / 100, Math.round(y * 100) / 100, theta];
    saving = true;
    const wrong = await send('POST', '/api/v1/places', { lease: m.epoch, name: text, pose });
    saving = false;
    if (wrong !== null) return refuse(wrong.reason);
    show(false);
    store.toast(say(words.spotSaved, { name: text }), 'SUCCESS');
  }

  function refuse(reason: string): void {
    setText(line, reason);
    line.classList.add('bad');
    voice.say(reason);
  }

  store.subscribe((m) => {
    if (!hasControl(m) && !form.hidden) show(false);
  });
}
