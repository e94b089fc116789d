/** Text of any length: the beginning at once, all of it when wanted, and a search within. */

import { useDeferredValue, useMemo, useState } from 'react';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { formatBytes, formatCount, plural } from './format.js';
import { VirtualText } from './virtual-text.js';

/** More than this takes long to lay out. */
export const SHOWN_CHARACTERS = 50_000;
const MAX_LINES_FOUND = 200;
const MAX_LINE = 400;

export function LongText({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const long = text.length > SHOWN_CHARACTERS;
  const found = useMemo(() => (wanted === '' ? undefined : findLines(text, wanted)), [text, wanted]);
  return (
    <div className="code-block">
      {long && (
        <div className="row-wrap long-text-bar">
          <span className="small soft">
            {all
              ? formatBytes(text.length)
              : `The first ${formatCount(SHOWN_CHARACTERS)} of ${formatCount(text.length)} characters`}
          </span>
          <input
            className="input compact"
            type="search"
            aria-label={`Search in: ${label}`}
            placeholder="Search within"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          {!all && (
            <Button size="small" onClick={() => setAll(true)}>
              Show all
            </Button>
          )}
        </div>
      )}
      {found !== undefined && <FoundLines found={found} search={wanted} />}
      {found === undefined && all && <VirtualText text={text} label={label} />}
      {found === undefined && !all && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        <section tabIndex={0} aria-label={label}>
          <pre className="pre-wrap wrap">{long ? text.slice(0, SHOWN_CHARACTERS) : text}</pre>
        </section>
      )}
      <div className="code-copy">
        <CopyButton compact label={`Copy: ${label}`} text={() => text} />
      </div>
    </div>
  );
}

interface Found {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  readonly total: number;
}

function FoundLines({ found, search }: { found: Found; search: string }) {
  const more = found.total > found.lines.length ? `; the first ${found.lines.length} are shown` : '';
  return (
    <div className="stack-tight long-text-found">
      <p className="small soft" aria-live="polite">
        {plural(found.total, 'match', 'matches')} of “{search}”{more}
      </p>
      <ol>
        {found.lines.map(({ number, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one line may match twice
          <li key={index} className="mono small wrap">
            <span className="soft">{number}: </span>
            {text}
          </li>
        ))}
      </ol>
    </div>
  );
}

function findLines(text: string, search: string): Found {
  const lines: { number: number; text: string }[] = [];
  const haystack = text.toLowerCase();
  const needle = search.toLowerCase();
  let total = 0;
  let line = 1;
  let counted = 0;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + needle.length)) {
    total += 1;
    if (lines.length >= MAX_LINES_FOUND) continue;
    for (
      let next = text.indexOf('\n', counted);
      next !== -1 && next < at;
      next = text.indexOf('\n', counted)
    ) {
      line += 1;
      counted = next + 1;
    }
    const start = Math.max(counted, at - MAX_LINE / 2);
    const end = text.indexOf('\n', at);
    lines.push({
      number: line,
      text: text.slice(start, Math.min(end === -1 ? text.length : end, start + MAX_LINE)),
    });
  }
  return { lines, total };
}
