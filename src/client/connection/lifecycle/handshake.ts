/**
 * Revisions with a handshake: requests are plain, the server asks by requests of its own, changes come unasked, and
 * the log level belongs to the session.
 */

import { encodeError, encodeResult, spliceRequest } from '../../../jsonrpc/encode.js';
import {
  type ErrorObject,
  isRequestId,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
} from '../../../jsonrpc/message.js';
import { ProtocolError } from '../../../protocol/errors.js';
import type { LogLevel } from '../../../protocol/model/logging.js';
import type { RequestMeta } from '../../../protocol/model/meta.js';
import { errorFor } from '../../../protocol/revisions/index.js';
import { messageOf, RefusedError, USER_REFUSED } from '../../errors.js';
import type { AskedCall } from '../../input/asks.js';
import type { CallOptions } from '../../options.js';
import type { Attention } from '../attention.js';
import type { Reply } from '../batch-reply.js';
import { undeclared, unsubscribable } from '../capabilities.js';
import type { ConnectionOwner, Requester } from '../connection.js';
import { Envelope } from './envelope.js';
import type { ChangeFeed, Era, Session } from './era.js';
import { SubscribeFeed } from './subscribe-feed.js';

const ENVELOPE = new Envelope({});

export class HandshakeEra implements Era {
  readonly session: Session;
  readonly feed: ChangeFeed;
  readonly #requester: Requester;
  readonly #owner: ConnectionOwner;
  readonly #attention: Attention;
  /** The server's questions that we are answering. */
  readonly #open = new Map<RequestId, AbortController>();

  constructor(session: Session, requester: Requester, owner: ConnectionOwner, attention: Attention) {
    this.session = session;
    this.#requester = requester;
    this.#owner = owner;
    this.#attention = attention;
    this.feed = new SubscribeFeed(requester, owner, unsubscribable(session.capabilities) === undefined);
  }

  encode(
    id: RequestId,
    method: string,
    params: JsonObject,
    meta: RequestMeta | undefined,
    progressToken: RequestId | undefined,
  ): string {
    return ENVELOPE.write(id, method, params, meta, progressToken);
  }

  splice(id: RequestId, method: string, params: string): string {
    return spliceRequest(id, method, params);
  }

  judge(): undefined {
    return undefined;
  }

  amend(): boolean {
    return false;
  }

  request(request: Request, reply: Reply, call?: AskedCall): void {
    if (request.method === 'ping') {
      reply(encodeResult(request.id, '{}'));
      return;
    }
    if (this.#open.has(request.id)) {
      this.#owner.fault({
        kind: 'unexpected_message',
        message: `The server sent a second request with the id ${JSON.stringify(request.id)} while the first is open`,
      });
      reply(undefined);
      return;
    }
    void this.#answer(request, reply, call);
  }

  notified({ method, params }: Notification): boolean {
    const id = params?.requestId;
    if (method === 'notifications/cancelled' && isRequestId(id)) this.#open.get(id)?.abort();
    return true;
  }

  async setLogLevel(level: LogLevel, options: CallOptions): Promise<void> {
    const refusal = undeclared(this.session.revision, this.session.capabilities, 'logging');
    if (refusal !== undefined) throw refusal;
    await this.#requester.request({ method: 'logging/setLevel', params: { level }, options, read: ignore });
  }

  ping(options: CallOptions): Promise<void> {
    return this.#requester.request({ method: 'ping', params: {}, options, read: ignore });
  }

  end(): void {
    for (const controller of this.#open.values()) controller.abort();
  }

  async #answer(request: Request, reply: Reply, call: AskedCall | undefined): Promise<void> {
    const { id, method, params = {} } = request;
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(id, controller);
    this.#attention.begin();
    let answer: string;
    try {
      const context = { signal, revision: this.session.revision.version, call };
      const result = await this.#owner.answer(this.session.revision, method, params, context);
      answer = encodeResult(id, JSON.stringify(result));
    } catch (error) {
      answer = encodeError(id, this.#wireError(method, error, signal));
    }
    this.#open.delete(id);
    this.#attention.end();
    // A cancelled question is not answered (cancellation, behaviour requirements).
    reply(signal.aborted ? undefined : answer);
  }

  /** What the server may know of a failure of ours; the rest is for our own user. */
  #wireError(method: string, error: unknown, signal: AbortSignal): ErrorObject {
    if (error instanceof RefusedError) return { code: USER_REFUSED, message: error.message };
    if (error instanceof ProtocolError) return errorFor(this.session.revision, error);
    if (!signal.aborted) {
      this.#owner.fault({
        kind: 'handler',
        message: `The handler of ${method} failed: ${messageOf(error)}`,
        cause: error,
      });
    }
    return new ProtocolError('internal_error', `The client could not answer ${method}`).toErrorObject();
  }
}

function ignore(): void {}
