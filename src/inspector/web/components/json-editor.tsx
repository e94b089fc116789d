/** JSON to write by hand: says where it is wrong, and completes names and values from a schema. */

import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { completeJson, type JsonCompletion } from './json-completion.js';
import { parseJson } from './json-value.js';

const MIN_LINES = 6;
const MAX_LINES = 30;

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
  const area = useRef<HTMLTextAreaElement>(null);
  const [offered, setOffered] = useState<{ at: number; completion: JsonCompletion } | undefined>();
  const problem = useMemo(() => {
    const parsed = parseJson(text);
    return parsed.ok ? undefined : parsed.message;
  }, [text]);

  const offer = (value: string, caret: number) => {
    const completion = completeJson(value, caret, schema);
    setOffered(completion.options.length === 0 ? undefined : { at: 0, completion });
  };
  const insert = (completion: JsonCompletion, index: number) => {
    const option = completion.options[index];
    if (option === undefined) return;
    const next = text.slice(0, completion.from) + option.insert + text.slice(completion.to);
    const caret = completion.from + option.caret;
    onChange(next);
    setOffered(undefined);
    // After React has put the new text in.
    requestAnimationFrame(() => area.current?.setSelectionRange(caret, caret));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      offer(text, event.currentTarget.selectionStart);
      return;
    }
    if (offered === undefined) return;
    const { at, completion } = offered;
    const count = completion.options.length;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOffered({ completion, at: (at + (event.key === 'ArrowDown' ? 1 : -1) + count) % count });
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault();
      insert(completion, at);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      setOffered(undefined);
    }
  };
  const lines = Math.min(MAX_LINES, Math.max(MIN_LINES, text.split('\n').length + 1));
  return (
    <div className="stack-tight">
      <div className="anchor">
        <textarea
          ref={area}
          className="textarea mono json-area"
          aria-label={label}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={offered === undefined ? undefined : `${id}-${offered.at}`}
          rows={lines}
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          value={text}
          onKeyDown={onKeyDown}
          onBlur={() => setOffered(undefined)}
          onChange={(event) => {
            onChange(event.target.value);
            offer(event.target.value, event.target.selectionStart);
          }}
        />
        <div
          className="popup json-popup"
          id={`${id}-list`}
          role="listbox"
          aria-label="Completions"
          hidden={offered === undefined}
          style={caretStyle(text, area.current?.selectionStart ?? 0)}
        >
          {offered?.completion.options.map((option, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus
            <div
              key={option.label}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === offered.at}
              onMouseDown={(event) => {
                event.preventDefault();
                insert(offered.completion, index);
              }}
            >
              <span className="mono">{option.label}</span>
              {option.detail && <span className="soft small"> {option.detail}</span>}
            </div>
          ))}
        </div>
      </div>
      <p className="small json-problem" id={`${id}-problem`} data-wrong={problem !== undefined}>
        {problem ?? 'Valid JSON. Ctrl+Space completes.'}
      </p>
    </div>
  );
}

/** Below the caret: lines and columns are of one size here. */
function caretStyle(text: string, caret: number): { top: string; left: string } {
  const before = text.slice(0, caret).split('\n');
  const column = Math.min(before.at(-1)?.length ?? 0, 40);
  return { top: `calc(10px + ${before.length} * 1.5em)`, left: `calc(8px + ${column} * 0.6em)` };
}
