/**
 * What clients send, whichever way it comes: memory, stdio, HTTP on Node, fetch. For each message this decides which
 * era serves it, which session it belongs to, whether its id is free, whether the limits admit it, and how batches
 * and malformed messages are answered. A transport adds what only it knows (headers, status codes, streams) as an
 * `IntakeSource`.
 */

import { INVALID_REQUEST } from '../jsonrpc/codes.js';
import { type Batch, type Decoded, decodeValue, type Malformed } from '../jsonrpc/decode.js';
import { encodeResult } from '../jsonrpc/encode.js';
import { isRequestId, type Notification, type Request, type RequestId } from '../jsonrpc/message.js';
import type { Awaitable } from '../protocol/awaitable.js';
import { invalidRequest, methodNotFound, ProtocolError } from '../protocol/errors.js';
import { normaliseNotification } from '../protocol/lenient.js';
import { messageWeight } from './admission.js';
import type { RunningCall } from './channel.js';
import type { ServerHost } from './host.js';
import type { ClientAnswer, IntakeSource, Received } from './intake-source.js';
import { openSession, refusalOf, writeIntroduction } from './lifecycle/handshake.js';
import { admitPeer, hasEnvelope, parseEnvelope } from './lifecycle/stateless.js';
import { callerOf, type Peer } from './peer.js';
import { errorReply, type Reply, refusedReply, unreadableReply } from './reply.js';
import { Session } from './session.js';

type MaybeReply = Awaitable<Reply | undefined>;

const CANCELLED = 'notifications/cancelled';
const TOO_MANY_CALLS = 'Too many calls at once; wait for some to finish';
const NO_BATCHES = 'Batches are not part of this protocol revision';

export class Intake {
  readonly #host: ServerHost;

  constructor(host: ServerHost) {
    this.#host = host;
  }

  /**
   * Takes a message. What is returned for a notification or an answer is a refusal: transports with status codes
   * send it, the others do not, because JSON-RPC has no answer to either.
   */
  receive(decoded: Decoded | Batch, source: IntakeSource, text?: string): Awaitable<Received> {
    switch (decoded.kind) {
      case 'request':
        return this.#request(decoded.message, source, text);
      case 'notification':
        return this.#notification(normaliseNotification(decoded.message), source);
      case 'batch':
        return this.#batch(decoded.items, source);
      case 'malformed':
        return this.#malformed(decoded, source, text);
      default:
        return this.#answer(decoded, source, text);
    }
  }

  #request(request: Request, source: IntakeSource, text: string | undefined): MaybeReply {
    if (this.#isStateless(request, source)) return this.#stateless(request, source, text);
    if (request.method === 'initialize') return this.#initialize(request, source);
    const session = source.session();
    return session instanceof Promise
      ? session.then((found) => this.#inSession(request, found, source, text))
      : this.#inSession(request, session, source, text);
  }

  /** Body first: an envelope, complete or not, makes a message stateless wherever it comes from. */
  #isStateless({ method, params }: Request | Notification, source: IntakeSource): boolean {
    if (this.#host.statelessRevisions.length === 0) return false;
    if (hasEnvelope(params)) return true;
    // Without an envelope it opens a session, whatever else a client of both eras put into the headers.
    return method !== 'initialize' && this.#isStatelessOnly(source);
  }

  /** Whether nothing of the handshake era can come from there. */
  #isStatelessOnly(source: IntakeSource): boolean {
    const { statelessRevisions, handshakeRevisions } = this.#host;
    return statelessRevisions.length > 0 && (handshakeRevisions.length === 0 || source.announcesEnvelope);
  }

