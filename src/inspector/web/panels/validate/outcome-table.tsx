import { useState } from 'react';
import type { ComplyOutcome, ComplyRevision } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { matches } from '../../components/search.js';
import { SearchField } from '../../components/search-field.js';

const TONES = { pass: 'good', fail: 'bad', skip: undefined } as const;

/** Everything that was judged in one revision, closed until it is wanted. */
export function OutcomeTable({ revision }: { revision: ComplyRevision }) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState('');
  const shown = revision.outcomes.filter(({ id, title, area, verdict }) =>
    matches(search, id, title, area, verdict),
  );
  return (
    <details className="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        All {revision.outcomes.length} requirements in {revision.revision}
      </summary>
      {open && (
        <div className="stack outcome-list">
          <SearchField
            label={`Search requirements of ${revision.revision}`}
            value={search}
            onChange={setSearch}
          />
          <ul className="stack-tight">
            {shown.map((outcome) => (
              <OutcomeLine key={outcome.id} outcome={outcome} />
            ))}
          </ul>
        </div>
      )}
    </details>
  );
}

/** An option is used or not; nothing depends on it. */
function verdictOf({ level, verdict }: ComplyOutcome): string {
  if (level === 'may') return verdict === 'pass' ? 'used' : 'optional';
  return verdict;
}

function OutcomeLine({ outcome }: { outcome: ComplyOutcome }) {
  return (
    <li className="outcome-line">
      <Badge tone={outcome.level === 'may' ? undefined : TONES[outcome.verdict]}>{verdictOf(outcome)}</Badge>
      <code className="small soft">{outcome.id}</code>
      <span className="wrap">
        {outcome.title}
        {outcome.reason && <span className="soft"> ({outcome.reason})</span>}
      </span>
    </li>
  );
}
