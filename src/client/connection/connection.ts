/**
 * Everything that lives and dies with one connection: the requests on it, what was agreed, the way of talking that
 * follows from that, and the subscriptions the server holds for us. What outlives it belongs to its owner.
 */

import { encodeNotification } from '../../jsonrpc/encode.js';
import {
  type ErrorObject,
  isRequestId,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
} from '../../jsonrpc/message.js';
import type { Waiter } from '../../jsonrpc/pending.js';
import type { LogLevel } from '../../protocol/model/logging.js';
import type { ProgressParams } from '../../protocol/model/notifications.js';
import type { SubscriptionFilter } from '../../protocol/model/subscriptions.js';
import type { Revision } from '../../protocol/revisions/index.js';
import type { TransportError } from '../../transports/errors.js';
import type { ConnectionClosedError } from '../errors.js';
import type { ClientFault } from '../events.js';
import type { AskContext, AskedCall } from '../input/asks.js';
import type { Question } from '../input/input-rounds.js';
import type { Settings } from '../options.js';
import type { SendReply } from './batch-reply.js';
import { Deadlines } from './deadlines.js';
import { ClientExchange } from './exchange.js';
import type { ClientEra, ClientSession } from './lifecycle/era.js';
import { HandshakeEra } from './lifecycle/handshake.js';
import { StatelessEra } from './lifecycle/stateless.js';
import type { Link, LinkHandlers, LinkHost } from './link.js';
import type { ExchangeHost, OutgoingCall, Progressing } from './outgoing-call.js';
import { QuestionTime } from './question-time.js';
import type { SessionHandles } from './session-handles.js';

/** The long-lived side: what a connection requests from it and reports to it. */
export interface ConnectionOwner extends LinkHost {
  readonly settings: Settings;
  readonly logLevel: LogLevel | undefined;
  readonly handles: SessionHandles;
  answer(revision: Revision, method: string, params: JsonObject, context: AskContext): Promise<JsonObject>;
  /** The changes that have listeners. */
  wanted(): SubscriptionFilter;
  /** `call` is the one on whose stream it arrived, where the transport knows. */
  notification(notification: Notification, call?: OutgoingCall<unknown>): void;
  /** Changes of these may have gone unheard. */
  missed(filter: SubscriptionFilter): void;
  fault(fault: ClientFault): void;
  guard(what: string, run: () => unknown): void;
  /** What the server says unasked is not heard any more, for the reason given, or was not for a while. */
  interrupted(connection: ClientConnection, error: TransportError | undefined): void;
  closed(connection: ClientConnection, error: ConnectionClosedError): void;
}

export interface Requester {
  request<T>(call: OutgoingCall<T>): Promise<T>;
}

export class ClientConnection implements Requester, ExchangeHost, LinkHandlers {
  readonly link: Link;
  readonly era: ClientEra;
  readonly settings: Settings;
  readonly progress: Map<RequestId, Progressing> = new Map();
  readonly parked: Set<Waiter> = new Set();
  readonly questionTime: QuestionTime;
  readonly deadlines: Deadlines;
  readonly handles: SessionHandles;
  readonly #owner: ConnectionOwner;

  constructor(link: Link, session: ClientSession, owner: ConnectionOwner) {
    this.link = link;
    this.settings = owner.settings;
    this.handles = owner.handles;
    this.questionTime = new QuestionTime(owner.settings.clock);
    this.deadlines = new Deadlines(owner.settings.timeout, owner.settings.clock);
    this.#owner = owner;
    this.era =
      session.revision.lifecycle === 'handshake'
        ? new HandshakeEra(session, this, owner, this.questionTime)
        : new StatelessEra(session, this, owner, link);
  }

  get acceptsBatches(): boolean {
    return this.era.session.revision.batching === 'accepted';
  }

  /** Calls without an outcome yet. */
  get calls(): number {
    return this.link.waiting - this.era.feed.streams + this.parked.size;
  }

  request<T>(call: OutgoingCall<T>): Promise<T> {
    return ClientExchange.run(this, call);
  }

  notify(method: string, params: JsonObject): void {
    if (this.link.ended !== undefined) throw this.link.ended;
    this.link.send(encodeNotification(method, params));
  }

  close(): Promise<void> {
    return this.link.close();
  }

  answer(question: Question, signal: AbortSignal, call: OutgoingCall<unknown>): Promise<JsonObject> {
    const { revision } = this.era.session;
    const context: AskContext = { signal, revision: revision.version, call: asked(call) };
    return this.#owner.answer(revision, question.method, question.params, context);
  }

  guard(what: string, run: () => unknown): void {
    this.#owner.guard(what, run);
  }

  asked(request: Request, reply: SendReply, about?: Waiter): void {
    this.era.request(request, reply, about instanceof ClientExchange ? asked(about.call) : undefined);
  }

  notified(notification: Notification, about?: Waiter): void {
    if (notification.method === 'notifications/progress') this.#progressed(notification.params ?? {});
    else if (!this.era.notified(notification)) return;
    this.#owner.notification(notification, about instanceof ClientExchange ? about.call : undefined);
  }

  orphaned(error: ErrorObject): void {
    this.fault({
      kind: 'unexpected_answer',
      message: `The server reported an error that names no request: ${error.message} (${error.code})`,
    });
  }

  fault(fault: ClientFault): void {
    this.#owner.fault(fault);
  }

  interrupted(error: TransportError | undefined): void {
    this.#owner.interrupted(this, error);
  }

  closed(error: ConnectionClosedError): void {
    this.era.end();
    this.deadlines.stop();
    // First the owner, which decides what happens to the calls, then the calls.
    this.#owner.closed(this, error);
    for (const waiter of [...this.parked]) waiter.reject(error);
  }

  #progressed(params: JsonObject): void {
    // Progress with the token of a finished call, or with an unknown token, is not reported.
    if (!isProgress(params)) return;
    this.progress.get(params.progressToken)?.progressed(params);
  }
}

function asked({ method, params, owner }: OutgoingCall<unknown>): AskedCall {
  return owner === undefined ? { method, params } : { method, params, owner };
}

function isProgress(params: JsonObject): params is ProgressParams {
  return isRequestId(params.progressToken) && typeof params.progress === 'number';
}
