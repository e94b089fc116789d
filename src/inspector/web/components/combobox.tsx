/** A text field with suggestions from somewhere, as the ARIA practices describe it. */

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

export interface Suggestions {
  readonly values: readonly string[];
  /** There are more than these. */
  readonly hasMore?: boolean;
}

const PAUSE_MS = 120;

export function Combobox({
  id,
  value,
  onChange,
  suggest,
  required,
  describedBy,
  multiline = false,
}: {
  id: string;
  value: string;
  onChange: (value: string) => void;
  suggest: (value: string) => Promise<Suggestions>;
  required?: boolean | undefined;
  describedBy?: string | undefined;
  /** A text of several lines: Enter begins another one. */
  multiline?: boolean;
}) {
  const list = useId();
  const [open, setOpen] = useState(false);
  const [found, setFound] = useState<Suggestions>({ values: [] });
  const [at, setAt] = useState(-1);
  const latest = useRef(suggest);
  latest.current = suggest;

  useEffect(() => {
    if (!open) return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const answer = await latest.current(value).catch(() => ({ values: [] }));
      if (!wanted) return;
      setFound(answer);
      setAt(-1);
    }, PAUSE_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [open, value]);

  const shown = open && found.values.length > 0;
  const choose = (chosen: string) => {
    onChange(chosen);
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && shown) {
      event.preventDefault();
      setOpen(false);
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && (shown || !multiline)) {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setAt(
        (at + step + found.values.length + (at < 0 && step < 0 ? 1 : 0)) % Math.max(1, found.values.length),
      );
    } else if (event.key === 'Enter' && shown && at >= 0) {
      event.preventDefault();
      choose(found.values[at] ?? value);
    }
  };
  const type = (typed: string) => {
    onChange(typed);
    setOpen(true);
  };
  const common = {
    autoComplete: 'off',
    spellCheck: false,
    'aria-controls': list,
    'aria-activedescendant': shown && at >= 0 ? `${list}-${at}` : undefined,
    'aria-describedby': describedBy,
    required,
    value,
    onFocus: () => setOpen(true),
    onBlur: () => setOpen(false),
    onKeyDown,
  };
  return (
    <div className="anchor">
      {multiline ? (
        <textarea
          id={id}
          className="textarea form-text"
          rows={1}
          aria-haspopup="listbox"
          aria-autocomplete="list"
          {...common}
          onChange={(event) => type(event.target.value)}
        />
      ) : (
        <input
          id={id}
          className="input"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={shown}
          {...common}
          onChange={(event) => type(event.target.value)}
        />
      )}
      <div className="popup popup-below" id={list} role="listbox" aria-label="Suggestions" hidden={!shown}>
        {found.values.map((suggestion, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={suggestion}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            // Before the field loses the focus and the list is gone.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(suggestion);
            }}
          >
            {suggestion}
          </div>
        ))}
        {found.hasMore && <div className="soft small popup-note">There are more; type on.</div>}
      </div>
    </div>
  );
}
