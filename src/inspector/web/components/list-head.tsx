import { loadCatalogue } from '../state/inspector.js';
import { IconButton } from './button.js';
import { SearchField } from './search-field.js';

/** Search, count and reload above a list of a server's things. */
export function ListHead({
  label,
  search,
  onSearch,
  count,
  total,
  server,
}: {
  label: string;
  search: string;
  onSearch: (search: string) => void;
  count: number;
  total: number;
  server: string;
}) {
  return (
    <div className="split-head">
      <div className="row">
        <SearchField label={label} value={search} onChange={onSearch} />
        <IconButton icon="again" label="Fetch the lists again" onClick={() => loadCatalogue(server, true)} />
      </div>
      <span className="small soft" aria-live="polite">
        {count === total ? `${total}` : `${count} of ${total}`}
      </span>
    </div>
  );
}
