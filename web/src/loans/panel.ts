// Loans: who has which part of the robot, above the people. The person in control lends parts and takes
// them back here; others request and return them.
import { arrive, type Context } from '../context.ts';
import { arrange, COUNT_MS, hide, pick, setText, toggle } from '../dom.ts';
import { borrowed, hasControl, type Model, now, personOf } from '../store.ts';
import { icon } from '../icon.ts';
import { mountTag } from './tag.ts';
import { type Deed, type Press, type Row, rowsOf } from './view.ts';

const AGAIN = 10; // s before the page announces again that driving is slow, because a head that looks around often crosses the limit
const ICONS = { head: 'scan-eye', voice: 'mic', arm: 'hand' };

function mountLoans({ store, link, voice }: Context): void {
  const host = pick('#loans');
  const elements = new Map<string, RowElement>();
  const saidAt = new Map<string, number>(); // page time, by the key of the row
  let shown = '';

  const act = (deed: Deed) => {
    if (deed === 'ahead') return pick('[data-eye=centre]').click(); // looking takes the head back
    if (deed !== 'close')
      void link.ask({ type: 'part', ...deed }).then(({ word, reason }) => {
        if (reason !== '') store.toast(reason, word);
      });
    if (store.get().lendTo !== null) store.set({ lendTo: null });
  };

  // announce announces requests, and that driving is slow. Toasts report the course of loans.
  const announce = ({ key, kind, text }: Row) => {
    if (kind !== 'wish' && kind !== 'slow') return;
    if (kind === 'wish' || now() - (saidAt.get(key) ?? -Infinity) > AGAIN) voice.say(text);
    saidAt.set(key, now());
  };

  const show = (m: Readonly<Model>) => {
    toggle(pick('#app'), 'looks', borrowed(m, 'head') !== null);
    if (m.lendTo !== null && (!hasControl(m) || personOf(m, m.lendTo) === undefined)) store.set({ lendTo: null });
    const rows = rowsOf(m, now());
    const key = JSON.stringify(rows);
    if (key === shown) return;
    shown = key;
    for (const key of [...elements.keys()]) if (!rows.some((row) => row.key === key)) elements.delete(key);
    for (const row of rows) {
      if (!elements.has(row.key)) {
        elements.set(row.key, new RowElement(row, act));
        announce(row);
      }
      elements.get(row.key)?.show(row);
    }
    arrange(
      host,
      rows.flatMap(({ key }) => elements.get(key)?.root ?? []),
    );
    hide(host, rows.length === 0);
  };

  store.subscribe((m, before) => {
    show(m);
    if (m.lendTo !== null && m.lendTo !== before.lendTo) elements.get(`choice ${m.lendTo}`)?.focus();
  });
  setInterval(() => show(store.get()), COUNT_MS);
  show(store.get());
  mountTag(store);
}

class RowElement {
  readonly root = document.createElement('div');
  readonly #text = document.createElement('b');
  readonly #note = document.createElement('small');
  readonly #acts = document.createElement('span');
  readonly #act: (deed: Deed) => void;
  #buttons = new Map<string, HTMLButtonElement>(); // by their deeds

  constructor({ kind, part }: Row, act: (deed: Deed) => void) {
    this.#act = act;
    this.root.className = 'loan num';
    this.root.dataset['kind'] = kind;
    this.root.setAttribute('role', 'group');
    const words = document.createElement('span');
    words.className = 'grow';
    words.append(this.#text, ' ', this.#note);
    this.#acts.className = 'acts';
    if (part !== null) this.root.append(icon(ICONS[part]));
    this.root.append(words, this.#acts);
  }

  show({ text, note, presses }: Row): void {
    setText(this.#text, text);
    setText(this.#note, note);
    this.root.setAttribute('aria-label', text);
    this.#buttons = new Map(presses.map((press) => [JSON.stringify(press.deed), this.#button(press)]));
    arrange(this.#acts, [...this.#buttons.values()]);
  }

  #button({ text, label, deed, first }: Press): HTMLButtonElement {
    const button = this.#buttons.get(JSON.stringify(deed)) ?? document.createElement('button');
    button.type = 'button';
    button.className = first ? 'btn sm pri' : 'btn sm';
    setText(button, text);
    button.setAttribute('aria-label', label);
    button.onclick = () => this.#act(deed);
    return button;
  }

  focus(): void {
    this.#acts.querySelector('button')?.focus();
  }
}

arrive('loans', mountLoans);
