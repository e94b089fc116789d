import { loadCatalogue } from '../state/inspector.js';
import { IconButton } from './button.js';
import { plural } from './format.js';
import { SearchField } from './search-field.js';

/** Search, count and reload above a list of a server's things. */
export function ListHead({
  noun,
  search,
  onSearch,
  count,
  total,
  server,
}: {
  noun: string;
  search: string;
  onSearch: (search: string) => void;
  count: number;
  total: number;
  server: string;
}) {
  return (
    <div className="split-head">
      <div className="row">
        <SearchField label={`Search ${noun}s`} value={search} onChange={onSearch} />
        <IconButton icon="again" label="Fetch the lists again" onClick={() => loadCatalogue(server, true)} />
      </div>
      <span className="small soft" aria-live="polite">
        {count === total ? plural(total, noun) : `${count} of ${plural(total, noun)}`}
      </span>
    </div>
  );
}
