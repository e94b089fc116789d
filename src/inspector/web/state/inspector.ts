/** The one store of the page, kept up to date by the stream of events. */

import type { ServerId } from '../../api.js';
import { ApiCallError, command, failureOf, readEvents } from './api-client.js';
import {
  applyEvent,
  type CatalogueEntry,
  type InspectorState,
  initialState,
  withDraft,
} from './inspector-state.js';
import { createStore, useStore, type ValueStore } from './store.js';

const inspector: ValueStore<InspectorState> = createStore(initialState);

export function useInspector<S>(select: (state: InspectorState) => S): S {
  return useStore(inspector, select);
}

export function inspectorState(): InspectorState {
  return inspector.get();
}

/** What was typed, in this page at once; `drafts.ts` sends it to the process. */
export function setDraftHere(place: string, value: unknown): void {
  inspector.update((state) => withDraft(state, place, value));
}

const RETRY_MS = 1_000;

/** Follows the process until the page is closed; a lost stream is opened again. */
export async function followProcess(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readEvents((event) => inspector.update((state) => applyEvent(state, event)), signal);
    } catch (error) {
      if (error instanceof ApiCallError && error.failure.code !== 'unreachable') {
        inspector.update((state) => ({ ...state, link: 'refused' }));
        return;
      }
    }
    inspector.update((state) => ({ ...state, link: 'lost' }));
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Fetches the lists of a server, unless they are here and fresh. */
export async function loadCatalogue(server: ServerId, reload = false): Promise<void> {
  const entry = inspector.get().catalogues[server];
  if (entry?.loading || (entry?.catalogue !== undefined && !entry.stale && !reload)) return;
  // What changes while they are fetched makes them stale again.
  setEntry(server, (before) => ({ ...before, loading: true, stale: false }));
  try {
    const catalogue = await command('catalogue.get', { server, reload });
    setEntry(server, (before) => ({ catalogue, loading: false, stale: before.stale }));
  } catch (error) {
    const problem = failureOf(error).message;
    setEntry(server, (before) => ({ ...before, loading: false, problem }));
  }
}

function setEntry(server: ServerId, change: (entry: CatalogueEntry) => CatalogueEntry): void {
  inspector.update((state) => {
    const entry = state.catalogues[server] ?? { loading: false, stale: false };
    return { ...state, catalogues: { ...state.catalogues, [server]: change(entry) } };
  });
}
