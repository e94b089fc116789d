/** POST, GET and DELETE of the handshake revisions, with sessions or without. */

import { type Batch, type Decoded, decodeValue, type Malformed } from '../../jsonrpc/decode.js';
import { encodeError, encodeResult } from '../../jsonrpc/encode.js';
import {
  isRequestId,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
} from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import { ProtocolError } from '../../protocol/errors.js';
import { normaliseNotification } from '../../protocol/lenient.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import { ASSUMED_REVISION, errorFor, findRevision } from '../../protocol/revisions/index.js';
import type { HttpCaller, HttpHeaders, HttpRequest, HttpResponse } from '../../transports/http/exchange.js';
import { type Accepted, parseAccept } from '../../transports/http/media.js';
import type { Reply } from '../dispatcher.js';
import { openSession, writeIntroduction } from '../lifecycle/handshake.js';
import { callerOf } from '../peer.js';
import { Session } from '../session.js';
import { type Control, ControlBus } from './control.js';
import { GetStreams } from './get-streams.js';
import { answerBox, PostExchange } from './post.js';
import { refuse, refusedItem, refuseVersion } from './refusals.js';
import { parseEventId } from './session-stream.js';
import { HttpSessions } from './sessions.js';
import type { StandaloneStreams } from './standalone.js';
import type { EndpointState } from './state.js';

export class HandshakeEndpoint {
  readonly #state: EndpointState;
  readonly #enabled: boolean;
  readonly #sessions: HttpSessions;
  readonly #gets: GetStreams;
  readonly #standalone: StandaloneStreams;
  readonly #control: ControlBus;

