/** A part of a form that may hold anything: written as JSON. */

import type { FieldProps } from '@rjsf/utils';
import { useState } from 'react';
import { parseJson } from '../components/json-value.js';

export function JsonField({ fieldPathId, formData, onChange, disabled, name, schema, required }: FieldProps) {
  const [text, setText] = useState(() => (formData === undefined ? '' : JSON.stringify(formData, null, 2)));
  const parsed = text.trim() === '' ? undefined : parseJson(text);
  const id = fieldPathId.$id;
  const label = schema.title ?? name;
  const wrong = parsed?.ok === false;
  return (
    <div className="form-field" data-wrong={wrong}>
      <label htmlFor={id} className="field-label">
        {label}
        {required && <span className="required"> *</span>} <span className="soft small">JSON</span>
      </label>
      <textarea
        id={id}
        className="textarea mono form-text"
        rows={2}
        spellCheck={false}
        placeholder={'any JSON value, such as "text", 1 or {"a": true}'}
        disabled={disabled}
        value={text}
        aria-invalid={wrong}
        onChange={({ target }) => {
          setText(target.value);
          const next = target.value.trim() === '' ? undefined : parseJson(target.value);
          if (next === undefined) onChange(undefined, fieldPathId.path);
          // What is no JSON yet is most often a text on its way to be one.
          else onChange(next.ok ? next.value : target.value, fieldPathId.path);
        }}
      />
      {schema.description && <p className="small soft wrap">{schema.description}</p>}
      {wrong && <p className="small field-errors">Not JSON: it is sent as a text.</p>}
    </div>
  );
}
