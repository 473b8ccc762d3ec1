// Motions: drives by hand that were kept. The robot drives them again, or only the virtual robot on the map does.
import { drawMotion } from './marks.ts';
import { awayOf, dayOf, metaOf, poseAt, type Waypoint } from './view.ts';
import { motions as words } from '../../strings.json';
import { clone, pick, setText, under } from '../dom.ts';
import type { Order } from '../link/index.ts';
import { isStopped, mayAct, type Model } from '../store.ts';
import type { Context } from '../context.ts';
import { isTaken } from '../result.ts';
import { say } from '../words.ts';
import type { Kept, Point } from '../wire.ts';

const URL = '/api/v1/motions';

export function mountMotions({ store, link, stage, voice }: Context): void {
  const card = pick('#motions');
  const says = pick('#motions-says');
  const now = pick('#motions-now');
  const form = pick<HTMLFormElement>('#motion');
  const name = pick<HTMLInputElement>('#motion-name');
  const list = pick('#motions-list');
  const file = pick<HTMLInputElement>('#motions-file');
  const button = (what: string) => pick<HTMLButtonElement>(`[data-do=${what}]`, card);

  let open = false;
  let chosen: number | null = null;
  let points: Waypoint[] = []; // of the chosen one, once they have come
  let line: Point[] = [];
  let ghost: number | null = null; // page time when the virtual robot began, ms
  let told = '';
  let bad = false;

  const keptOf = (m: Readonly<Model>, n: number | null): Kept | null => m.motions.find((k) => k.n === n) ?? null;

  function tell(text: string, fault: boolean): void {
    [told, bad] = [text, fault];
    voice.say(text);
    paint();
  }

  function order(o: Extract<Order, { type: 'motion' | 'goto' }>, done: string): void {
    void link.ask(o).then(({ word, reason }) => {
      const fault = isTaken({ word }) ? '' : reason;
      tell(fault || done, fault !== '');
    });
  }

  // choose shows a motion on the map.
  function choose(n: number | null): void {
    const kept = keptOf(store.get(), n);
    chosen = kept?.n ?? null;
    [points, line, ghost] = [[], [], null];
    name.value = kept?.name ?? '';
    paint();
    if (kept === null) return;
    void load(kept.n).then(
      (all) => {
        if (chosen !== kept.n) return;
        points = all;
        line = all.map(({ pose }) => [pose.x, pose.y]);
        paint();
      },
      () => tell(words.failed, true),
    );
  }

  async function load(n: number): Promise<Waypoint[]> {
    const answer = await fetch(`${URL}/${n}`);
    if (!answer.ok) throw new Error(answer.statusText);
    return ((await answer.json()) as { points: Waypoint[] }).points;
  }

  async function send(f: File): Promise<void> {
    try {
      const answer = await fetch(URL, { method: 'POST', body: f });
      tell(answer.ok ? words.loaded : (await answer.text()).trim(), !answer.ok);
    } catch {
      tell(words.failed, true);
    }
  }

  // ---- the map ----

  stage.layer('over', (b) => {
    if (!open || line.length === 0) return;
    drawMotion(b, line);
    const pose = poseAt(points, ghost === null ? 0 : (performance.now() - ghost) / 1000);
    if (pose !== null) stage.drawGhost(b, pose);
  });

  function step(): void {
    if (ghost === null) return;
    const last = points[points.length - 1];
    if (!open || last === undefined || performance.now() - ghost > 1000 * (last.t + 1)) {
      ghost = null;
      paint();
      return;
    }
    stage.redraw();
    requestAnimationFrame(step);
  }

  // ---- the card ----

  button('close').onclick = () => store.set({ tool: null });
  button('stop').onclick = () => order({ type: 'motion', action: 'stop' }, words.ended);
  button('play').onclick = () => {
    if (chosen !== null) order({ type: 'motion', action: 'play', motion: chosen }, words.begun);
  };
  button('start').onclick = () => {
    const kept = keptOf(store.get(), chosen);
    if (kept !== null)
      order(
        { type: 'goto', goal: kept.start, name: say(words.startOf, { name: kept.name }).slice(0, 60) },
        words.going,
      );
  };
  button('ghost').onclick = () => {
    ghost = ghost === null ? performance.now() : null;
    paint();
    step();
  };
  button('delete').onclick = () => {
    if (chosen !== null) order({ type: 'motion', action: 'delete', motion: chosen }, words.deleted);
  };
  form.onsubmit = (e) => {
    e.preventDefault();
    const text = name.value.trim();
    if (chosen !== null && text !== '')
      order({ type: 'motion', action: 'rename', motion: chosen, name: text }, words.renamed);
  };
  button('load').onclick = () => file.click();
  file.onchange = () => {
    const f = file.files?.[0];
    file.value = '';
    if (f) void send(f);
  };
  list.onclick = (e) => {
    const row = under(e, 'li');
    if (!row) return;
    const n = Number(row.dataset['motion']);
    [told, bad] = ['', false];
    choose(n === chosen ? null : n);
  };

  function paint(): void {
    const m = store.get();
    card.hidden = !open;
    stage.redraw();
    if (!open) return;
    const may = mayAct(m);
    const kept = keptOf(m, chosen);
    const play = m.state?.play?.motion ? m.state.play : null;
    const away = kept !== null && m.state !== null && play === null ? awayOf(kept, m.state.pose) : '';
    setText(says, told || away || (m.motions.length === 0 ? words.none : words.how));
    says.classList.toggle('bad', told !== '' && bad);
    now.hidden = play === null;
    if (play !== null)
      setText(
        pick('span', now),
        say(words.playing, { name: keptOf(m, play.motion)?.name ?? '', m: play.left.toFixed(1) }),
      );
    button('stop').disabled = !may;
    form.hidden = kept === null;
    if (kept !== null) {
      button('play').hidden = away !== '';
      button('start').hidden = away === '';
      for (const b of ['play', 'start']) button(b).disabled = !may || isStopped(m) || play !== null;
      for (const b of form.querySelectorAll<HTMLButtonElement>('[type=submit],[data-do=delete]')) b.disabled = !may;
      button('ghost').disabled = points.length === 0;
      setText(button('ghost'), ghost === null ? words.ghost : words.ghostEnd);
      const link = pick('a', form);
      if (link.getAttribute('href') !== `${URL}/${kept.n}`) link.setAttribute('href', `${URL}/${kept.n}`);
    }
    paintList(m.motions);
  }

  // paintList shows the motions, the newest first, under the days on which they were driven.
  function paintList(motions: readonly Kept[]): void {
    const rows = new Map([...list.querySelectorAll<HTMLElement>('li')].map((row) => [row.dataset['motion'], row]));
    const byDay = new Map<string, Kept[]>();
    for (const k of [...motions].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))) {
      const name = dayOf(k, new Date());
      byDay.set(name, [...(byDay.get(name) ?? []), k]);
    }
    const days = [...byDay].map(([name, kept]) => {
      const day =
        [...list.children].find((d) => pick('h3', d).textContent === name) ?? clone<HTMLElement>('t-motions-day');
      setText(pick('h3', day), name);
      fill(
        pick('ul', day),
        kept.map((k) => rows.get(String(k.n)) ?? clone<HTMLElement>('t-motion')),
      );
      kept.forEach((k, i) => {
        const row = pick('ul', day).children[i] as HTMLElement;
        row.dataset['motion'] = String(k.n);
        setText(pick('button', row), k.name);
        setText(pick('small', row), metaOf(k));
        pick('button', row).setAttribute('aria-pressed', String(k.n === chosen));
      });
      return day;
    });
    fill(list, days);
  }

  function look(m: Readonly<Model>): void {
    if ((m.tool === 'motions') === open) return;
    open = m.tool === 'motions';
    [told, bad] = ['', false];
    if (open) voice.say(words.openedCard);
    choose(null);
  }

  store.subscribe((m, before) => {
    look(m);
    if (!open) return;
    if (m.motions !== before.motions && keptOf(m, chosen) === null) choose(null);
    const began = m.state?.play?.motion && !before.state?.play?.motion;
    const came = m.state?.goal?.phase === 'ended' && before.state?.goal?.phase !== 'ended';
    if (began || came) [told, bad] = ['', false];
    if (
      m.motions !== before.motions ||
      m.state !== before.state ||
      m.holder !== before.holder ||
      m.stop !== before.stop ||
      m.socket !== before.socket
    )
      paint();
  });
  look(store.get());
}

// fill makes these the children of host. Those that stay where they are keep the focus.
function fill(host: Element, children: readonly Element[]): void {
  children.forEach((child, i) => {
    if (host.children[i] !== child) host.insertBefore(child, host.children[i] ?? null);
  });
  while (host.children.length > children.length) host.lastElementChild?.remove();
}
