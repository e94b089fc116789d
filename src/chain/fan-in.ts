/** What upstream servers say and ask outside of calls, on its way to the downstream clients it concerns. */

import type { ServerNotification } from '../client/events.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Call } from '../middleware/compose.js';
import { invalidRequest, McpError, missingCapability } from '../protocol/errors.js';
import { askObstacle, decodeAnswer, encodeAsk } from '../protocol/revisions/asks.js';
import type { ServerCore } from '../server/core.js';
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
  signal: AbortSignal,
): Promise<JsonObject> {
  const reachable = AbortSignal.any([signal, AbortSignal.timeout(REACH_MS)]);
  const listener = await core.hub.reach(concerns, reachable).catch(() => undefined);
  if (listener?.ask === undefined) throw nobody(method);
  if (core.hub.sessions().filter(({ session }) => concerns(session)).length > 1) {
    throw invalidRequest(
      `Several clients share this server, and ${method} belongs to no call of theirs; use isolate: "session"`,
    );
  }
  const { session } = listener;
  await Promise.race([session.whenReady(), aborted(reachable)]);
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

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
