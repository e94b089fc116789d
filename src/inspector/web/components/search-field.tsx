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
      />
    </div>
  );
}
