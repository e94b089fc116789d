/** What upstream servers say and ask outside of calls, on its way to the downstream clients it concerns. */

import type { ServerNotification } from '../client/events.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Call } from '../middleware/compose.js';
import { Deadline } from '../protocol/deadline.js';
import { invalidRequest, McpError, missingCapability } from '../protocol/errors.js';
import { decodeAnswer, encodeAsk } from '../protocol/revisions/ask-encoding.js';
import { askObstacle } from '../protocol/revisions/asks.js';
import type { ServerCore } from '../server/core.js';
import type { SessionListener } from '../server/hub.js';
import { callerOf, isLogLevel } from '../server/peer.js';
import type { Session } from '../server/session.js';
import { foreignAsk } from './asker.js';

/** Carried by other means: by token, by subscription, by our own streams. */
const CARRIED: ReadonlySet<string> = new Set([
  'notifications/progress',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
]);

/** How long a client may take to become reachable before its server's question is refused. */
const REACH_MS = 10_000;

/** Handshake clients that have introduced themselves a moment ago: they may not listen yet, and will. */
export class Arrivals {
  readonly #arrived: { readonly session: Session; readonly until: number }[] = [];

  add(session: Session): void {
    const now = performance.now();
    const passed = this.#arrived.findIndex(({ until }) => until > now);
    this.#arrived.splice(0, passed === -1 ? this.#arrived.length : passed);
    this.#arrived.push({ session, until: now + REACH_MS });
  }

  /** How long to wait for one of these to listen; 0 where none is on its way. */
  waitFor(concerns: Concerns): number {
    const last = this.#arrived.findLast(({ session }) => concerns(session));
    return last === undefined ? 0 : Math.max(0, last.until - performance.now());
  }
}

export type Concerns = (session: Session) => boolean;

/** `only`: the session that it is for, which may listen on another node. */
export function fanIn(
  core: ServerCore,
  { method, params }: Pick<ServerNotification, 'method' | 'params'>,
  concerns: Concerns,
  only?: string,
): void {
  if (CARRIED.has(method)) return;
  if (only !== undefined && core.hub.relayStore !== undefined) {
    const { level } = params;
    if (method !== 'notifications/message')
      core.hub.announce({ type: 'message', method, params, session: only });
    else if (isLogLevel(level)) core.hub.announce({ type: 'log', level, params, session: only });
    return;
  }
  for (const listener of core.hub.sessions()) {
    if (!concerns(listener.session)) continue;
    const wanted =
      method === 'notifications/message'
        ? isLogLevel(params.level) && listener.wantsLog(params.level)
        : listener.session.ready;
    if (wanted) listener.deliver(method, params);
  }
}

/** Puts a question to the one session that it can be meant for. */
export async function askOutside(
  core: ServerCore,
  method: string,
  params: JsonObject,
  concerns: Concerns,
  arrivals: Arrivals,
  signal: AbortSignal,
): Promise<JsonObject> {
  const listener = await reach(core, concerns, arrivals, signal);
  if (listener?.ask === undefined) throw nobody(method);
  if (core.hub.sessions().filter(({ session }) => concerns(session)).length > 1) {
    throw invalidRequest(
      `Several clients share this server, and ${method} does not belong to a call; use isolate: "session"`,
    );
  }
  const { session } = listener;
  await becomesReady(session, signal);
  const { revision, capabilities } = session;
  const question = foreignAsk(method, params);
  const obstacle = askObstacle(revision, capabilities, method, question.params);
  if (obstacle !== undefined) throw missingCapability(obstacle.required, obstacle.reason);
  const call: Call = {
    kind: 'request',
    direction: 'outbound',
    method,
    params: question.params,
    caller: callerOf(session),
    signal,
    state: core.dispatcher.createState(),
  };
  return core.dispatcher.outbound(call, async (current) => {
    const encoded = encodeAsk(revision, current.method, current.params);
    const answer = await listener.ask?.(current.method, encoded, signal);
    return decodeAnswer(revision, current.method, current.params, answer ?? {});
  });
}

function nobody(method: string): McpError {
  return new McpError('cannot_ask', `There is no client that ${method} could be put to outside of a call`);
}

/** The way to the client, where it listens or is about to; nothing is waited for otherwise. */
async function reach(
  { hub }: ServerCore,
  concerns: Concerns,
  arrivals: Arrivals,
  signal: AbortSignal,
): Promise<SessionListener | undefined> {
  const listening = hub.sessions().find(({ session }) => concerns(session));
  if (listening !== undefined) return listening;
  // On several nodes a client that introduced itself to another one may listen here.
  const wait = hub.relayStore === undefined ? arrivals.waitFor(concerns) : REACH_MS;
  if (wait === 0) return undefined;
  const deadline = new Deadline(wait, signal);
  try {
    return await hub.reach(concerns, deadline.signal);
  } catch {
    return undefined;
  } finally {
    deadline.clear();
  }
}

async function becomesReady(session: Session, signal: AbortSignal): Promise<void> {
  if (session.ready) return;
  const deadline = new Deadline(REACH_MS, signal);
  const late = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(deadline.signal.reason);
    if (deadline.signal.aborted) abort();
    else deadline.signal.addEventListener('abort', abort, { once: true });
  });
  try {
    await Promise.race([session.whenReady(), late]);
  } finally {
    deadline.clear();
  }
}
