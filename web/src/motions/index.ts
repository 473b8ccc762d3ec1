// Motions: saved drives by hand. The robot drives them again, or only the virtual robot on the map does.
import { load, upload, urlOf } from './api.ts';
import { Ghost } from './ghost.ts';
import { MotionList } from './list.ts';
import { awayOf, nameOfStart, playingOf } from './view.ts';
import { motions as words } from '../../strings.json';
import { pick, setText } from '../dom.ts';
import type { Order } from '../link/index.ts';
import { isHeld, mayAct, type Model } from '../store.ts';
import type { Context } from '../context.ts';
import { isTaken } from '../result.ts';
import type { Kept } from '../wire.ts';

export function mountMotions(context: Context): void {
  const card = new MotionsCard(context);
  context.store.subscribe((m, before) => card.follow(m, before));
  card.look(context.store.get());
}

function motionIn(m: Readonly<Model>, n: number | null): Kept | null {
  return m.motions.find((k) => k.n === n) ?? null;
}

class MotionsCard {
  readonly #context: Context;
  readonly #card = pick('#motions');
  readonly #says = pick('#motions-says');
  readonly #now = pick('#motions-now');
  readonly #form = pick<HTMLFormElement>('#motion');
  readonly #name = pick<HTMLInputElement>('#motion-name');
  readonly #file = pick<HTMLInputElement>('#motions-file');
  readonly #list = new MotionList((n) => {
    this.#told = { text: '', bad: false };
    this.#choose(n === this.#chosen ? null : n);
  });
  readonly #ghost: Ghost;

  #open = false;
  #chosen: number | null = null;
  #seen = ''; // its name when the field was last filled or sent
  #told = { text: '', bad: false };

  constructor(context: Context) {
    this.#context = context;
    this.#ghost = new Ghost(
      context.stage,
      () => this.#open,
      () => this.#paint(),
    );
    this.#listen();
  }

  // look opens or closes the card, according to the page's tool.
  look(m: Readonly<Model>): void {
    if ((m.tool === 'motions') === this.#open) return;
    this.#open = m.tool === 'motions';
    this.#told = { text: '', bad: false };
    if (this.#open) this.#context.voice.say(words.openedCard);
    this.#choose(null);
  }

  follow(m: Readonly<Model>, before: Readonly<Model>): void {
    this.look(m);
    if (!this.#open) return;
    if (m.motions !== before.motions) {
      const kept = motionIn(m, this.#chosen);
      if (kept === null) this.#choose(null);
      else if ([this.#seen, kept.name].includes(this.#name.value)) this.#name.value = this.#seen = kept.name;
    }
    const began = m.state?.play?.motion && !before.state?.play?.motion;
    const came = m.state?.goal?.phase === 'ended' && before.state?.goal?.phase !== 'ended';
    if (began || came) this.#told = { text: '', bad: false };
    if ((['motions', 'state', 'holder', 'stop', 'socket'] as const).some((key) => m[key] !== before[key]))
      this.#paint();
  }

  #button(what: string): HTMLButtonElement {
    return pick<HTMLButtonElement>(`[data-do=${what}]`, this.#card);
  }

  #listen(): void {
    const { store } = this.#context;
    this.#button('close').onclick = () => store.set({ tool: null });
    this.#button('stop').onclick = () => this.#order({ type: 'motion', action: 'stop' }, words.ended);
    this.#button('play').onclick = () =>
      this.#withChosen(({ n }) => this.#order({ type: 'motion', action: 'play', motion: n }, words.begun));
    this.#button('start').onclick = () => this.#withChosen((kept) => this.#goToStart(kept));
    this.#button('ghost').onclick = () => {
      this.#ghost.toggle();
      this.#paint();
    };
    this.#button('delete').onclick = () =>
      this.#withChosen(({ n }) => this.#order({ type: 'motion', action: 'delete', motion: n }, words.deleted));
    this.#form.onsubmit = (e) => {
      e.preventDefault();
      const name = this.#name.value.trim();
      if (name === '') return;
      this.#name.value = name;
      this.#withChosen(({ n, name: now }) => {
        this.#order({ type: 'motion', action: 'rename', motion: n, was: this.#seen, name }, words.renamed);
        this.#seen = now;
      });
    };
    this.#button('load').onclick = () => this.#file.click();
    this.#file.onchange = () => {
      const file = this.#file.files?.[0];
      this.#file.value = '';
      if (file) void this.#upload(file);
    };
  }

  #withChosen(act: (kept: Kept) => void): void {
    const kept = motionIn(this.#context.store.get(), this.#chosen);
    if (kept !== null) act(kept);
  }

  #goToStart({ start, name }: Kept): void {
    const goal = { goal: start, name: nameOfStart(name) };
    this.#order({ type: 'goto', ...goal }, words.going);
  }

  #order(o: Extract<Order, { type: 'motion' | 'goto' }>, done: string): void {
    void this.#context.link.ask(o).then(({ word, reason }) => {
      const fault = isTaken({ word }) ? '' : reason;
      this.#tell(fault || done, fault !== '');
    });
  }

  async #upload(file: File): Promise<void> {
    const fault = await upload(file).catch(() => words.failed);
    this.#tell(fault || words.loaded, fault !== '');
  }

  #tell(text: string, bad: boolean): void {
    this.#told = { text, bad };
    this.#context.voice.say(text);
    this.#paint();
  }

  // choose shows a motion on the map.
  #choose(n: number | null): void {
    const kept = motionIn(this.#context.store.get(), n);
    this.#chosen = kept?.n ?? null;
    this.#ghost.show([]);
    this.#name.value = this.#seen = kept?.name ?? '';
    this.#paint();
    if (kept !== null) void this.#load(kept.n);
  }

  async #load(n: number): Promise<void> {
    const points = await load(n).catch(() => null);
    if (points === null) this.#tell(words.failed, true);
    else if (this.#chosen === n) {
      this.#ghost.show(points);
      this.#paint();
    }
  }

  #paint(): void {
    const m = this.#context.store.get();
    this.#card.hidden = !this.#open;
    this.#context.stage.redraw();
    if (!this.#open) {
      this.#ghost.end();
      return;
    }
    const kept = motionIn(m, this.#chosen);
    const play = m.state?.play?.motion ? m.state.play : null;
    const away = kept !== null && m.state !== null && play === null ? awayOf(kept, m.state.pose) : '';
    const { text, bad } = this.#told;
    setText(this.#says, text || away || (m.motions.length === 0 ? words.none : words.how));
    this.#says.classList.toggle('bad', text !== '' && bad);
    this.#now.hidden = play === null;
    if (play !== null) {
      setText(pick('span', this.#now), playingOf(motionIn(m, play.motion), play.left));
    }
    this.#button('stop').disabled = !mayAct(m);
    this.#form.hidden = kept === null;
    if (kept !== null) this.#paintForm(m, kept, away, play !== null);
    this.#list.paint(m.motions, this.#chosen);
  }

  #paintForm(m: Readonly<Model>, kept: Kept, away: string, plays: boolean): void {
    const may = mayAct(m);
    this.#button('play').hidden = away !== '';
    this.#button('start').hidden = away === '';
    for (const what of ['play', 'start']) this.#button(what).disabled = !may || isHeld(m) || plays;
    for (const b of this.#form.querySelectorAll<HTMLButtonElement>('[type=submit],[data-do=delete]')) b.disabled = !may;
    this.#button('ghost').disabled = !this.#ghost.isReady();
    setText(this.#button('ghost'), this.#ghost.drives() ? words.ghostEnd : words.ghost);
    const link = pick('a', this.#form);
    if (link.getAttribute('href') !== urlOf(kept.n)) link.setAttribute('href', urlOf(kept.n));
  }
}
