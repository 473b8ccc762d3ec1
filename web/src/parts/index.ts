// Parts: styles hide what needs a part that the robot lacks, and the reason is shown in its place. The list
// of the parts loads as a separate script when it is first opened.
import { lacksOf, whyByHand } from './lacks.ts';
import { type Context, loader } from '../context.ts';
import { hide, mark, pick, setText } from '../dom.ts';
import type { Model } from '../store.ts';

export function mountParts(context: Context): void {
  const app = pick('#app');
  const reason = pick('#goto-why');
  const list = pick<HTMLDetailsElement>('#parts');
  const load = loader(list, context);
  list.ontoggle = () => load();
  const show = ({ robot }: Readonly<Model>) => {
    mark(app, 'lacks', lacksOf(robot));
    const why = whyByHand(robot);
    setText(reason, why);
    hide(reason, why === '');
    hide(list, robot === null);
  };
  context.store.subscribe((m, before) => {
    if (m.robot !== before.robot) show(m);
  });
  show(context.store.get());
}
