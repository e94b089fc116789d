/** The lists of a server, fetched when they are first looked at and when they have changed. */

import { useEffect } from 'react';
import type { ServerView } from '../../api.js';
import { loadCatalogue, useInspector } from './inspector.js';
import type { CatalogueEntry } from './inspector-state.js';

export function useCatalogue(server: ServerView | undefined): CatalogueEntry | undefined {
  const id = server?.id;
  const ready = server?.state === 'ready';
  const entry = useInspector((state) => (id === undefined ? undefined : state.catalogues[id]));
  const stale = entry === undefined || entry.stale;
  const loading = entry?.loading ?? false;
  useEffect(() => {
    if (id !== undefined && ready && stale && !loading) void loadCatalogue(id);
  }, [id, ready, stale, loading]);
  return entry;
}
