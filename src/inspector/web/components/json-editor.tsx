/** JSON to write by hand: an editor that says where it is wrong, and completes names and values from a schema. */

import { useEffect, useId, useMemo, useRef } from 'react';
import type { CodeEditor } from './code-editor.js';
import { parseJson } from './json-value.js';

export function JsonEditor({
  label,
  text,
  onChange,
  schema,
}: {
  label: string;
  text: string;
  onChange: (text: string) => void;
  schema?: unknown;
}) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const latest = useRef({ text, onChange, schema });
  latest.current = { text, onChange, schema };
  /** The text that the editor and its owner last agreed on. */
  const agreed = useRef(text);
  /** What the editor has reported, and its owner has not shown yet. */
  const reported = useRef<string[]>([]);
  const problem = useMemo(() => {
    const parsed = parseJson(text);
    return parsed.ok ? undefined : parsed.message;
  }, [text]);

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    let gone = false;
    // The policy of the page allows no style elements; style sheets of a shadow root need none.
    const parent = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    void import('./code-editor.js').then(({ createCodeEditor }) => {
      if (gone) return;
      editor.current = createCodeEditor({
        parent,
        label,
        text: latest.current.text,
        schema: () => latest.current.schema,
        changed: (next) => {
          if (next === agreed.current) return;
          agreed.current = next;
          reported.current.push(next);
          latest.current.onChange(next);
        },
      });
    });
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [label]);
  useEffect(() => {
    const index = reported.current.indexOf(text);
    // Of its own texts only the last is in the editor: a fast writer is ahead of the page.
    if (index !== -1) {
      reported.current.splice(0, index + 1);
      return;
    }
    agreed.current = text;
    editor.current?.setText(text);
  }, [text]);
  return (
    <div className="stack-tight">
      <div ref={host} className="code-editor" data-editor="true" />
      <p
        className="small json-problem"
        id={`${id}-problem`}
        data-wrong={problem !== undefined}
        aria-live="polite"
      >
        {problem ?? 'Valid JSON. Ctrl+Space completes.'}
      </p>
    </div>
  );
}
