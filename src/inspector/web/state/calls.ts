/** Calls that this page made: their outcomes stay while the user looks elsewhere. */

import type { CallOutcome, CallTarget, RunningCall, ServerId } from '../../api.js';
import { command, failureOf } from './api-client.js';
import { useInspector } from './inspector.js';
import { createStore, type Store, useStore } from './store.js';

export interface PageCall {
  readonly callId: string;
  /** Absent while it runs. */
  readonly outcome?: CallOutcome;
}

/** One place of the page: a tool, a prompt or a resource of a server. */
export type Place = string;

const MAX_PLACES = 200;

const calls: Store<ReadonlyMap<Place, PageCall>> = createStore<ReadonlyMap<Place, PageCall>>(new Map());

export function placeOf(server: ServerId, kind: string, name: string): Place {
  return JSON.stringify([server, kind, name]);
}

export function newCallId(): string {
  return crypto.randomUUID();
}

function remember(place: Place, call: PageCall): void {
  calls.update((before) => {
    const after = new Map(before);
    after.delete(place);
    after.set(place, call);
    const oldest = after.keys().next();
    if (after.size > MAX_PLACES && !oldest.done) after.delete(oldest.value);
    return after;
  });
}

export async function runCall(place: Place, server: ServerId, target: CallTarget): Promise<CallOutcome> {
  const callId = newCallId();
  remember(place, { callId });
  const outcome = await command('calls.run', { callId, server, target }).catch(
    (error: unknown): CallOutcome => ({
      callId,
      startedAt: Date.now(),
      durationMs: 0,
      ok: false,
      cancelled: false,
      failure: failureOf(error),
    }),
  );
  // A later call from the same place has taken over.
  if (calls.get().get(place)?.callId === callId) remember(place, { callId, outcome });
  return outcome;
}

export function cancelCall(callId: string): Promise<unknown> {
  return command('calls.cancel', { callId });
}

export function usePageCall(place: Place): PageCall | undefined {
  return useStore(calls, (all) => all.get(place));
}

export function useRunningCall(callId: string | undefined): RunningCall | undefined {
  return useInspector((state) => state.calls.find((call) => call.callId === callId));
}
