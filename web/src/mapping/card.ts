// The card of the map: its state, and the possible actions. An observer sees it with all buttons disabled.
import type { Review } from './review.ts';
import { type Button, cardOf, type Deed, isMapping, isQuestion, type Question } from './view.ts';
import { mapping as words } from '../../strings.json';
import type { Context } from '../context.ts';
import { clone, deedOf, focusPanel, hide, mark, pick, setText, toggle } from '../dom.ts';
import type { Voice } from '../live.ts';
import { numberOf } from '../goto/numbers.ts';
import { send } from '../mapedit/send.ts';
import { mayAct, type Model, type Store } from '../store.ts';
import { say } from '../words.ts';
import type { Mapping, MappingAction } from '../wire.ts';

const ADDRESS = '/api/v1/mapping';

export class Card {
  readonly #store: Store;
  readonly #voice: Voice;
  readonly #review: Review;
  readonly #root = pick('#mapping');
  readonly #acts = pick('.acts', this.#root);
  readonly #name = pick<HTMLInputElement>('#mapping-name');
  readonly #sides = ['along', 'across'].map((f) => pick<HTMLInputElement>(`#mapping-${f}`)); // of an empty sheet
  #asks: Question | null = null; // the action that waits for an answer
  #fault = '';
  #busy = false; // the robot has not answered yet
  #state: Mapping['state'] | '' = '';
  #done = ''; // the message when another floor plan comes into use

