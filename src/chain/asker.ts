/** Who made a call that runs upstream: questions and notifications of the upstream server go back there. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams, McpError, methodNotFound, ProtocolError } from '../protocol/errors.js';
import { META_RELATED_TASK } from '../protocol/model/meta.js';
import type { Ask } from '../server/asks.js';

export interface Asker {
  readonly principal: string | undefined;
  /** The same for all calls of one downstream session; of its own for a call without one. */
  readonly session: unknown;
  /** A call during which servers seldom ask, such as a list: what could concern another call concerns that one. */
  readonly yields?: boolean;
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
  /** For a call that outlives the request it came with; other calls report their progress on that request. */
  progress?(progress: number, total: number | undefined, message: string | undefined): void;
}

export function isAsker(value: unknown): value is Asker {
  return isRecord(value) && typeof value.ask === 'function' && typeof value.notify === 'function';
}

/** The task that a question of a server belongs to, where it says so. */
export function relatedTask({ _meta }: JsonObject): string | undefined {
  const related = isRecord(_meta) ? _meta[META_RELATED_TASK] : undefined;
  return isRecord(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}

/** A question as another server put it; its answer is handed on as it comes. */
export function foreignAsk(method: string, params: JsonObject): Ask<JsonObject> {
  if (!isAskMethod(method)) throw methodNotFound(method);
  const url = params.mode === 'url' && params.elicitationId === undefined;
  return {
    method,
    // Some revisions need an id for the page to be visited, others have none.
    params: url ? { ...params, elicitationId: crypto.randomUUID() } : params,
    parse: (answer) => {
      if (!isRecord(answer)) throw invalidParams(`The answer to ${method} must be an object`);
      return answer;
    },
  };
}

function isAskMethod(method: string): method is Ask<unknown>['method'] {
  return method === 'elicitation/create' || method === 'sampling/createMessage' || method === 'roots/list';
}

/** The error for the upstream server when its question was not answered. */
export function refusalFor(method: string, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof McpError && error.cause instanceof ProtocolError) return error.cause;
  // As a client answers that has no such thing: servers are prepared for that, and go on without it.
  if (error instanceof McpError && error.code === 'cannot_ask') {
    return new ProtocolError('method_not_found', error.message, { data: { method }, cause: error });
  }
  const reason = error instanceof McpError ? `: ${error.message}` : '';
  return new ProtocolError('internal_error', `The client could not answer ${method}${reason}`, {
    cause: error,
  });
}

/**
 * Where the transport does not identify the call, a message concerns the caller if there is only one: the same session or
 * principal for all of them, or a connection that one caller has for itself.
 */
export function onlyAsker(among: readonly Asker[], exclusive: boolean): Asker | 'ambiguous' | undefined {
  const last = among.at(-1);
  if (last === undefined) return undefined;
  const alone = among.every(
    ({ session, principal }) =>
      session === last.session || (principal !== undefined && principal === last.principal),
  );
  return alone || exclusive ? last : 'ambiguous';
}
