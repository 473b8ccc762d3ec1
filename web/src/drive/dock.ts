// Dock: one press sends the robot to its charger. A toast shows the answer.
import { pick } from '../dom.ts';
import type { Link } from '../link/index.ts';
import { isHeld, mayAct, type Model, type Store } from '../store.ts';
import { words } from '../words.ts';
import type { Pose } from '../wire.ts';

export function sendToDock(store: Store, link: Link, dock: Pose): void {
  void link.ask({ type: 'goto', goal: dock, name: words.goto.dock }).then((answer) => {
    if (answer.word !== 'SUCCESS' && answer.word !== 'MODIFIED') {
      store.toast(answer.reason, answer.word);
      return;
    }
    if (answer.route) store.set({ route: answer.route });
    store.set({ tab: 'goto', tool: null, draft: null });
  });
}

// mountDock binds the button of the Drive tab.
export function mountDock(store: Store, link: Link): void {
  const button = pick<HTMLButtonElement>('#dock');
  button.onclick = () => {
    const { dock } = store.get().plan;
    if (dock !== null) sendToDock(store, link, dock);
  };
  const show = (m: Readonly<Model>) => {
    button.hidden = m.plan.dock === null;
    button.disabled = !mayAct(m) || isHeld(m) || m.state?.mode === 'charging';
  };
  store.subscribe(show);
  show(store.get());
}
