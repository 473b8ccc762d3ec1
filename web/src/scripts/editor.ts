// The editor of a script's text: CodeMirror, in a file that is loaded separately. It constructs its style
// sheets, which the page's content security policy allows in a shadow root but not in the document.
import { autocompletion, type Completion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  type Range,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  type KeyBinding,
  keymap,
  lineNumbers,
  WidgetType,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Fault, Word } from './api.ts';
import { begun } from './completing.ts';
import type { ValueSource } from './liveview.ts';
import { scriptLive as sentences } from '../../strings.json';
import { ARRIVED, type EditorConfig, type EditorMaker, type LineConfig, type TextEditor } from './texteditor.ts';

// languageOf returns what colours a script. The robot lists the keywords; the page has no list of its own.
const languageOf = (keywords: ReadonlySet<string>) =>
  StreamLanguage.define<{ comment: boolean }>({
    name: 'urbi',
    startState: () => ({ comment: false }),
    token(stream, state) {
      if (state.comment) {
        if (stream.skipTo('*/')) {
          stream.match('*/');
          state.comment = false;
        } else stream.skipToEnd();
        return 'comment';
      }
      if (stream.eatSpace()) return null;
      if (stream.match('/*')) {
        state.comment = true;
        return 'comment';
      }
      if (stream.match(/^(?:#|\/\/).*/)) return 'comment';
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
      if (stream.match(/^\d+(?:\.\d+)?[a-z]*/)) return 'number';
      const name = stream.match(/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/) as RegExpMatchArray | null;
      if (name !== null)
        return keywords.has(name[0])
          ? 'keyword'
          : /^\s*:(?!:)/.test(stream.string.slice(stream.pos))
            ? 'labelName'
            : 'variableName';
      stream.next();
      return null;
    },
    languageData: {
      commentTokens: { line: '#', block: { open: '/*', close: '*/' } },
      closeBrackets: { brackets: ['(', '[', '{', '"'] },
    },
  });

// keywordsOf returns the words of the language itself. The robot lists a modifier with its colon.
function keywordsOf(words: readonly Word[]): Set<string> {
  const own = words.filter(({ kind }) => kind === 'statement' || kind === 'modifier');
  return new Set(own.map(({ word }) => word.replace(/:$/, '')));
}

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: tags.keyword, color: 'var(--accent-2)', fontWeight: '600' },
  { tag: tags.labelName, color: 'var(--ghost)' },
]);

const look = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface-1)',
    fontSize: '13px',
    border: '1px solid var(--line-2)',
    borderRadius: '8px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
    lineHeight: '1.55',
    minHeight: '180px',
    maxHeight: '46vh',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 32%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--surface-4)' },
  '.cm-fault': { textDecoration: 'underline wavy var(--danger)', textUnderlineOffset: '3px' },
  '.cm-fault-line': { backgroundColor: 'var(--danger-tint)' },
  '.cm-value': { display: 'flex', alignItems: 'center', gap: '8px', padding: '4px 8px', fontSize: '12px' },
  '.cm-value button': {
    font: '600 12px var(--font)',
    color: 'var(--accent-2)',
    background: 'none',
    border: '1px solid var(--line-2)',
    borderRadius: '6px',
    padding: '3px 7px',
    cursor: 'pointer',
  },
  '.cm-fault-text': {
    color: 'var(--danger)',
    fontFamily: 'var(--font)',
    fontSize: '12px',
    lineHeight: '1.35',
    padding: '2px 8px 4px 6px',
    backgroundColor: 'var(--danger-tint)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface-1)',
    color: 'var(--text)',
    border: '1px solid var(--line-2)',
    borderRadius: '8px',
    overflow: 'hidden',
    zIndex: '20',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75' },
});

// ---- faults ----------------------------------------------------------------

class FaultText extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: FaultText): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const div = document.createElement('div');
    div.className = 'cm-fault-text';
    div.textContent = this.text;
    return div;
  }
}

const setFaults = StateEffect.define<readonly Fault[]>();

