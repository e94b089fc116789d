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
import type { SendReply } from '../batch-reply.js';
import { undeclared, unsubscribable } from '../capabilities.js';
import type { ConnectionOwner, Requester } from '../connection.js';
import type { QuestionTime } from '../question-time.js';
import { RequestEnvelope } from './envelope.js';
import type { ChangeFeed, ClientEra, ClientSession } from './era.js';
import { SubscribeFeed } from './subscribe-feed.js';

const ENVELOPE = new RequestEnvelope({});

export class HandshakeEra implements ClientEra {
  readonly session: ClientSession;
  readonly feed: ChangeFeed;
  readonly #requester: Requester;
  readonly #owner: ConnectionOwner;
  readonly #questionTime: QuestionTime;
  /** The server's questions that we are answering. */
  readonly #open = new Map<RequestId, AbortController>();

  constructor(
    session: ClientSession,
    requester: Requester,
    owner: ConnectionOwner,
    questionTime: QuestionTime,
  ) {
    this.session = session;
    this.#requester = requester;
    this.#owner = owner;
    this.#questionTime = questionTime;
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

  request(request: Request, reply: SendReply, call?: AskedCall): void {
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

  async #answer(request: Request, reply: SendReply, call: AskedCall | undefined): Promise<void> {
    const { id, method, params = {} } = request;
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(id, controller);
    this.#questionTime.begin();
    let answer: string;
    try {
      const context = { signal, revision: this.session.revision.version, call };
      const result = await this.#owner.answer(this.session.revision, method, params, context);
      answer = encodeResult(id, JSON.stringify(result));
    } catch (error) {
      answer = encodeError(id, this.#wireError(method, error, signal));
    }
    this.#open.delete(id);
    this.#questionTime.end();
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
