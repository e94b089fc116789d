/** The handler of a method, and which clients may call it. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { Answer } from '../protocol/revisions/result-text.js';
import type { CallContext } from './context.js';

export type RouteAnswer = Answer | Promise<Answer>;

export interface Route {
  /** Methods outside the protocol's vocabulary, added by the author, exist in every revision. */
  readonly custom?: boolean;
  /** The revisions that have the method, where that is not what their tables say. */
  readonly serves?: (revision: Revision) => boolean;
  /** False while the server has nothing to serve: the method then does not exist. */
  readonly available?: () => boolean;
  /** The handler itself says (`ctx.resume()`) whether the request state is ours: it may belong to a server behind. */
  readonly resumes?: boolean;
  readonly handle: (params: JsonObject, ctx: CallContext) => RouteAnswer;
}

/** Whether a peer of this revision can call the method. */
export function isServed(route: Route, method: string, revision: Revision): boolean {
  if (route.available?.() === false) return false;
  return route.serves?.(revision) ?? (route.custom === true || revision.clientRequests.has(method));
}