const faultField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, tr) {
    let now = shown.map(tr.changes);
    for (const e of tr.effects) if (e.is(setFaults)) now = decorations(tr.state.doc, e.value);
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(doc: Text, faults: readonly Fault[]): DecorationSet {
  const all: Range<Decoration>[] = [];
  for (const f of faults) {
    const line = doc.line(Math.min(Math.max(1, f.line), doc.lines));
    const before = [...line.text].slice(0, f.column - 1).join('').length; // columns count characters
    const word = /^(?:\w+|\S)/.exec(line.text.slice(before))?.[0].length ?? 0;
    all.push(Decoration.line({ class: 'cm-fault-line' }).range(line.from));
    if (word > 0) all.push(Decoration.mark({ class: 'cm-fault' }).range(line.from + before, line.from + before + word));
    all.push(Decoration.widget({ widget: new FaultText(f.text), block: true, side: 1 }).range(line.to));
  }
  return Decoration.set(all, true);
}

// ---- completion ------------------------------------------------------------

function optionOf({ word, kind, detail }: Word): Completion {
  const type = {
    statement: 'keyword',
    modifier: 'property',
    function: 'function',
    device: 'variable',
    place: 'text',
    job: 'text',
  }[kind];
  return { label: word, type, detail, boost: kind === 'statement' ? -1 : 0 };
}

function completing(words: EditorConfig['words']) {
  return async (context: CompletionContext) => {
    const line = context.state.doc.lineAt(context.pos);
    const word = begun(line.text.slice(0, context.pos - line.from));
    if (word === null && !context.explicit) return null;
    const all = await words();
    const fitting = word === null ? all : all.filter((w) => w.word.startsWith('"') === word.quoted);
    return {
      from: word === null ? context.pos : line.from + word.from,
      options: fitting.map(optionOf),
      ...(word?.quoted ? {} : { validFor: /^[\w.]*$/ }),
    };
  };
}

// ---- the editor ------------------------------------------------------------

const silent = Annotation.define<boolean>();

// lineKeys are the keys of a field for one command. Those of an open completion come first.
function lineKeys({ enter, go }: LineConfig): readonly KeyBinding[] {
  const send = () => {
    enter();
    return true;
  };
  const goWhere = (step: -1 | 1) => (view: EditorView) => {
    const { doc, selection } = view.state;
    const at = doc.lineAt(selection.main.head).number;
    return at === (step < 0 ? 1 : doc.lines) && go(step);
  };
  return [
    { key: 'Enter', run: send },
    { key: 'ArrowUp', run: goWhere(-1) },
    { key: 'ArrowDown', run: goWhere(1) },
  ];
}

const lineLook = EditorView.theme({ '.cm-scroller': { minHeight: '0', maxHeight: '120px' } });

// valueUnderPointer shows the value of the name that the pointer is on, with a button that watches it.
function valueUnderPointer(values: ValueSource): Extension {
  return hoverTooltip((view, pos) => {
    const { from, text } = view.state.doc.lineAt(pos);
    const found = values.find(text, pos - from);
    if (found === null) return null;
    const create = () => {
      const dom = document.createElement('div');
      const says = document.createElement('span');
      const watch = document.createElement('button');
      dom.className = 'cm-value';
      watch.textContent = sentences.watchIt;
      watch.onclick = () => values.add(found.of);
      dom.append(says, watch);
      const show = () => (says.textContent = values.text(found.of));
      show();
      values.point(found.of);
      const stop = values.changed(show);
      const destroy = () => {
        stop();
        values.point(null);
      };
      return { dom, destroy };
    };
    return { pos: from + found.from, end: from + found.to, above: true, create };
  });
}

// valueAtCaret tells the values where the caret is while the person is in the text.
function valueAtCaret(values: ValueSource): Extension {
  return EditorView.updateListener.of(({ view, selectionSet, docChanged, focusChanged }) => {
    if (!selectionSet && !docChanged && !focusChanged) return;
    const { main } = view.state.selection;
    const { from, text } = view.state.doc.lineAt(main.head);
    if (view.hasFocus) values.caret(text, main.head - from);
  });
}

const makeEditor: EditorMaker = ({ host, label, changed, words, line, values }): TextEditor => {
  const locked = new Compartment();
  const language = new Compartment();
  let keywords = new Set<string>(); // empty until the robot has listed them
  const lock = (on: boolean) => [EditorState.readOnly.of(on), EditorView.editable.of(!on)];
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.replaceChildren();
  const stateOf = (doc: string) =>
    EditorState.create({
      doc,
      extensions: [
        line === undefined ? [lineNumbers(), highlightActiveLine()] : lineLook,
        history(),
        drawSelection(),
        bracketMatching(),
        EditorView.lineWrapping,
        language.of(languageOf(keywords)),
        syntaxHighlighting(colours),
        look,
        faultField,
        values === undefined ? [] : [valueUnderPointer(values), valueAtCaret(values)],
        // Enter sends a command unless the person has chosen a word
        autocompletion({ override: [completing(words)], icons: false, selectOnOpen: line === undefined }),
        keymap.of([...completionKeymap, ...(line ? lineKeys(line) : []), ...historyKeymap, ...defaultKeymap]), // without Tab, which moves the focus out of the editor
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'false',
          autocapitalize: 'off',
          autocorrect: 'off',
        }),
        EditorView.updateListener.of((u) => {
          if (u.docChanged && !u.transactions.every((tr) => tr.annotation(silent))) changed(u.state.doc.toString());
        }),
        locked.of(lock(false)),
      ],
    });
  const view = new EditorView({ root, parent: root, state: stateOf('') });
  async function colourKeywords(): Promise<void> {
    const listed = keywordsOf(await words());
    if (listed.size === 0) return; // the robot did not answer
    keywords = listed;
    view.dispatch({ effects: language.reconfigure(languageOf(keywords)) });
  }
  return {
    open(text) {
      view.setState(stateOf(text));
      void colourKeywords();
      if (line !== undefined) view.dispatch({ selection: { anchor: text.length } });
    },
    set(text) {
      const was = view.state.doc.toString();
      if (was === text) return;
      const { from, to, insert } = difference(was, text);
      view.dispatch({ changes: { from, to, insert }, annotations: silent.of(true) });
    },
    faults: (faults) => view.dispatch({ effects: setFaults.of(faults) }),
    lock: (on) => view.dispatch({ effects: locked.reconfigure(lock(on)) }),
    goTo(line, column) {
      const { from, text } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      const before = [...text].slice(0, column - 1).join('').length; // columns count characters
      view.dispatch({ selection: { anchor: from + before }, scrollIntoView: true });
      view.focus();
    },
    shows: true,
  };
};

// difference returns the smallest change from one text to another, so that the caret and the undo history
// stay in place.
function difference(was: string, now: string): { from: number; to: number; insert: string } {
  let from = 0;
  while (from < was.length && from < now.length && was[from] === now[from]) from++;
  let end = 0;
  while (end < was.length - from && end < now.length - from && was[was.length - 1 - end] === now[now.length - 1 - end])
    end++;
  return { from, to: was.length - end, insert: now.slice(from, now.length - end) };
}

document.dispatchEvent(new CustomEvent(ARRIVED, { detail: makeEditor }));
