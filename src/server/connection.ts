/**
 * A client on a stream of messages (stdio, memory). The era is decided for each message: requests that carry
 * a stateless envelope are served on their own, the others belong to the session that `initialize` opened.
 */

import { INVALID_REQUEST } from '../jsonrpc/codes.js';
import { type Batch, type Decoded, decodeValue, type Malformed } from '../jsonrpc/decode.js';
import { encodeError, encodeNotification, encodeResult } from '../jsonrpc/encode.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import {
  isRequestId,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
} from '../jsonrpc/message.js';
import type { AuthInfo } from '../protocol/authorization.js';
import { invalidRequest, McpError, methodNotFound, ProtocolError } from '../protocol/errors.js';
import { normaliseNotification } from '../protocol/lenient.js';
import { errorFor } from '../protocol/revisions/index.js';
import type {
  CloseReason,
  Receiver,
  SendOptions,
  Transport,
  TransportFault,
} from '../transports/transport.js';
import { messageWeight } from './admission.js';
import type { Channel, RunningCall } from './channel.js';
import type { Reply } from './dispatcher.js';
import type { ServerHost } from './host.js';
import type { Listener } from './hub.js';
import { openSession, refusalOf, writeIntroduction } from './lifecycle/handshake.js';
import { admitPeer, hasEnvelope, parseEnvelope } from './lifecycle/stateless.js';
import { OutgoingAsks } from './outgoing-asks.js';
import { callerOf, wantsLog } from './peer.js';
import type { Session } from './session.js';
import { endOfListen } from './subscriptions.js';

type MaybeReply = Reply | undefined | Promise<Reply | undefined>;

const TOO_MANY_CALLS = 'Too many calls at once; wait for some to finish';
const NO_ROOM = 'The server has no room for another session; try again later';

const LISTEN = 'subscriptions/listen';

/** Notifications may be lost where the client does not read; answers and questions are not. */
const EXPENDABLE: SendOptions = { expendable: true };

/** Shorter than clients wait before they terminate a server that has not ended. */
const DRAIN_MS = 1500;

/**
 * The identity of the peer, where the transport knows it. `auth` changes with each message that brings a new
 * token.
 */
export interface ConnectionIdentity {
  readonly principal: string | undefined;
  readonly auth?: AuthInfo | undefined;
  /** Whether tools with scopes are closed to callers whose token lacks them, and to those without any. */
  readonly requiresScopes?: boolean | undefined;
  /** See `Peer.account`. */
  readonly account?: string | undefined;
}

const NOBODY: ConnectionIdentity = { principal: undefined };

export class Connection implements Receiver, Channel {
  readonly #host: ServerHost;
  readonly #transport: Transport;
  readonly #calls = new InFlight<RunningCall>();
  readonly #asks = new OutgoingAsks((text) => this.#send(text));
  readonly #closed: () => void;
  readonly #identity: ConnectionIdentity;
  #session: Session | undefined;
  /** What the message at hand weighs: a call that does not end at once is begun while it is handled. */
  #weight = 0;
  #draining: ReturnType<typeof setTimeout> | undefined;
  #unlisten: (() => void) | undefined;
  #finished = false;

  constructor(
    host: ServerHost,
    transport: Transport,
    closed: () => void,
    identity: ConnectionIdentity = NOBODY,
  ) {
    this.#host = host;
    this.#transport = transport;
    this.#closed = closed;
    this.#identity = identity;
  }

  get auth(): AuthInfo | undefined {
    return this.#identity.auth;
  }

  get requiresScopes(): boolean | undefined {
    return this.#identity.requiresScopes;
  }

  /** Calls of the client that are still running. */
  get running(): number {
    return this.#calls.size;
  }

  message(decoded: Decoded | Batch, text?: string): void {
    switch (decoded.kind) {
      case 'request':
        this.#answer(decoded.message, this.#handle(decoded.message, text));
        return;
      case 'notification':
        this.#notified(normaliseNotification(decoded.message));
        return;
      case 'result':
        this.#asks.answered(decoded.message.id)?.resolve(decoded.message.result);
        return;
      case 'error':
        if (decoded.id !== undefined) this.#asks.answered(decoded.id)?.fail(decoded.error);
        return;
      case 'batch':
        this.#batch(decoded.items);
        return;
      case 'malformed':
        this.#malformed(decoded);
    }
  }

  fault(fault: TransportFault): void {
    this.#host.stats.faults += 1;
    if (fault.kind === 'oversize') this.#send(this.#unreadable(INVALID_REQUEST, fault.message));
  }

  closed(reason: CloseReason): void {
    this.#unlisten?.();
    this.#asks.close(new McpError('connection_closed', 'The client has gone'));
    if (reason.kind === 'remote' && reason.halfClosed === true) this.#drain();
    else this.#finish();
  }

