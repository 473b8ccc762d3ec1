// The list of the robot's parts.
import { type Row, rowsOf } from './list.ts';
import { parts as words } from '../../strings.json';
import { arrive } from '../context.ts';
import { mountJoints } from '../joints/index.ts';
import { clone, pick, setIcon, setText } from '../dom.ts';

const ICONS: Readonly<Record<Row['state'], string>> = { here: 'check', lacking: 'x', gone: 'triangle-alert' };

arrive('parts', (context) => {
  const { store } = context;
  const list = pick('#parts ul');
  mountJoints(context, list);
  let shown = '';
  const show = () => {
    const rows = rowsOf(store.get());
    const key = JSON.stringify(rows);
    if (key === shown) return;
    shown = key;
    list.replaceChildren(
      ...rows.map(({ name, state, note }) => {
        const item = clone('t-part');
        item.dataset['state'] = state;
        setIcon(item, ICONS[state]);
        setText(pick('b', item), name);
        setText(pick('.vh', item), state === 'lacking' ? words.lacking : '');
        setText(pick('small', item), note);
        return item;
      }),
    );
  };
  store.subscribe(show);
  show();
});