  constructor(state: EndpointState, sessions: boolean) {
    this.#state = state;
    this.#enabled = sessions;
    this.#sessions = new HttpSessions(state.store);
    this.#control = new ControlBus(
      state.store,
      (control) => this.#obey(control),
      () => void this.#recover().catch((error: unknown) => state.host.onError(error, 'recover')),
    );
    this.#gets = new GetStreams(state, this.#control);
    this.#standalone = this.#gets.standalone;
  }

  get standalone(): number {
    return this.#standalone.size;
  }

  /** Whether there is something that the sweep will have to clean up. */
  get isBusy(): boolean {
    return this.#standalone.size > 0 || this.#state.calls.sessions().size > 0;
  }

  async post(
    request: HttpRequest,
    decoded: Exclude<Decoded, { kind: 'malformed' }> | Batch,
    text: string | undefined,
    response: HttpResponse,
    headers: HttpHeaders,
    caller: HttpCaller,
  ): Promise<void> {
    const accepted = parseAccept(request.header('accept'));
    const id = decoded.kind === 'request' ? decoded.message.id : undefined;
    if (!accepted.json && !accepted.sse) {
      return refuse(response, 406, headers, id, 'Accept must admit application/json and text/event-stream');
    }
    if (decoded.kind === 'request' && decoded.message.method === 'initialize') {
      return this.#initialize(request, decoded.message, response, headers, accepted, caller);
    }
    const session = await this.#find(request, response, headers, caller.principal, id);
    if (session === undefined) return;
    switch (decoded.kind) {
      case 'request':
        if (decoded.message.method !== 'ping') session.markReady();
        return this.#request(decoded.message, session, response, headers, accepted, caller.auth);
      case 'batch':
        return this.#batch(decoded.items, session, response, headers, accepted, caller.auth);
      case 'notification':
        await this.#notified(normaliseNotification(decoded.message), session, caller.auth);
        return response.send(202, headers);
      default:
        await this.#answered(decoded, text, session);
        return response.send(202, headers);
    }
  }

  async get(
    request: HttpRequest,
    response: HttpResponse,
    headers: HttpHeaders,
    caller: HttpCaller,
  ): Promise<void> {
    if (!parseAccept(request.header('accept')).sse) {
      return refuse(response, 406, headers, undefined, 'Accept must admit text/event-stream');
    }
    const session = await this.#find(request, response, headers, caller.principal, undefined);
    if (session?.sessionId === undefined) return;
    const lastEvent = request.header('last-event-id');
    const resumed = lastEvent === undefined ? undefined : parseEventId(lastEvent);
    if (lastEvent !== undefined && resumed === undefined) {
      return refuse(
        response,
        400,
        headers,
        undefined,
        'Last-Event-ID was not issued here; open the stream without it',
      );
    }
    const { sessionId } = session;
    const exchange = { session, sessionId, response, headers, auth: caller.auth };
    return resumed === undefined ? this.#gets.open(exchange) : this.#gets.resume(exchange, resumed);
  }

  /** A malformed answer still settles the question that it belongs to; whoever asked would wait for ever. */
  async misanswered(
    request: HttpRequest,
    malformed: Malformed,
    text: string,
    caller: HttpCaller,
  ): Promise<void> {
    const sessionId = request.header(SESSION_HEADER);
    if (!this.#enabled || sessionId === undefined || malformed.id === undefined) return;
    if ((await this.#sessions.load(sessionId, caller.principal)) === undefined) return;
    await this.#state.store.mailboxes.deliver(answerBox(sessionId, malformed.id), text);
  }

  async delete(
    request: HttpRequest,
    response: HttpResponse,
    headers: HttpHeaders,
    caller: HttpCaller,
  ): Promise<void> {
    const session = await this.#find(request, response, headers, caller.principal, undefined);
    if (session?.sessionId === undefined) return;
    await this.#sessions.end(session.sessionId);
    await this.#control.tell({ type: 'ended', session: session.sessionId });
    this.#state.host.ended(session.sessionId);
    response.send(204, headers);
  }

  /** An open stream keeps its session; a session that is gone takes its streams and calls along. */
  async sweep(): Promise<void> {
    const { store, streams, calls } = this.#state;
    const sessions = [...streams.sessions(), ...this.#standalone.sessions(), ...calls.sessions().keys()];
    for (const id of new Set(sessions)) {
      const record = await (streams.has(id) ? store.sessions.get(id) : store.sessions.peek(id));
      if (record === undefined) this.#end(id, 'The session has expired');
    }
  }

  /** The store was away, and with it what the other nodes told. */
  async #recover(): Promise<void> {
    await Promise.all([...this.#standalone.sessions()].map((id) => this.#standalone.refresh(id)));
    await this.sweep();
  }

  async close(): Promise<void> {
    this.#standalone.closeAll();
    await this.#control.close();
  }

  async #initialize(
    request: HttpRequest,
    message: Request,
    response: HttpResponse,
    headers: HttpHeaders,
    accepted: Accepted,
    caller: HttpCaller,
  ): Promise<void> {
    const { host } = this.#state;
    if (request.header(SESSION_HEADER) !== undefined && this.#enabled) {
      return refuse(
        response,
        400,
        headers,
        message.id,
        'Already initialized; open a new session without Mcp-Session-Id',
      );
    }
    const sessionId = this.#enabled ? crypto.randomUUID() : undefined;
    const session = openSession(host, message.params ?? {}, { principal: caller.principal, sessionId });
    if (session instanceof ProtocolError) {
      return response.send(400, headers, encodeError(message.id, errorFor(host.newestRevision, session)));
    }
    if (sessionId !== undefined && !(await this.#sessions.create(session))) {
      const busy = { ...headers, 'Retry-After': '30' };
      return refuse(response, 503, busy, message.id, 'Too many sessions; try again later');
    }
    if (sessionId !== undefined) await this.#standalone.begin(sessionId);
    await host.opened(session);
    const result = writeIntroduction(host, session);
    const withSession = sessionId === undefined ? headers : { ...headers, 'Mcp-Session-Id': sessionId };
    // Nothing to come back to yet: the client learns of its session from this very answer.
    const peer = { ...session, sessionId: undefined };
    const exchange = new PostExchange(this.#state, response, withSession, accepted, peer, caller.auth);
    exchange.finish(200, [encodeResult(message.id, result)], false);
  }

  /** The session of this request; undefined when the request has been refused. */
  async #find(
    request: HttpRequest,
    response: HttpResponse,
    headers: HttpHeaders,
    principal: string | undefined,
    id: RequestId | undefined,
  ): Promise<Session | undefined> {
    const version = request.header(VERSION_HEADER);
    const claimed = version === undefined ? undefined : findRevision(version.trim());
    const known = claimed !== undefined && this.#state.host.handshakeRevisions.includes(claimed);
    if (!this.#enabled) {
      if (version !== undefined && !known) return refuseVersion(response, headers, id, version);
      const revision = known ? claimed : this.#assumed();
      return new Session({ revision, clientInfo: undefined, capabilities: {}, principal });
    }
    const sessionId = request.header(SESSION_HEADER);
    if (sessionId === undefined) {
      return refuse(response, 400, headers, id, 'Mcp-Session-Id is missing; send "initialize" first');
    }
    const loaded = this.#sessions.load(sessionId, principal);
    const session = loaded instanceof Promise ? await loaded : loaded;
    if (session === undefined)
      return refuse(response, 404, headers, id, 'Session not found; send "initialize" again');
    // The session knows its revision; a header that names another one we speak is a client's slip, not an error.
    const checksVersion = session.revision.http.versionHeader !== 'none';
    if (version !== undefined && !known && checksVersion)
      return refuseVersion(response, headers, id, version);
    return session;
  }

  #assumed(): Session['revision'] {
    const { handshakeRevisions } = this.#state.host;
    return handshakeRevisions.includes(ASSUMED_REVISION)
      ? ASSUMED_REVISION
      : (handshakeRevisions.at(-1) ?? ASSUMED_REVISION);
  }

  async #request(
    message: Request,
    session: Session,
    response: HttpResponse,
    headers: HttpHeaders,
    accepted: Accepted,
    auth: AuthInfo | undefined,
  ): Promise<void> {
    const { host, calls } = this.#state;
    if (session.sessionId !== undefined && calls.running(session.sessionId) >= host.limits.concurrentCalls) {
      return refuse(response, 429, headers, message.id, 'Too many calls at once; wait for some to finish');
    }
    if (this.#isRunning(session, message.id)) {
      return refuse(response, 400, headers, message.id, STILL_RUNNING);
    }
    const exchange = new PostExchange(this.#state, response, headers, accepted, session, auth);
    const handled = host.dispatcher.handle(message, session, exchange);
    const reply = handled instanceof Promise ? (await Promise.all([handled, this.#watch()]))[0] : handled;
    await this.#save(session);
    exchange.finish(200, reply === undefined ? [] : [reply.text], false);
  }

  async #batch(
    items: readonly unknown[],
    session: Session,
    response: HttpResponse,
    headers: HttpHeaders,
    accepted: Accepted,
    auth: AuthInfo | undefined,
  ): Promise<void> {
    const { host } = this.#state;
    if (session.revision.batching !== 'accepted') {
      return refuse(response, 400, headers, undefined, 'Batches are not part of this protocol revision');
    }
    if (items.length === 0 || items.length > host.limits.batch) {
      return refuse(response, 400, headers, undefined, `A batch holds 1 to ${host.limits.batch} messages`);
    }
    session.markReady();
    const exchange = new PostExchange(this.#state, response, headers, accepted, session, auth);
    await this.#watch();
    const replies = await Promise.all(
      items.map((item) => this.#batchItem(decodeValue(item), item, session, exchange)),
    );
    await this.#save(session);
    const texts = replies.flatMap((reply) => (reply === undefined ? [] : [reply.text]));
    if (texts.length === 0 && !exchange.streaming) return response.send(202, headers);
    exchange.finish(200, texts, true);
  }

  async #batchItem(
    decoded: Decoded,
    item: unknown,
    session: Session,
    exchange: PostExchange,
  ): Promise<Reply | undefined> {
    switch (decoded.kind) {
      case 'request':
        if (decoded.message.method === 'initialize')
          return refusedItem(decoded.message.id, '"initialize" cannot be part of a batch');
        if (this.#isRunning(session, decoded.message.id))
          return refusedItem(decoded.message.id, STILL_RUNNING);
        return this.#state.host.dispatcher.handle(decoded.message, session, exchange);
      case 'notification':
        await this.#notified(normaliseNotification(decoded.message), session, exchange.auth);
        return undefined;
      case 'malformed':
        this.#state.host.stats.malformed += 1;
        return {
          text: encodeError(decoded.id ?? null, { code: decoded.code, message: decoded.reason }),
          errorCode: decoded.code,
        };
      default:
        await this.#answered(decoded, JSON.stringify(item), session);
        return undefined;
    }
  }

  async #notified(notification: Notification, session: Session, auth: AuthInfo | undefined): Promise<void> {
    const { method, params = {} } = notification;
    if (method === 'notifications/initialized') session.markReady();
    await this.#save(session);
    if (method === 'notifications/cancelled') return this.#cancel(params, session);
    this.#state.host.notified(method, params, callerOf(session, auth), session);
  }

  async #cancel(params: JsonObject, session: Session): Promise<void> {
    const { requestId, reason } = params;
    if (session.sessionId === undefined || !isRequestId(requestId)) return;
    const why = typeof reason === 'string' ? reason : '';
    // Usually the call runs here; otherwise another node has it.
    if (this.#state.calls.cancel(session.sessionId, requestId, why)) return;
    await this.#control.tell({ type: 'cancel', session: session.sessionId, id: requestId, reason: why });
  }

  /** An answer to something we asked; whoever waits for it, on whichever node, hears it on the bus. */
  async #answered(
    decoded: Extract<Decoded, { kind: 'result' | 'error' }>,
    text: string | undefined,
    session: Session,
  ): Promise<void> {
    const id = decoded.kind === 'result' ? decoded.message.id : decoded.id;
    if (session.sessionId === undefined || id === undefined) return;
    const answer =
      text ??
      JSON.stringify(
        decoded.kind === 'result' ? decoded.message : { jsonrpc: '2.0', id, error: decoded.error },
      );
    await this.#state.store.mailboxes.deliver(answerBox(session.sessionId, id), answer);
  }

  /** Two calls under one id could not be told apart: not cancelled, not counted. */
  #isRunning(session: Session, id: RequestId): boolean {
    return session.sessionId !== undefined && this.#state.calls.has(session.sessionId, id);
  }

  /** A call that did not answer at once can be cancelled from any node, and must not outlive its session. */
  async #watch(): Promise<void> {
    if (!this.#enabled) return;
    this.#state.streams.keepRounds();
    await this.#control.listen();
  }

  async #save(session: Session): Promise<void> {
    if (!session.changed || session.sessionId === undefined) return;
    await this.#sessions.save(session);
    await this.#control.tell({ type: 'changed', session: session.sessionId });
  }

  #obey(control: Control): void {
    const { calls, host } = this.#state;
    switch (control.type) {
      case 'cancel':
        calls.cancel(control.session, control.id, control.reason);
        return;
      case 'resumed':
        this.#gets.resumed(control);
        return;
      case 'opened':
        this.#standalone.superseded(control.session, control.stream);
        return;
      case 'changed':
        this.#standalone.refresh(control.session).catch((error: unknown) => host.onError(error, 'refresh'));
        return;
      case 'ended':
        this.#end(control.session, 'The session has ended');
    }
  }

  #end(session: string, reason: string): void {
    this.#state.calls.cancelSession(session, reason);
    this.#standalone.close(session);
    this.#state.streams.endSession(session);
    this.#state.host.ended(session);
  }
}

const STILL_RUNNING = 'A request with this id is still running';
