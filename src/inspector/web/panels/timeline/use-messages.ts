/**
 * The messages that match a filter, as far as they are looked at: pages of them are fetched when they come into view,
 * and again when something in them has changed. A hundred thousand messages never are in the page at once.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { MessageFilter, TimelineQuery, TimelineRow } from '../../../api.js';
import type { Visible } from '../../components/virtual-list.js';
import { command, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';

const PAGE = 200;
/** Pages that are kept; those far from the view go first. */
const MAX_PAGES = 40;

interface Page {
  readonly messages: readonly TimelineRow[];
  readonly stale: boolean;
}

export interface Messages {
  /** False until the first answer: the number of matches is not known yet. */
  readonly known: boolean;
  readonly total: number;
  readonly problem: string | undefined;
  at(index: number): TimelineRow | undefined;
  show(visible: Visible): void;
}

interface Loaded {
  /** The filter that the pages belong to. */
  readonly key: string | undefined;
  readonly total: number;
  readonly pages: ReadonlyMap<number, Page>;
  readonly problem: string | undefined;
}

const NOTHING: Loaded = { key: undefined, total: 0, pages: new Map(), problem: undefined };

export type RowKind = NonNullable<TimelineQuery['rows']>;

export function useMessages(filter: MessageFilter, rows: RowKind = 'messages'): Messages {
  const change = useInspector((state) => state.timelineChange);
  const first = useInspector((state) => state.timeline.first);
  const [loaded, setLoaded] = useState<Loaded>(NOTHING);
  const [shown, setShown] = useState({ first: 0, last: 0 });
  const inFlight = useRef(new Set<string>());
  const key = JSON.stringify({ filter, rows });
  const current = useRef(key);
  current.current = key;

  // Pages that end before what changed stay as they are, unless older messages were dropped and all have moved.
  const before = useRef(first);
  useEffect(() => {
    const moved = before.current !== first;
    before.current = first;
    if (change.count === 0) return;
    setLoaded((now) => ({
      ...now,
      pages: new Map(
        [...now.pages].map(([number, page]) => {
          const untouched = !moved && page.messages.length === PAGE && lastSeq(page) < change.from;
          return [number, untouched ? page : { ...page, stale: true }];
        }),
      ),
    }));
  }, [change, first]);

  const wanted = useMemo(
    () => Array.from({ length: shown.last - shown.first + 1 }, (_, index) => shown.first + index),
    [shown],
  );

  const fetchPage = useCallback(
    async (number: number) => {
      const name = `${number} ${key}`;
      if (inFlight.current.has(name)) return;
      inFlight.current.add(name);
      try {
        const page = await command('timeline.query', {
          ...(JSON.parse(key) as Pick<TimelineQuery, 'filter' | 'rows'>),
          offset: number * PAGE,
          limit: PAGE,
        });
        if (current.current !== key) return;
        setLoaded((now) => withPage(now, key, number, page.messages, page.total));
      } catch (error) {
        if (current.current === key) setLoaded((now) => ({ ...now, key, problem: failureOf(error).message }));
      } finally {
        inFlight.current.delete(name);
      }
    },
    [key],
  );

  useEffect(() => {
    // Until the first page of another filter is here, the list of the one before stays: nothing flickers.
    const other = loaded.key !== key;
    if (!other && loaded.problem !== undefined) return;
    const numbers = other ? [0] : wanted;
    for (const number of numbers) {
      if (other || loaded.pages.get(number)?.stale !== false) void fetchPage(number);
    }
  }, [wanted, loaded, fetchPage, key]);

  // Called with every step of scrolling: only another page makes a difference.
  const show = useCallback(({ first: firstRow, end }: Visible) => {
    const next = { first: Math.floor(firstRow / PAGE), last: Math.max(0, Math.ceil(end / PAGE) - 1) };
    setShown((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, []);
  return {
    known: loaded.key !== undefined,
    total: loaded.total,
    problem: loaded.problem,
    at: (index) => loaded.pages.get(Math.floor(index / PAGE))?.messages[index % PAGE],
    show,
  };
}

/** Messages are ordered by their call where they are rows of exchanges; a call is never newer than its messages. */
function lastSeq(page: Page): number {
  return page.messages.at(-1)?.group ?? 0;
}

function withPage(
  now: Loaded,
  key: string,
  number: number,
  messages: readonly TimelineRow[],
  total: number,
): Loaded {
  const pages = new Map(now.key === key ? now.pages : []).set(number, { messages, stale: false });
  if (pages.size > MAX_PAGES) {
    const farthest = [...pages.keys()].reduce((far, each) =>
      Math.abs(each - number) > Math.abs(far - number) ? each : far,
    );
    pages.delete(farthest);
  }
  return { key, total, pages, problem: undefined };
}