  /** A client that has ended its input may wait for the rest (`printf ... | server`); a stream has no rest. */
  #drain(): void {
    for (const call of this.#calls.values()) if (call.method === LISTEN) call.cancel('The client has gone');
    if (this.#calls.size === 0) {
      this.#finish();
      return;
    }
    this.#draining = setTimeout(() => this.#finish(), DRAIN_MS);
  }

  #finish(): void {
    clearTimeout(this.#draining);
    this.#draining = undefined;
    for (const call of this.#calls.values()) call.cancel('The client has gone');
    this.#finished = true;
    this.#unlisten?.();
    this.#session?.charge?.release();
    if (this.#session !== undefined) this.#host.ended(this.#session);
    this.#closed();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  // Channel: the way back of every call on this stream.

  begin(id: RequestId, call: RunningCall): void {
    this.#calls.set(id, call);
    call.weight = this.#weight;
    this.#host.admission.begin(this.#identity.account, call.weight);
  }

  end(id: RequestId, call: RunningCall): void {
    if (this.#calls.get(id) === call) {
      this.#calls.take(id);
      this.#host.admission.end(this.#identity.account, call.weight ?? 0);
    }
    if (this.#draining === undefined || this.#calls.size > 0) return;
    // The answer to this last call is written after it has ended.
    clearTimeout(this.#draining);
    this.#draining = setTimeout(() => this.#finish(), 0);
  }

  notify(text: string): void {
    this.#send(text, EXPENDABLE);
  }

  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#asks.ask(method, params, signal);
  }

  /** A stream has nothing to come back to. */
  release(): void {}

  #handle(request: Request, text?: string): MaybeReply {
    const host = this.#host;
    if (this.#calls.size >= host.limits.concurrentCalls) return this.#refuseBusy(request.id, TOO_MANY_CALLS);
    this.#weight = messageWeight(request, text);
    const refusal = host.admission.refusal(this.#identity.account, this.#weight);
    if (refusal !== undefined) return this.#refuseBusy(request.id, refusal);
    // Two calls with one id cannot be distinguished: not cancelled, not counted, not answered.
    if (this.#calls.has(request.id)) {
      return this.#refuse(request.id, invalidRequest('A request with this id is still running'));
    }
    if (this.#isStateless(request)) return this.#handleStateless(request);
    if (request.method === 'initialize') return this.#initialize(request);
    if (this.#session !== undefined) {
      // A client that never sends `initialized` shows by its first request that it is ready.
      if (request.method !== 'ping') this.#session.markReady();
      return host.dispatcher.handle(request, this.#session, this, text);
    }
    if (host.handshakeRevisions.length === 0 || host.isStatelessMethod(request.method))
      return this.#handleStateless(request);
    if (request.method === 'ping') return { text: encodeResult(request.id, '{}'), errorCode: 0 };
    if (!host.isHandshakeMethod(request.method))
      return this.#refuse(request.id, methodNotFound(request.method));
    return this.#refuse(request.id, invalidRequest('Not initialized: send "initialize" first'));
  }

  #isStateless(request: Request): boolean {
    return this.#host.statelessRevisions.length > 0 && hasEnvelope(request.params);
  }

  #handleStateless(request: Request): MaybeReply {
    const envelope = parseEnvelope(request.params);
    if (envelope instanceof ProtocolError) return this.#refuse(request.id, envelope);
    const { principal, account } = this.#identity;
    const peer = admitPeer(envelope, this.#host.statelessRevisions, principal, account);
    if (peer instanceof ProtocolError) return this.#refuse(request.id, peer);
    return this.#host.dispatcher.handle(request, peer, this);
  }

  #initialize(request: Request): MaybeReply {
    if (this.#session !== undefined) return this.#refuse(request.id, invalidRequest('Already initialized'));
    const { principal, account } = this.#identity;
    const session = openSession(this.#host, request.params ?? {}, { principal, account });
    if (session instanceof ProtocolError) return this.#refuse(request.id, session);
    session.charge = this.#host.admission.state.charge(account, session.bytes);
    if (session.charge === undefined) return this.#refuseBusy(request.id, NO_ROOM);
    this.#session = session;
    const ready = this.#host.opened(session);
    if (ready === undefined) return this.#introduce(request.id, session);
    // A client that has ended its input still gets this answer.
    const call: RunningCall = { method: request.method, cancel: () => {} };
    this.begin(request.id, call);
    const refused = (error: unknown): Reply => {
      // The client may try again.
      this.#session = undefined;
      this.#host.ended(session);
      return this.#refuse(request.id, refusalOf(this.#host, error));
    };
    return ready
      .then(() => this.#introduce(request.id, session), refused)
      .finally(() => this.end(request.id, call));
  }

  #introduce(id: RequestId, session: Session): Reply {
    if (!this.#finished) this.#unlisten = this.#host.hub.add(this.#listener(session));
    return { text: encodeResult(id, writeIntroduction(this.#host, session)), errorCode: 0 };
  }

  #listener(session: Session): Listener {
    const announced = this.#host.introduction().capabilities;
    return {
      session,
      ask: (method, params, signal) => this.request(method, params, signal),
      wantsList: (kind) => session.ready && announced[kind]?.listChanged === true,
      wantsResource: (uri) => session.subscriptions.has(uri),
      wantsLog: (level) => session.ready && wantsLog(session, level),
      resources: () => session.subscriptions,
      deliver: (method, params) => {
        const caller = callerOf(session, this.auth);
        this.#host.dispatcher.announce(method, params, caller, (text) => this.#send(text, EXPENDABLE));
      },
    };
  }

  #notified(notification: Notification): void {
    const { method, params = {} } = notification;
    if (method === 'notifications/initialized') this.#session?.markReady();
    if (method === 'notifications/cancelled') {
      const id = params.requestId;
      const reason = typeof params.reason === 'string' ? params.reason : '';
      if (isRequestId(id)) this.#calls.get(id)?.cancel(reason);
      return;
    }
    const session = this.#session;
    if (session !== undefined) this.#host.notified(method, params, callerOf(session, this.auth), session);
  }

  #answer(request: Request, reply: MaybeReply): void {
    if (!(reply instanceof Promise)) {
      this.#deliver(request, reply);
      return;
    }
    reply.then(
      (settled) => this.#deliver(request, settled),
      (error: unknown) => {
        // Only our own encoding can fail here (a result that is no JSON, such as a cycle).
        this.#host.onError(error, request.method);
        this.#deliver(
          request,
          this.#refuse(request.id, new ProtocolError('internal_error', 'Internal error')),
        );
      },
    );
  }

  #deliver(request: Request, reply: Reply | undefined): void {
    if (reply === undefined) return;
    this.#send(reply.text);
    if (request.method === LISTEN && reply.errorCode === 0) {
      this.#send(encodeNotification('notifications/cancelled', endOfListen(request.id)));
    }
  }

  #batch(items: readonly unknown[]): void {
    const accepted = this.#session?.revision.batching === 'accepted';
    if (!accepted || items.length === 0 || items.length > this.#host.limits.batch) {
      const reason = !accepted
        ? 'Batches are not part of this protocol revision'
        : items.length === 0
          ? 'A batch must not be empty'
          : `A batch holds at most ${this.#host.limits.batch} messages`;
      this.#host.stats.malformed += 1;
      this.#send(this.#unreadable(INVALID_REQUEST, reason));
      return;
    }
    const replies = items.map((item) => this.#batchItem(decodeValue(item)));
    Promise.all(replies).then(
      (settled) => {
        const texts = settled.flatMap((reply) => (reply === undefined ? [] : [reply.text]));
        if (texts.length > 0) this.#send(`[${texts.join(',')}]`);
      },
      (error: unknown) => this.#host.onError(error, 'batch'),
    );
  }

  #batchItem(decoded: Decoded): MaybeReply {
    if (decoded.kind === 'malformed' && !decoded.isAnswer) {
      this.#host.stats.malformed += 1;
      return { text: this.#unreadable(decoded.code, decoded.reason, decoded.id), errorCode: decoded.code };
    }
    if (decoded.kind !== 'request') {
      this.message(decoded);
      return undefined;
    }
    if (decoded.message.method === 'initialize') {
      return this.#refuse(decoded.message.id, invalidRequest('"initialize" cannot be part of a batch'));
    }
    if (this.#isStateless(decoded.message)) {
      return this.#refuse(
        decoded.message.id,
        invalidRequest('A stateless request cannot be part of a batch'),
      );
    }
    return this.#handle(decoded.message);
  }

  #malformed(malformed: Malformed): void {
    this.#host.stats.malformed += 1;
    if (!malformed.isAnswer) {
      this.#send(this.#unreadable(malformed.code, malformed.reason, malformed.id));
    } else if (malformed.id !== undefined) {
      const error = new McpError('invalid_answer', `The client's answer is malformed: ${malformed.reason}`);
      this.#asks.answered(malformed.id)?.reject(error);
    }
  }

  #unreadable(code: number, message: string, id?: RequestId): string {
    const rule = this.#session?.revision.unreadableId ?? 'omitted';
    return encodeError(id ?? (rule === 'null' ? null : undefined), { code, message });
  }

  #refuseBusy(id: RequestId, message: string): Reply {
    return this.#refuse(id, new ProtocolError('internal_error', message));
  }

  #refuse(id: RequestId, error: ProtocolError): Reply {
    const revision = this.#session?.revision ?? this.#host.newestRevision;
    const object = errorFor(revision, error);
    return { text: encodeError(id, object), errorCode: object.code };
  }

  #send(text: string, options?: SendOptions): void {
    const sent = this.#transport.send(text, options);
    if (sent !== undefined) sent.catch(() => this.#host.countLost());
  }
}
