// The Jobs tab. What it does comes as a script and a style sheet of its own, when it is first wanted.
import { hide, pick } from '../dom.ts';
import { mayAct, type Model } from '../store.ts';
import { type Context, hasDraft, JOB, loader } from '../context.ts';

// mountJobs loads the tab's script when somebody opens the tab, when a job is run, and when one waits in this tab to be saved.
export function mountJobs(context: Context): void {
  const { store } = context;
  const load = loader(pick('#jobs'), context);
  const add = pick<HTMLButtonElement>('#draft-job');
  add.onclick = () => load(() => add.click()); // by then it does something else
  if (hasDraft(JOB)) load();

  const show = (m: Readonly<Model>) => {
    if (m.tab === 'jobs' || m.run !== null) load();
    hide(add, m.draft?.kind !== 'goal');
    add.disabled = !mayAct(m);
  };
  store.subscribe(show);
  show(store.get());
}
