/**
 * The two ways of talking that the revisions have between them, behind one face: what a request looks like, how the
 * server's questions come in, how changes are subscribed to, where the log level goes.
 */

import type { ErrorObject, JsonObject, Notification, Request, RequestId } from '../../../jsonrpc/message.js';
import type { Implementation } from '../../../protocol/model/base.js';
import type { ServerCapabilities } from '../../../protocol/model/capabilities.js';
import type { LogLevel } from '../../../protocol/model/logging.js';
import type { RequestMeta } from '../../../protocol/model/meta.js';
import type { Revision } from '../../../protocol/revisions/index.js';
import type { AskedCall } from '../../input/asks.js';
import type { InputRequired } from '../../input/input-rounds.js';
import type { CallOptions, Sender } from '../../options.js';
import type { SendReply } from '../batch-reply.js';

/** What both sides agreed on, or the server said of itself. */
export interface ClientSession {
  readonly revision: Revision;
  readonly server: Implementation | undefined;
  /** `undefined` when the server would not say. */
  readonly capabilities: ServerCapabilities | undefined;
  readonly instructions: string | undefined;
}

export interface ClientEra {
  readonly session: ClientSession;
  readonly feed: ChangeFeed;

  /** The request in one line of JSON. */
  encode(
    id: RequestId,
    method: string,
    params: JsonObject,
    meta: RequestMeta | undefined,
    progressToken: RequestId | undefined,
    sender?: Sender,
  ): string;
  /** The same around params that are text already; `undefined` where something has to be added to them. */
  splice(id: RequestId, method: string, params: string): string | undefined;
  /** What the server wants to know before it can finish, or `undefined` for a final result. Throws on neither. */
  judge(method: string, result: JsonObject, raw: boolean): InputRequired | undefined;
  /** Whether sending the request again, as `encode` now writes it, may get past this error. */
  amend(error: ErrorObject): boolean;

  /** A request from the server; `call` is the one on whose stream it arrived, where the transport knows. */
  request(request: Request, reply: SendReply, call?: AskedCall): void;
  /** Acts on what concerns the way of talking itself; false when the notification is not meant for us. */
  notified(notification: Notification): boolean;

  setLogLevel(level: LogLevel, options: CallOptions): Promise<void>;
  /** A round trip. */
  ping(options: CallOptions): Promise<void>;
  /** The connection is gone. */
  end(): void;
}

/** Keeps the server's subscriptions equal to what the client wants. */
export interface ChangeFeed {
  /** Requests that stay open for as long as changes are wanted. */
  readonly streams: number;
  /** Resolves when the server has confirmed (or refused) what is wanted now. */
  sync(): Promise<void>;
  /** Why the server does not report changes of this URI, if it does not. */
  refusal(uri: string): unknown;
}