  #stateless(request: Request, source: IntakeSource, text: string | undefined): MaybeReply {
    const { statelessRevisions, newestRevision } = this.#host;
    const envelope = parseEnvelope(request.params);
    if (envelope instanceof ProtocolError) return refusedReply(newestRevision, request.id, envelope);
    const mismatch = source.versionMismatch?.(envelope.version);
    if (mismatch !== undefined) return refusedReply(newestRevision, request.id, mismatch);
    const peer = admitPeer(envelope, statelessRevisions, source.principal, source.account);
    if (peer instanceof ProtocolError) return refusedReply(newestRevision, request.id, peer);
    const wrong = source.requestMismatch?.(request);
    if (wrong !== undefined) return refusedReply(peer.revision, request.id, wrong);
    // Its params carry the envelope, so its text cannot be passed on as it is.
    return this.#dispatch(request, peer, source, messageWeight(request, text), undefined);
  }

  #inSession(
    request: Request,
    session: Session | Reply | undefined,
    source: IntakeSource,
    text: string | undefined,
  ): MaybeReply {
    if (session === undefined) return this.#outside(request, source, text);
    if (!(session instanceof Session)) return session;
    // A client that never sends `initialized` shows by its first request that it is ready.
    if (request.method !== 'ping') session.markReady();
    return this.#dispatch(request, session, source, messageWeight(request, text), text);
  }

  #dispatch(
    request: Request,
    peer: Peer,
    source: IntakeSource,
    weight: number,
    text: string | undefined,
  ): MaybeReply {
    source.serve(peer, weight);
    return (
      this.#refusal(request.id, peer, source, weight) ??
      this.#host.dispatcher.handle(request, peer, source, text)
    );
  }

  /** Why a request may not run now: too much runs, or its id is taken. */
  #refusal(
    id: RequestId,
    { revision, account }: Peer,
    source: IntakeSource,
    weight: number,
  ): Reply | undefined {
    const { limits, admission } = this.#host;
    const busy =
      source.running >= limits.concurrentCalls ? TOO_MANY_CALLS : admission.refusal(account, weight);
    if (busy !== undefined)
      return refusedReply(revision, id, new ProtocolError('internal_error', busy), 'busy');
    // Two calls with one id cannot be distinguished: not cancelled, not counted, not answered.
    if (!source.isRunning(id)) return undefined;
    return refusedReply(revision, id, invalidRequest('A request with this id is still running'));
  }

  /** A request that has neither an envelope nor a session. */
  #outside(request: Request, source: IntakeSource, text: string | undefined): MaybeReply {
    const { id, method } = request;
    const host = this.#host;
    // Its error names what the envelope lacks.
    if (host.isStatelessMethod(method)) return this.#stateless(request, source, text);
    if (method === 'ping' && source.rules.answersPing) return { text: encodeResult(id, '{}'), errorCode: 0 };
    const error = host.isHandshakeMethod(method)
      ? invalidRequest(source.rules.uninitialized)
      : methodNotFound(method);
    return refusedReply(host.newestRevision, id, error);
  }

  #initialize(request: Request, source: IntakeSource): MaybeReply {
    const host = this.#host;
    const { newestRevision } = host;
    if (source.isInitialized)
      return refusedReply(newestRevision, request.id, invalidRequest(source.rules.initialized));
    const session = openSession(host, request.params ?? {}, source.sessionIdentity());
    if (session instanceof ProtocolError) return refusedReply(newestRevision, request.id, session);
    const refusal = this.#refusal(request.id, session, source, 0);
    if (refusal !== undefined) return refusal;
    const kept = source.keep(session, request.id);
    return kept instanceof Promise
      ? kept.then((refused) => refused ?? this.#open(request.id, session, source))
      : (kept ?? this.#open(request.id, session, source));
  }

  #open(id: RequestId, session: Session, source: IntakeSource): MaybeReply {
    const ready = this.#host.opened(session);
    if (ready === undefined) return this.#introduce(id, session, source);
    // The servers of a chain may take their time; until then it is a call like any other.
    const call: RunningCall = { method: 'initialize', cancel: () => {} };
    source.begin(id, call);
    const refused = async (failure: unknown): Promise<Reply> => {
      const error = refusalOf(this.#host, failure);
      // The client may try again.
      await source.drop(session, error.message);
      return errorReply(session.revision, id, error);
    };
    return ready
      .then(() => this.#introduce(id, session, source), refused)
      .finally(() => source.end(id, call));
  }

  #introduce(id: RequestId, session: Session, source: IntakeSource): Reply {
    source.introduce(session);
    return { text: encodeResult(id, writeIntroduction(this.#host, session)), errorCode: 0 };
  }

  #notification(notification: Notification, source: IntakeSource): MaybeReply {
    // The stateless era has one notification from clients, and it needs no session.
    if (this.#isStateless(notification, source)) return this.#cancelled(notification, source, undefined);
    const session = source.session();
    return session instanceof Promise
      ? session.then((found) => this.#notified(notification, found, source))
      : this.#notified(notification, session, source);
  }

  #notified(
    notification: Notification,
    session: Session | Reply | undefined,
    source: IntakeSource,
  ): MaybeReply {
    if (session === undefined) {
      const cancelled = this.#cancelled(notification, source, undefined);
      const refused = this.#refuseOutside(source);
      return cancelled instanceof Promise ? cancelled.then(() => refused) : refused;
    }
    if (!(session instanceof Session)) return session;
    if (notification.method === 'notifications/initialized') session.markReady();
    const saved = source.save(session);
    return saved instanceof Promise
      ? saved.then(() => this.#act(notification, session, source))
      : this.#act(notification, session, source);
  }

  #act(notification: Notification, session: Session, source: IntakeSource): Awaitable<undefined> {
    const { method, params = {} } = notification;
    if (method === CANCELLED) return this.#cancelled(notification, source, session);
    this.#host.notified(method, params, callerOf(session, source.auth), session);
    return undefined;
  }

  #cancelled(
    { method, params = {} }: Notification,
    source: IntakeSource,
    session: Session | undefined,
  ): Awaitable<undefined> {
    const { requestId, reason } = params;
    if (method !== CANCELLED || !isRequestId(requestId)) return undefined;
    const cancelled = source.cancel(requestId, typeof reason === 'string' ? reason : '', session);
    return cancelled instanceof Promise ? cancelled.then(() => undefined) : undefined;
  }

  #answer(answer: ClientAnswer, source: IntakeSource, text: string | undefined): MaybeReply {
    if (this.#isStatelessOnly(source)) {
      const error = invalidRequest('Clients do not send responses in this protocol revision');
      return refusedReply(this.#host.newestRevision, undefined, error);
    }
    const session = source.session();
    return session instanceof Promise
      ? session.then((found) => this.#answered(answer, found, source, text))
      : this.#answered(answer, session, source, text);
  }

  #answered(
    answer: ClientAnswer,
    session: Session | Reply | undefined,
    source: IntakeSource,
    text: string | undefined,
  ): MaybeReply {
    if (session === undefined) return this.#refuseOutside(source);
    if (!(session instanceof Session)) return session;
    const settled = source.answered(answer, session, text);
    return settled instanceof Promise ? settled.then(() => undefined) : undefined;
  }

  #refuseOutside(source: IntakeSource): Reply {
    return refusedReply(this.#host.newestRevision, undefined, invalidRequest(source.rules.uninitialized));
  }

  #malformed(malformed: Malformed, source: IntakeSource, text: string | undefined): MaybeReply {
    const found = this.#isStatelessOnly(source) ? undefined : source.session();
    return found instanceof Promise
      ? found.then((session) => this.#misread(malformed, session, source, text))
      : this.#misread(malformed, found, source, text);
  }

  #misread(
    malformed: Malformed,
    found: Session | Reply | undefined,
    source: IntakeSource,
    text: string | undefined,
  ): MaybeReply {
    this.#host.stats.malformed += 1;
    const session = found instanceof Session ? found : undefined;
    const reply = unreadableReply(session?.revision, malformed);
    if (!malformed.isAnswer || malformed.id === undefined || session === undefined) return reply;
    const settled = source.misanswered(malformed, session, text);
    return settled instanceof Promise ? settled.then(() => reply) : reply;
  }

  #batch(items: readonly unknown[], source: IntakeSource): Awaitable<Received> {
    if (this.#isStatelessOnly(source)) return this.#refuseBatch(NO_BATCHES, undefined);
    const session = source.session();
    return session instanceof Promise
      ? session.then((found) => this.#batchIn(items, found, source))
      : this.#batchIn(items, session, source);
  }

  #batchIn(
    items: readonly unknown[],
    session: Session | Reply | undefined,
    source: IntakeSource,
  ): Awaitable<Received> {
    if (session === undefined) return this.#refuseBatch(source.rules.uninitialized, undefined);
    if (!(session instanceof Session)) return session;
    const most = this.#host.limits.batch;
    if (session.revision.batching !== 'accepted') return this.#refuseBatch(NO_BATCHES, session);
    if (items.length === 0) return this.#refuseBatch('A batch must not be empty', session);
    if (items.length > most) return this.#refuseBatch(`A batch holds at most ${most} messages`, session);
    // In turn: those before an item in the batch may be running by now.
    const replies = items.map((item) => this.#item(item, session, source));
    const answersOf = (settled: readonly (Reply | undefined)[]): Received => {
      const answers = settled.filter((reply) => reply !== undefined);
      return answers.length === 0 ? undefined : answers;
    };
    return Promise.all(replies).then(answersOf);
  }

  #refuseBatch(reason: string, session: Session | undefined): Reply {
    this.#host.stats.malformed += 1;
    return unreadableReply(session?.revision, { code: INVALID_REQUEST, reason, id: undefined });
  }

  #item(item: unknown, session: Session, source: IntakeSource): MaybeReply {
    const decoded = decodeValue(item);
    switch (decoded.kind) {
      case 'request':
        return this.#requestItem(decoded.message, session, source);
      case 'malformed': {
        const reply = this.#misread(decoded, session, source, textOf(item, decoded.isAnswer));
        // What was meant as an answer has none.
        if (!decoded.isAnswer) return reply;
        return reply instanceof Promise ? reply.then(() => undefined) : undefined;
      }
      case 'notification': {
        const notification = normaliseNotification(decoded.message);
        if (this.#isStateless(notification, source)) return this.#cancelled(notification, source, session);
        return this.#notified(notification, session, source);
      }
      default:
        return this.#answered(decoded, session, source, undefined);
    }
  }

  #requestItem(request: Request, session: Session, source: IntakeSource): MaybeReply {
    const { id, method } = request;
    if (this.#isStateless(request, source))
      return refusedReply(
        session.revision,
        id,
        invalidRequest('A stateless request cannot be part of a batch'),
      );
    if (method === 'initialize')
      return refusedReply(session.revision, id, invalidRequest('"initialize" cannot be part of a batch'));
    const reply = this.#inSession(request, session, source, undefined);
    if (!(reply instanceof Promise)) return reply;
    // Only our own encoding can fail here. The other answers of the batch must not be lost with it.
    return reply.catch((error: unknown) => {
      this.#host.onError(error, method);
      return errorReply(session.revision, id, new ProtocolError('internal_error', 'Internal error'));
    });
  }
}

function textOf(item: unknown, needed: boolean): string | undefined {
  return needed ? JSON.stringify(item) : undefined;
}
