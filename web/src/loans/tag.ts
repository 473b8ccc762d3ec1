// The tag in the picture: whose view it is, and the forward direction while the view is turned aside.
import { loans as words } from '../../strings.json';
import { hide, pick, setText } from '../dom.ts';
import { loanOf, type Model, type Store } from '../store.ts';
import { icon } from '../icon.ts';
import { whoHas } from './view.ts';

const ASIDE = Math.PI / 18; // rad from which the arrow is shown

export function mountTag(store: Store): void {
  const tag = document.createElement('span');
  const who = document.createElement('span');
  const ahead = document.createElement('span');
  const arrow = icon('arrow-up');
  tag.className = 'tag';
  tag.id = 'eye-loan';
  ahead.className = 'ahead';
  ahead.append(arrow, words.ahead);
  tag.append(who, ahead);
  pick('#eye .tags').append(tag);
  const show = (m: Readonly<Model>) => {
    const loan = loanOf(m, 'head');
    hide(tag, loan === undefined);
    if (loan === undefined) return;
    setText(who, whoHas(m, 'head', loan.id));
    const pan = m.state?.head[0] ?? 0;
    hide(ahead, Math.abs(pan) < ASIDE);
    arrow.style.transform = `rotate(${pan.toFixed(2)}rad)`; // for a view to the left, ahead is to the right
  };
  store.subscribe(show);
  show(store.get());
}
