// The goal underway: the buttons of its card, and the card over the map while its path is blocked.
import { type Episode, episodeOf } from './episode.ts';
import { nameOfGoal, underWay } from './view.ts';
import { deedOf, pick, setText } from '../dom.ts';
import type { Link } from '../link/index.ts';
import type { Voice } from '../live.ts';
import { isTaken } from '../result.ts';
import { mayAct, type Model, now, type Store } from '../store.ts';
import { say, words } from '../words.ts';

export class GoalUnderWay {
  readonly #store: Store;
  readonly #link: Link;
  readonly #voice: Voice;
  readonly #blocked = pick('#blocked');
  #episode: Episode | null = null; // of a blocked path

  constructor(store: Store, link: Link, voice: Voice) {
    this.#store = store;
    this.#link = link;
    this.#voice = voice;
    pick('#goal-pause').onclick = () => this.pause();
    pick('#goal-around').onclick = () => this.#order('around');
    pick('#goal-cancel').onclick = () => this.#order('cancel');
    this.#blocked.onclick = (e) => this.#answer(deedOf(e));
  }

  // pause pauses the goal, or continues it.
  pause(): void {
    const goal = underWay(this.#store.get());
    if (goal !== null) this.#order(goal.phase === 'paused' ? 'resume' : 'pause');
  }

  show(m: Readonly<Model>): void {
    const goal = underWay(m);
    const episode = (this.#episode = episodeOf(this.#episode, goal, now()));
    const shown = goal !== null && episode !== null && !episode.waits && mayAct(m);
    const appears = shown && this.#blocked.hidden;
    this.#blocked.hidden = !shown;
    if (!shown) return;
    const title = say(words.goto.blockedTitle, { name: nameOfGoal(goal) });
    if (appears) this.#voice.say(title);
    setText(pick('h2', this.#blocked), title);
    const isBlocked = goal.phase === 'blocked';
    const trying = !isBlocked || episode.tries > 0 ? say(words.goto.blockedTry, { n: episode.tries + 1 }) : '';
    const waited = isBlocked ? say(words.goto.blockedNote, { s: Math.round(goal.blocked?.waited ?? 0) }) : '';
    setText(pick('.note', this.#blocked), `${trying} ${waited}`.trim());
  }

  #answer(deed: string | undefined): void {
    if (deed === undefined) return;
    if (this.#episode !== null) this.#episode = { ...this.#episode, waits: deed !== 'around' };
    if (deed === 'around' || deed === 'cancel') this.#order(deed);
    this.show(this.#store.get());
  }

  #order(action: 'pause' | 'resume' | 'cancel' | 'around'): void {
    if (!mayAct(this.#store.get())) return;
    const line = pick('#goal-says');
    setText(line, '');
    void this.#link.ask({ type: 'goal', action }).then((answer) => {
      setText(line, isTaken(answer) ? '' : answer.reason);
      this.#voice.say(line.textContent ?? '');
    });
  }
}
