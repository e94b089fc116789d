/** Middleware: one chain around every call, in both directions and in every revision. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { AuthInfo } from '../protocol/authorization.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ClientCapabilities } from '../protocol/model/capabilities.js';

/** One message on its way, the same in every revision. */
export interface Call {
  readonly kind: 'request' | 'notification';
  /** `inbound`: from the client to the server. `outbound`: the server's own questions and notifications. */
  readonly direction: 'inbound' | 'outbound';
  readonly method: string;
  readonly params: JsonObject;
  /** Middleware that knows better who is calling passes on a call with another one; handlers see that. */
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** What middleware hands to handlers (`ctx.state`), and to the middleware behind it. Made for each call. */
  readonly state: CallState;
  /** Set by the chain, kept by copies: which call this is, and in the course of which other a middleware made it. */
  readonly origin?: Origin;
}

/** Values of one call, by name. `state` in the options of a server says which there are. */
export type CallState = { [name: string]: unknown };

export interface Origin {
  readonly parent?: Origin | undefined;
}

/** The caller. Client info is what the client reports about itself: for display, never for decisions. */
export interface Caller {
  readonly revision: string;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The authenticated principal, where the transport knows one. */
  readonly principal: string | undefined;
  readonly sessionId: string | undefined;
  /** What the access token of this call says, where the transport verified one. */
  readonly auth?: AuthInfo | undefined;
}

/** Runs the rest of the chain, with the same call or a changed one. Notifications resolve with an empty object. */
export interface Next {
  (call?: Call): Promise<JsonObject>;
  /** Runs the rest of the chain with the same call once more, however often that was done before. */
  again(): Promise<JsonObject>;
  /**
   * Makes another request on behalf of the same caller, any number of times. It enters at the outermost middleware, so
   * that whatever the caller may not do is refused here too, and leaves out the middleware that makes it.
   */
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Runs around a call: `(call, next) => next()`; may change the call, the result, or answer by itself. */
export type Middleware = (call: Call, next: Next) => JsonObject | Promise<JsonObject>;

/** Which calls a middleware sees. Method patterns may end in `*`. */
export interface CallFilter {
  readonly method?: string | readonly string[] | undefined;
  readonly direction?: Call['direction'] | undefined;
  readonly kind?: Call['kind'] | undefined;
}

export interface FilteredMiddleware {
  readonly filter: CallFilter;
  readonly middleware: Middleware;
}

type Handler = (call: Call) => JsonObject | Promise<JsonObject>;

/** Whether a filter lets this call through to its middleware. */
export function matches(filter: CallFilter, call: Pick<Call, 'kind' | 'direction' | 'method'>): boolean {
  if (filter.direction !== undefined && filter.direction !== call.direction) return false;
  if (filter.kind !== undefined && filter.kind !== call.kind) return false;
  if (filter.method === undefined) return true;
  const patterns = typeof filter.method === 'string' ? [filter.method] : filter.method;
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? call.method.startsWith(pattern.slice(0, -1)) : pattern === call.method,
  );
}

/** All middlewares that a call passes. */
export type Around = (call: Call) => readonly Middleware[];

const NOT_NESTED: ReadonlySet<Middleware> = new Set();

/** Runs the call through the middlewares, first one outermost, and then the handler. */
export async function runChain(
  middlewares: readonly Middleware[],
  call: Call,
  handler: Handler,
  around: Around = () => middlewares,
  makers: ReadonlySet<Middleware> = NOT_NESTED,
): Promise<JsonObject> {
  const step = async (index: number, current: Call): Promise<JsonObject> => {
    const middleware = middlewares[index];
    if (middleware === undefined) return handler(current);
    let called = false;
    const next = (changed: Call = current): Promise<JsonObject> => {
      // A second run would execute the handler's side effects twice.
      if (called) return Promise.reject(new Error('next() was called twice by the same middleware'));
      called = true;
      return step(index + 1, changed);
    };
    const again = (): Promise<JsonObject> => step(index + 1, current);
    const request = (method: string, params: JsonObject): Promise<JsonObject> => {
      const origin: Origin = { parent: current.origin };
      const other: Call = { ...current, kind: 'request', direction: 'inbound', method, params, origin };
      // Two middlewares that both make calls must not make them of each other without end.
      const outer = new Set([...makers, middleware]);
      const passed = around(other).filter((each) => !outer.has(each));
      return runChain(passed, other, handler, around, outer);
    };
    return middleware(current, Object.assign(next, { again, request }));
  };
  return step(0, call.origin === undefined ? { ...call, origin: {} } : call);
}

/** Whether this call was made in the course of one of those; such a call must not wait for what that one holds. */
export function isWithin({ origin }: Call, held: WeakSet<Origin>): boolean {
  for (let outer = origin?.parent; outer !== undefined; outer = outer.parent) {
    if (held.has(outer)) return true;
  }
  return false;
}
