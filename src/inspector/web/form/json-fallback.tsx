/** The value as JSON, where a schema has no form. */

import { type FormEvent, type ReactNode, useState } from 'react';
import { JsonEditor } from '../components/json-editor.js';
import { isObject, parseJson } from '../components/json-value.js';
import { Notice } from '../components/notice.js';
import type { FormValue } from './tidy-value.js';

export function JsonFallback({
  reasons,
  schema,
  value,
  onChange,
  onSubmit,
  children,
}: {
  /** Why there is no form. */
  reasons: readonly string[];
  schema: unknown;
  value: FormValue;
  onChange: (value: FormValue) => void;
  onSubmit: (value: FormValue) => void;
  /** The buttons. */
  children: ReactNode;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string | undefined>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseJson(text);
    if (parsed.ok && isObject(parsed.value)) onSubmit(parsed.value);
    else setProblem(parsed.ok ? 'The value has to be an object.' : parsed.message);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Notice tone="warn">
        <p>There is no form for this schema, so its value is written as JSON.</p>
        {reasons.map((reason) => (
          <p key={reason} className="small wrap">
            Reason: {reason}
          </p>
        ))}
      </Notice>
      <JsonEditor
        label="Value as JSON"
        text={text}
        schema={schema}
        onChange={(next) => {
          setText(next);
          setProblem(undefined);
          const parsed = parseJson(next);
          if (parsed.ok && isObject(parsed.value)) onChange(parsed.value);
        }}
      />
      {problem && <Notice tone="bad">{problem}</Notice>}
      {children}
    </form>
  );
}
