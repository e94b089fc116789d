/** The code editor for JSON: highlighting, errors in place, completion from a schema. Loaded when it is first shown. */

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { preparePatterns } from '../../../protocol/schema/patterns.js';
import { checkJson } from './json-check.js';
import { completeJson } from './json-completion.js';

export interface CodeEditorOptions {
  readonly parent: ShadowRoot;
  readonly label: string;
  readonly text: string;
  /** The schema that the text is completed from and checked against; asked for each time. */
  schema(): unknown;
  changed(text: string): void;
}

export interface CodeEditor {
  setText(text: string): void;
  focus(): void;
  destroy(): void;
}

/** Longer texts are not checked while they are typed. */
const MAX_CHECKED = 200_000;

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--token-key)' },
  { tag: tags.string, color: 'var(--token-string)' },
  { tag: tags.number, color: 'var(--token-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--token-word)' },
]);

const theme = EditorView.theme({
  '&': {
    fontSize: '0.93em',
    background: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    maxHeight: '60vh',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '8em' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-gutters': {
    background: 'var(--surface-sunken)',
    color: 'var(--text-soft)',
    border: '0',
    borderRadius: 'var(--radius) 0 0 var(--radius)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft)' },
  '.cm-matchingBracket': { background: 'var(--accent-soft) !important', color: 'inherit' },
  '.cm-tooltip': {
    background: 'var(--surface-raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-soft)', fontStyle: 'normal' },
  '.cm-diagnostic': { padding: '4px 8px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
});

export function createCodeEditor({ parent, label, text, schema, changed }: CodeEditorOptions): CodeEditor {
  const view = new EditorView({
    parent,
    root: parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        json(),
        syntaxHighlighting(highlight),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        autocompletion({
          override: [(context) => suggest(context, schema())],
          icons: false,
          interactionDelay: 0,
        }),
        linter((editor) => diagnose(editor, schema()), { delay: 200 }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
        keymap.of([
          // The form around it sends with this.
          { key: 'Mod-Enter', run: () => true },
          { key: 'Ctrl-Space', run: startCompletion },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
      ],
    }),
  });
  return {
    setText: (next) => {
      const now = view.state.doc.toString();
      if (now !== next) view.dispatch({ changes: { from: 0, to: now.length, insert: next } });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function suggest(context: CompletionContext, schema: unknown): CompletionResult | null {
  const text = context.state.doc.toString();
  const { from, to, options } = completeJson(text, context.pos, schema);
  if (
    options.length === 0 ||
    (!context.explicit && from === context.pos && !/["{,:]\s*$/.test(text.slice(0, from)))
  )
    return null;
  return {
    from,
    to,
    filter: false,
    options: options.map(
      (option): Completion => ({
        label: option.label,
        ...(option.detail === undefined ? {} : { detail: option.detail }),
        apply: (view, _completion, start, end) =>
          view.dispatch({
            changes: { from: start, to: end, insert: option.insert },
            selection: { anchor: start + option.caret },
          }),
      }),
    ),
  };
}

const syntax = jsonParseLinter();

async function diagnose(view: EditorView, schema: unknown): Promise<readonly Diagnostic[]> {
  const text = view.state.doc.toString();
  if (text.trim() === '' || text.length > MAX_CHECKED) return [];
  const wrong = syntax(view);
  if (wrong.length > 0) return wrong;
  await preparePatterns(schema);
  return checkJson(text, schema).map(({ from, to, message }) => ({ from, to, message, severity: 'warning' }));
}