  constructor({ store, voice }: Context, review: Review) {
    this.#store = store;
    this.#voice = voice;
    this.#review = review;
    this.#acts.onclick = (e) => this.#press(deedOf(e) as Deed | undefined);
    this.#name.onkeydown = (e) => {
      if (e.key === 'Enter') this.#press('save');
    };
    this.#sides.forEach((side, i) => {
      side.value = i === 0 ? '12' : '8';
      side.onkeydown = (e) => {
        if (e.key === 'Enter') this.#press('sheet');
      };
    });
    this.#root.onkeydown = (e) => {
      if (e.key === 'Escape' && this.#asks !== null) this.#press('keep');
    };
  }

  follow(m: Readonly<Model>, before: Readonly<Model> | null): void {
    if (
      before !== null &&
      m.mapping === before.mapping &&
      m.tab === before.tab &&
      m.tool === before.tool &&
      m.holder === before.holder &&
      m.people === before.people &&
      mayAct(m) === mayAct(before)
    )
      return;
    this.#paint();
  }

  #press(deed: Deed | undefined): void {
    if (deed === undefined) return;
    this.#fault = '';
    const asked = this.#asks;
    this.#asks = null;
    if (deed !== 'keep') {
      if (isQuestion(deed) && asked !== deed) this.#asks = deed;
      else void this.#do(deed);
    }
    this.#paint();
    if (this.#asks === 'sheet') {
      this.#sides[0]?.focus();
      this.#sides[0]?.select();
    } else if (this.#asks !== null) this.#focus('keep');
    else if (deed === 'keep' && asked !== null) this.#focus(asked);
  }

  async #do(action: MappingAction): Promise<void> {
    const m = this.#store.get();
    if (this.#busy || !mayAct(m)) return;
    const name = m.mapping?.extending ? m.mapping.name : this.#name.value.trim();
    if (action === 'save' && name === '') {
      this.#refuse(words.nameless);
      this.#name.focus();
      return;
    }
    const [width = null, height = null] = this.#sides.map((side) => numberOf(side.value));
    if (action === 'sheet' && (width === null || height === null)) {
      this.#asks = action;
      this.#refuse(words.noSize);
      this.#sides[width === null ? 0 : 1]?.focus();
      return;
    }
    this.#busy = true;
    const lost = await this.#review.settled(); // the robot gets what was drawn before it saves it
    if (lost !== '' && action !== 'discard') {
      this.#busy = false;
      this.#fault = lost; // the review has announced it
      this.#paint();
      return;
    }
    // The new floor may come before the answer.
    this.#done =
      action === 'save'
        ? say(words.saved, { name })
        : (({ discard: words.discarded, revert: words.reverted, advance: words.advanced } as Record<string, string>)[
            action
          ] ?? '');
    const more = action === 'save' ? { name } : action === 'sheet' ? { width, height } : {};
    const refused = await send('POST', ADDRESS, { lease: m.epoch, action, ...more });
    this.#busy = false;
    if (refused === null) return;
    if (action === 'sheet') this.#asks = action; // with another size
    this.#refuse(refused.reason);
  }

  // done is the message about this person's action that brings another floor plan into use; empty: none.
  get done(): string {
    return this.#done;
  }

  #refuse(reason: string): void {
    this.#done = '';
    this.#fault = reason;
    this.#store.note('warn', reason);
    this.#voice.say(reason);
    this.#paint();
  }

  #focus(deed: Deed): void {
    this.#acts.querySelector<HTMLElement>(`[data-do=${deed}]`)?.focus();
  }

  #paint(): void {
    const m = this.#store.get();
    const { mapping } = m;
    const shown = mapping !== null && m.tool === null && (m.tab === 'drive' || m.role === 'observer' || whole(mapping));
    hide(this.#root, !shown);
    if (mapping === null) return;
    if (mapping.state !== this.#state) this.#enter(mapping);
    const view = cardOf(m, mapping, this.#asks, this.#fault);
    mark(this.#root, 'state', mapping.state);
    const app = pick('#app');
    if (isMapping(mapping)) mark(app, 'mapping', mapping.state);
    else delete app.dataset['mapping'];
    setText(pick('h2', this.#root), view.title);
    const chip = pick('#mapping-chip');
    hide(chip, view.chip === '');
    setText(chip, view.chip);
    hide(pick('dl', this.#root), view.figures === null);
    for (const figure of this.#root.querySelectorAll<HTMLElement>('[data-figure]')) {
      const text = view.figures?.[figure.dataset['figure'] ?? ''];
      hide(figure, text === undefined);
      setText(pick('dd', figure), text ?? '');
    }
    const bar = pick('.prog', this.#root);
    hide(bar, view.progress === null);
    bar.setAttribute('aria-valuenow', String(Math.round((view.progress ?? 0) * 100)));
    bar.style.setProperty('--part', (view.progress ?? 0).toFixed(3));
    const says = pick('#mapping-says');
    setText(says, view.says);
    says.classList.toggle('bad', view.bad);
    toggle(says, 'hint', view.hint);
    hide(pick('.size', this.#root), !view.size);
    hide(this.#name.closest('label')!, !view.name);
    this.#name.disabled = !mayAct(m);
    this.#buttons(view.buttons);
  }

  // enter begins another state: messages about the previous one disappear, and so does a question.
  #enter(mapping: Mapping): void {
    this.#fault = '';
    this.#asks = null;
    this.#state = mapping.state;
    // While a map is in use, making another one is of low priority.
    const next = pick(mapping.state === 'map' ? '.logbox' : '#mapping-draft');
    if (this.#root.nextElementSibling === next) return;
    const focused = this.#root.contains(document.activeElement);
    pick('#body').insertBefore(this.#root, next);
    if (focused) focusPanel();
  }

  // buttons updates the list of buttons; one that stays keeps the focus. The focus on one that goes passes only to
  // the button that takes it back: another one, the next Enter would press unseen.
  #buttons(buttons: readonly Button[]): void {
    const focused = this.#acts.querySelector<HTMLElement>('button:focus');
    const old = new Map([...this.#acts.querySelectorAll<HTMLButtonElement>('button')].map((b) => [b.dataset['do'], b]));
    buttons.forEach(({ deed, text, main, can }, i) => {
      const button = old.get(deed) ?? clone<HTMLButtonElement>('t-mapping-act');
      old.delete(deed);
      mark(button, 'do', deed);
      setText(button, text);
      button.classList.toggle('pri', main);
      button.disabled = !can;
      if (this.#acts.children[i] !== button) this.#acts.insertBefore(button, this.#acts.children[i] ?? null);
    });
    for (const button of old.values()) button.remove();
    if (focused === null || focused === document.activeElement) return;
    focusPanel();
    if (/pause|resume/.test(focused.dataset['do'] ?? ''))
      this.#acts.querySelector<HTMLElement>('[data-do=pause],[data-do=resume]')?.focus();
  }
}

// whole: the card is shown with every tab.
function whole({ state }: Mapping): boolean {
  return state === 'finishing' || state === 'review' || state === 'saving';
}
