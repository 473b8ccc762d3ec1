// Recordings on the robot's disk: permitted users start and end them, download and delete them.
import { recordings as words } from '../../strings.json';
import { focusPanel, hide, pick, setText } from '../dom.ts';
import type { Context } from '../context.ts';
import type { Model } from '../store.ts';
import { type Recordings, type RecordingFile, request } from './api.ts';
import { isSettled, metaOf, saysOf } from './view.ts';

const AGAIN_MS = 1000; // until the next request while a recording begins or ends

export function mountRecordings({ store, voice }: Context): void {
  const part = pick('#recordings');
  const title = make('h3', 'k', words.title);
  const says = make('p', 'says');
  const start = make('button', 'btn sm', words.start);
  const stop = make('button', 'btn sm', words.stop);
  const list = make('ul');
  title.id = 'recordings-title';
  part.setAttribute('aria-labelledby', title.id);
  says.role = 'status';
  part.append(title, says, start, stop, list);
  let kept: Recordings | null = null;
  let asked = 0; // requests
  let shown = 0; // number of the request whose answer is shown
  let again = 0; // timer

  const admin = (): boolean => store.get().role === 'admin';

  // ask sends a request and shows the robot's answer.
  async function ask(method: string, path = '', done = ''): Promise<void> {
    const number = ++asked;
    const answer = await request(method, path).catch(() => words.failed);
    if (typeof answer === 'string') {
      setText(says, answer);
      voice.say(answer);
      return;
    }
    if (done) voice.say(done);
    if (number < shown) return; // a later request was answered first
    shown = number;
    kept = answer;
    paint();
    clearTimeout(again);
    if (!isSettled(kept, store.get().state?.recording ?? false))
      again = window.setTimeout(() => void ask('GET'), AGAIN_MS);
  }

  function row(file: RecordingFile): HTMLElement {
    const li = make('li');
    const link = make('a', '', file.name);
    const remove = make('button', 'btn sm', words.delete);
    link.href = `/api/v1/recordings/${file.name}`;
    link.download = file.name;
    li.append(link, make('small', 'dim num', metaOf(file)), remove);
    remove.hidden = !admin() || file.open;
    remove.ariaLabel = `${words.delete} ${file.name}`;
    remove.onclick = () => void ask('DELETE', `/${file.name}`, words.deleted);
    return li;
  }

  function paint(): void {
    const runs = kept?.recording ?? false;
    const { activeElement: at } = document;
    const i = [...list.children].findIndex((li) => li.contains(at));
    hide(start, !admin() || runs || kept === null);
    hide(stop, !admin() || !runs);
    setText(says, kept === null ? '' : saysOf(kept));
    list.replaceChildren(...(kept?.files ?? []).map(row));
    if (at === start || at === stop) (runs ? stop : start).focus();
    if (i >= 0) focusRow(i, nameOf(at));
  }

  // focusRow moves the focus to the link or button of that name. If its file is gone, it moves to the link of the next
  // one: another press there deletes nothing.
  function focusRow(i: number, name: string): void {
    const links = [...list.querySelectorAll('a')];
    const same = [...list.querySelectorAll<HTMLElement>('a, button')].find((e) => nameOf(e) === name);
    const next = same ?? links[i] ?? links.at(-1);
    if (next) next.focus();
    else focusPanel();
  }

  start.onclick = () => void ask('POST', '/start', words.began);
  stop.onclick = () => void ask('POST', '/end', words.ended);

  const follow = (m: Readonly<Model>, before?: Readonly<Model>) => {
    hide(part, m.role === 'observer');
    if (m.tool !== 'motions' || m.role === 'observer') return;
    if (before?.tool !== 'motions' || m.state?.recording !== before.state?.recording) void ask('GET');
  };
  store.subscribe(follow);
  follow(store.get());
}

function nameOf(e: Element | null): string {
  return e?.ariaLabel ?? e?.textContent ?? '';
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, name = '', text = ''): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  e.className = name;
  e.textContent = text;
  if (e instanceof HTMLButtonElement) e.type = 'button';
  return e;
}
