// The fault of a lidar, in the robot's own sentence: it is silent, frozen, or sends implausible scans.
import type { Context } from '../context.ts';
import { hide, pick, setText } from '../dom.ts';
import type { Model } from '../store.ts';

export function mountLidar({ store }: Context): void {
  const line = pick('#lidar-fault');
  const show = ({ state }: Readonly<Model>) => {
    const fault = state?.lidar_fault ?? '';
    setText(line, fault);
    hide(line, fault === '');
  };
  store.subscribe((m, before) => {
    if (m.state !== before.state) show(m);
  });
  show(store.get());
}
