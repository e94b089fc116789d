/**
 * Calls by their place in the page: a tool, a prompt, a resource. The process runs and remembers them, so that a reload
 * or another tab shows the same; results are fetched when they are looked at.
 */

import { useEffect, useState } from 'react';
import type { CallOutcome, CallTarget, InspectedCall, PastCall, ServerId } from '../../api.js';
import { command, failureOf } from './api-client.js';
import { useInspector } from './inspector.js';
import { createStore, useStore, type ValueStore } from './store.js';

export interface PageCall {
  readonly callId: string;
  /** Absent while it runs, and until its result is fetched. */
  readonly outcome?: CallOutcome;
  readonly running: boolean;
}

/** One place of the page: a tool, a prompt or a resource of a server. */
export type PagePlace = string;

const MAX_OUTCOMES = 50;

/** Results that this page has, by call. */
const outcomes: ValueStore<ReadonlyMap<string, CallOutcome>> = createStore<ReadonlyMap<string, CallOutcome>>(
  new Map(),
);
/** Calls that this page began, before the process has said so. */
const begun: ValueStore<ReadonlyMap<PagePlace, string>> = createStore<ReadonlyMap<PagePlace, string>>(
  new Map(),
);

export function placeOf(server: ServerId, kind: string, name: string): PagePlace {
  return JSON.stringify([server, kind, name]);
}

function placeOfTarget(server: ServerId, target: CallTarget): PagePlace {
  switch (target.kind) {
    case 'tool':
    case 'prompt':
      return placeOf(server, target.kind, target.name);
    case 'resource':
      return placeOf(server, target.kind, target.uri);
    case 'task':
      return placeOf(server, target.kind, target.id);
    default:
      return placeOf(server, 'composer', '');
  }
}

export function newCallId(): string {
  return crypto.randomUUID();
}

function remember(outcome: CallOutcome): void {
  outcomes.update((before) => {
    const after = new Map(before).set(outcome.callId, outcome);
    const oldest = after.keys().next();
    if (after.size > MAX_OUTCOMES && !oldest.done) after.delete(oldest.value);
    return after;
  });
}

export interface CallRunOptions {
  readonly timeoutMs?: number | undefined;
}

export async function runCall(
  place: PagePlace,
  server: ServerId,
  target: CallTarget,
  { timeoutMs }: CallRunOptions = {},
): Promise<CallOutcome> {
  const callId = newCallId();
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return follow(place, callId, command('calls.run', { callId, server, target, ...limit }));
}

/** Makes a past call again, as it was. */
export function repeatCall({ callId: past, server, target }: PastCall): Promise<CallOutcome> {
  const callId = newCallId();
  return follow(placeOfTarget(server, target), callId, command('calls.again', { callId, past }));
}

async function follow(place: PagePlace, callId: string, answer: Promise<CallOutcome>): Promise<CallOutcome> {
  begun.update((before) => new Map(before).set(place, callId));
  const outcome = await answer.catch(
    (error: unknown): CallOutcome => ({
      callId,
      startedAt: Date.now(),
      durationMs: 0,
      ok: false,
      cancelled: false,
      failure: failureOf(error),
    }),
  );
  remember(outcome);
  return outcome;
}

export function cancelCall(callId: string): Promise<unknown> {
  return command('calls.cancel', { callId });
}

/** Stops waiting for its task, which goes on. */
export function leaveCall(callId: string): Promise<unknown> {
  return command('calls.leave', { callId });
}

export function extendCall(callId: string, timeoutMs: number): Promise<unknown> {
  return command('calls.extend', { callId, timeoutMs });
}

/** The latest call of a place, in this page or another one. */
export function usePageCall(place: PagePlace): PageCall | undefined {
  const own = useStore(begun, (all) => all.get(place));
  const running = useInspector(({ calls }) =>
    calls.findLast(({ server, target }) => placeOfTarget(server, target) === place),
  );
  const past = useInspector((state) =>
    state.past.findLast(({ server, target }) => placeOfTarget(server, target) === place),
  );
  const known = useStore(outcomes, (all) => (own === undefined ? undefined : all.get(own)));
  const latest = running?.callId ?? newest(own, known, past);
  const outcome = useOutcome(running === undefined ? latest : undefined);
  if (latest === undefined) return undefined;
  return {
    callId: latest,
    running: running !== undefined || (latest === own && outcome === undefined && past?.callId !== latest),
    ...(running === undefined && outcome !== undefined ? { outcome } : {}),
  };
}

/** The call that was begun here, unless another page has made a later one. */
function newest(
  own: string | undefined,
  known: CallOutcome | undefined,
  past: PastCall | undefined,
): string | undefined {
  if (own === undefined) return past?.callId;
  if (known === undefined || past === undefined) return own;
  return past.startedAt > known.startedAt ? past.callId : own;
}

/** The outcome of a call that has ended, fetched when this page does not have it. */
export function useOutcome(callId: string | undefined): CallOutcome | undefined {
  const known = useStore(outcomes, (all) => (callId === undefined ? undefined : all.get(callId)));
  const isPast = useInspector((state) => state.past.some((call) => call.callId === callId));
  const [asked, setAsked] = useState<string | undefined>();
  useEffect(() => {
    if (callId === undefined || known !== undefined || !isPast || asked === callId) return;
    setAsked(callId);
    command('calls.outcome', { callId }).then(remember, () => undefined);
  }, [callId, known, isPast, asked]);
  return known;
}

export function useRunningCall(callId: string | undefined): InspectedCall | undefined {
  return useInspector((state) => state.calls.find((call) => call.callId === callId));
}
