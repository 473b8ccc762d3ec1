// The Jobs tab. Its script and style sheet load when they are first needed.
import { hide, pick } from '../dom.ts';
import { mayAct, type Model } from '../store.ts';
import { type Context, hasDraft, JOB, loader } from '../context.ts';

// mountJobs loads the tab's script when a person opens the tab, when a job runs, or when this tab has an
// unsaved job.
export function mountJobs(context: Context): void {
  const { store } = context;
  const load = loader(pick('#jobs'), context);
  const add = pick<HTMLButtonElement>('#draft-job');
  add.onclick = () => load(() => add.click()); // by then the button has its own handler
  if (hasDraft(JOB)) load();

  const show = (m: Readonly<Model>) => {
    if (m.tab === 'jobs' || m.run !== null) load();
    hide(add, m.draft?.kind !== 'goal');
    add.disabled = !mayAct(m);
  };
  store.subscribe(show);
  show(store.get());
}
