/** The way back to the client while one of its calls runs. Each transport has its own. */

import type { JsonObject, RequestId } from '../jsonrpc/message.js';
import type { AuthInfo } from '../protocol/authorization.js';

export interface Channel {
  /** What the credentials that came with this call say, where the transport has any. */
  readonly auth?: AuthInfo | undefined;
  /** Whether tools with scopes are open only to credentials that have them: over HTTP, not for a local client. */
  readonly requiresScopes?: boolean | undefined;
  /** Whether the client is this process, or the one that started it: the user of both is the same. */
  readonly isLocal?: boolean | undefined;
  /** The call did not end at once: it can be cancelled from now on. Calls that do end at once are never begun. */
  begin(id: RequestId, call: RunningCall): void;
  end(id: RequestId, call: RunningCall): void;
  /** Sends an encoded notification on the stream of this call, ahead of its result. */
  notify(text: string): void;
  /** Sends a request to the client and waits for the answer (handshake era). */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Lets the client go and come back for the rest after this time; does nothing where that is not possible. */
  release(retryMs: number): void;
}

export interface RunningCall {
  readonly method: string;
  /** Its slot among the channels that belong to no session. */
  seat?: number;
  /** What its message is charged for while it runs. */
  weight?: number;
  cancel(reason: string): void;
}
