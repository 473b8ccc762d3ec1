// The log: the last lines, newest first.
import { clockTime, isoZone } from '../format.ts';
import type { Context } from '../context.ts';
import type { LogLine, Model } from '../store.ts';
import { clone, pick, setIcon, setText } from '../dom.ts';
import { words } from '../words.ts';
import type { LogIcon } from '../wire.ts';

const FEW = 8;

const ICONS: Record<LogIcon, string> = {
  drive: 'joystick',
  stop: 'octagon-x',
  control: 'key-round',
  person: 'user',
  warn: 'triangle-alert',
  info: 'info',
  battery: 'battery-low',
  goal: 'flag',
  map: 'layers',
};

export function mountLog({ store }: Context): void {
  const list = pick('#log');
  const empty = pick('#log-empty');
  const button = pick<HTMLButtonElement>('#log-all');
  let all = false;

  const show = (m: Readonly<Model>) => {
    const lines = all ? m.log : m.log.slice(0, FEW);
    list.replaceChildren(...lines.map(item));
    empty.hidden = m.log.length > 0;
    button.hidden = m.log.length <= FEW;
    button.setAttribute('aria-expanded', String(all));
    setText(button, all ? words.log.less : words.log.all);
  };
  button.onclick = () => {
    all = !all;
    show(store.get());
  };
  store.subscribe((m, before) => {
    if (m.log !== before.log) show(m);
  });
  show(store.get());
}

function item(line: LogLine): HTMLElement {
  const li = clone('t-log');
  const time = pick<HTMLTimeElement>('time', li);
  time.dateTime = line.at;
  time.title = isoZone(line.at);
  setText(time, clockTime(line.at));
  li.dataset.icon = line.icon;
  setIcon(li, ICONS[line.icon] ?? 'info');
  setText(pick('span', li), line.text);
  return li;
}
