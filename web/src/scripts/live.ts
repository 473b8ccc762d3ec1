// The watched values and the console of the Scripts tab. It is a script of its own.
import { ConsolePanel } from './consolepanel.ts';
import { LIVE, type Live, type LiveMaker } from './liveview.ts';
import { make } from './make.ts';
import { PointerValues } from './pointer.ts';
import { ValuesPanel } from './values.ts';
import { Watching } from './watching.ts';

const makeLive: LiveMaker = ({ context, words, editor, tell }): Live => {
  let pointer: PointerValues | null = null;
  const watching: Watching = new Watching(context, tell, () => {
    values.paint();
    pointer?.paint();
  });
  const values = new ValuesPanel(watching, words);
  return {
    root: make('div', { class: 'live' }, values.root, new ConsolePanel(context, words, editor).root),
    values: (unit) => (pointer = new PointerValues(watching, words, context.voice, unit)),
  };
};

document.dispatchEvent(new CustomEvent(LIVE, { detail: makeLive }));
