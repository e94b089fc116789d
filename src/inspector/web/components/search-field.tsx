import type { KeyboardEvent } from 'react';
import { Icon } from './icon.js';

export function SearchField({
  label,
  value,
  onChange,
  main = true,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The field that the key `/` goes to. */
  main?: boolean;
}) {
  return (
    <div className="search">
      <Icon name="search" />
      <input
        className="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        data-search={main}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={intoList}
      />
    </div>
  );
}

/** The arrow key goes from the search into the list that it searches. */
function intoList(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown') return;
  const section = event.currentTarget.closest('section, aside, .panel');
  const first = section?.querySelector<HTMLElement>('[data-list] a.item, [role="listbox"]');
  if (first === null || first === undefined) return;
  event.preventDefault();
  first.focus();
}
