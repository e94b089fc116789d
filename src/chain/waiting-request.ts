/**
 * The request that waits for the end of a parked call: requests and notifications of the server go to it
 * meanwhile.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { CallContext } from '../server/context.js';
import { foreignAsk } from './asker.js';
import { ContextAsker } from './forward.js';

export interface WaitingRequest {
  readonly principal: string | undefined;
  readonly signal: AbortSignal;
  /** Rejects with a Suspension when the client has to come back with the answer. */
  ask(key: string, method: string, params: JsonObject): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
  progress(progress: number, total: number | undefined, message: string | undefined): void;
}

export function waitingRequestOf(ctx: CallContext): WaitingRequest {
  const asker = new ContextAsker(ctx);
  return {
    principal: ctx.peer.principal,
    signal: ctx.signal,
    ask: async (key, method, params) => {
      const { [key]: answer } = await ctx.ask({ [key]: foreignAsk(method, params) });
      return answer ?? {};
    },
    notify: (method, params) => asker.notify(method, params),
    progress: (progress, total, message) => ctx.progress(progress, total, message),
  };
}
