/** POST, GET and DELETE of the handshake revisions, with sessions or without. */

import type { Malformed } from '../../jsonrpc/decode.js';
import { encodeError, encodeResult } from '../../jsonrpc/encode.js';
import type { Request, RequestId } from '../../jsonrpc/message.js';
import { ProtocolError } from '../../protocol/errors.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import { ASSUMED_REVISION, errorFor, findRevision } from '../../protocol/revisions/index.js';
import type { Awaitable } from '../../store/store.js';
import type {
  HttpCaller,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../../transports/http/server/exchange.js';
import { parseAccept } from '../../transports/http/server/media.js';
import { openSession, refusalOf, type SessionIdentity, writeIntroduction } from '../lifecycle/handshake.js';
import { Session } from '../session.js';
import { type Control, ControlBus } from './control.js';
import { GetStreams } from './get-streams.js';
import { type HandshakePost, HandshakePosts } from './handshake-posts.js';
import { answerBox, PostExchange } from './post.js';
import { refuse, refuseVersion } from './refusals.js';
import { parseEventId } from './session-stream.js';
import { HttpSessions } from './sessions.js';
import type { StandaloneStreams } from './standalone.js';
import type { EndpointState, Posted } from './state.js';

export class HandshakeEndpoint {
  readonly #state: EndpointState;
  readonly #enabled: boolean;
  /** Requests without a session are served too. */
  readonly #optional: boolean;
  readonly #sessions: HttpSessions;
  readonly #gets: GetStreams;
  readonly #standalone: StandaloneStreams;
  readonly #control: ControlBus;
  readonly #posts: HandshakePosts;
  readonly #forget: (() => void) | undefined;

  constructor(state: EndpointState, sessions: boolean | 'optional') {
    this.#state = state;
    this.#enabled = sessions !== false;
    this.#optional = sessions === 'optional';
    this.#sessions = new HttpSessions(state.store);
    this.#control = new ControlBus(
      state.store,
      (control) => this.#obey(control),
      () => void this.#recover().catch((error: unknown) => state.host.onError(error, 'recover')),
    );
    this.#gets = new GetStreams(state, this.#control);
    this.#standalone = this.#gets.standalone;
    this.#forget = state.store.sessions.onEnded?.((id) => this.#end(id, 'The session has expired'));
    this.#posts = new HandshakePosts(state, this.#sessions, this.#control, this.#enabled);
  }

  get standalone(): number {
    return this.#standalone.size;
  }

  /** Whether there is something that the sweep will have to clean up. */
  get isBusy(): boolean {
    return this.#standalone.size > 0 || this.#state.calls.hasSessions;
  }

  /** Synchronous as far as the store and the handler are. */
  post(
    request: HttpRequest,
    decoded: HandshakePost['decoded'],
    { text, response, headers, caller, account }: Posted,
  ): Awaitable<void> {
    const accepted = parseAccept(request.header('accept'));
    const id = decoded.kind === 'request' ? decoded.message.id : undefined;
    if (!accepted.json && !accepted.sse) {
      return refuse(response, 406, headers, id, 'Accept must admit application/json and text/event-stream');
    }
    const post = { decoded, text, response, headers, accepted, auth: caller.auth };
    const identity = { principal: caller.principal, account };
    if (decoded.kind === 'request' && decoded.message.method === 'initialize') {
      return this.#initialize(request, decoded.message, post, identity);
    }
    const session = this.#find(request, response, headers, identity, id);
    if (!(session instanceof Promise)) return session && this.#posts.serve(session, post);
    return session.then((found) => found && this.#posts.serve(found, post));
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
    const session = await this.#find(request, response, headers, caller, undefined);
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

  /** A malformed answer still settles the question that it belongs to; the handler would wait forever. */
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
    const session = await this.#find(request, response, headers, caller, undefined);
    if (session?.sessionId === undefined) return;
    await this.#sessions.end(session.sessionId);
    await this.#control.tell({ type: 'ended', session: session.sessionId });
    this.#state.host.ended(session.sessionId);
    response.send(204, headers);
  }

  /** An open stream keeps its session; a session that is gone takes its streams and calls along. */
  async sweep(): Promise<void> {
    const { store, streams, calls } = this.#state;
    const sessions = [...streams.sessions(), ...this.#standalone.sessions(), ...calls.sessions()];
    for (const id of new Set(sessions)) {
      const record = await (streams.has(id) ? store.sessions.get(id) : store.sessions.peek(id));
      if (record === undefined) this.#end(id, 'The session has expired');
    }
  }

  /** The store was away, and messages of the other nodes may be lost. */
  async #recover(): Promise<void> {
    await this.sweep();
  }

  async close(): Promise<void> {
    this.#forget?.();
    this.#standalone.closeAll();
    await this.#control.close();
  }

  async #initialize(
    request: HttpRequest,
    message: Request,
    { response, headers, accepted, auth }: HandshakePost,
    identity: SessionIdentity,
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
    const session = openSession(host, message.params ?? {}, {
      ...identity,
      sessionId,
      passing: !this.#enabled,
    });
    if (session instanceof ProtocolError) {
      return response.send(400, headers, encodeError(message.id, errorFor(host.newestRevision, session)));
    }
    const refusal = host.admission.refusal(identity.account, 0);
    if (refusal !== undefined) return refuse(response, 429, headers, message.id, refusal);
    if (sessionId !== undefined && !(await this.#sessions.create(session))) {
      const busy = { ...headers, 'Retry-After': '30' };
      return refuse(response, 503, busy, message.id, 'Too many sessions; try again later');
    }
    if (sessionId !== undefined) await this.#standalone.begin(sessionId);
    // The servers of a chain may take their time; until then it is a call like any other.
    host.admission.begin(identity.account, 0);
    try {
      await host.opened(session);
    } catch (error) {
      const refusal = refusalOf(host, error);
      if (sessionId !== undefined) await this.#sessions.end(sessionId);
      if (sessionId === undefined) host.ended(session);
      else this.#end(sessionId, refusal.message);
      return response.send(200, headers, encodeError(message.id, errorFor(session.revision, refusal)));
    } finally {
      host.admission.end(identity.account, 0);
    }
    const result = writeIntroduction(host, session);
    const withSession = sessionId === undefined ? headers : { ...headers, 'Mcp-Session-Id': sessionId };
    // Nothing to come back to yet: the client learns of its session from this very answer.
    const peer = { ...session, sessionId: undefined };
    const answer = { response, headers: withSession, accepted };
    const exchange = new PostExchange(this.#state, answer, peer, { auth, ids: [message.id], weight: 0 });
    exchange.finish(200, [{ text: encodeResult(message.id, result) }], false);
  }

  /** The session of this request; undefined when the request has been refused. */
  #find(
    request: HttpRequest,
    response: HttpResponse,
    headers: HttpHeaders,
    identity: SessionIdentity,
    id: RequestId | undefined,
  ): Awaitable<Session | undefined> {
    const version = request.header(VERSION_HEADER);
    const claimed = version === undefined ? undefined : findRevision(version.trim());
    const known = claimed !== undefined && this.#state.host.handshakeRevisions.includes(claimed);
    const sessionId = request.header(SESSION_HEADER);
    // A stream belongs to a session; a call can stand alone.
    if (!this.#enabled || (this.#optional && sessionId === undefined && request.method === 'POST')) {
      if (version !== undefined && !known) return refuseVersion(response, headers, id, version);
      const revision = known ? claimed : this.#assumed();
      return new Session({ revision, clientInfo: undefined, capabilities: {}, ...identity, passing: true });
    }
    if (sessionId === undefined) {
      return refuse(response, 400, headers, id, 'Mcp-Session-Id is missing; send "initialize" first');
    }
    const judge = (session: Session | undefined): Session | undefined => {
      if (session === undefined)
        return refuse(response, 404, headers, id, 'Session not found; send "initialize" again');
      // The session knows its revision; a header that names another one we speak is a client's slip, not an error.
      const checksVersion = session.revision.http.versionHeader !== 'none';
      if (version !== undefined && !known && checksVersion)
        return refuseVersion(response, headers, id, version);
      return session;
    };
    const loaded = this.#sessions.load(sessionId, identity.principal);
    return loaded instanceof Promise ? loaded.then(judge) : judge(loaded);
  }

  #assumed(): Session['revision'] {
    const { handshakeRevisions } = this.#state.host;
    return handshakeRevisions.includes(ASSUMED_REVISION)
      ? ASSUMED_REVISION
      : (handshakeRevisions.at(-1) ?? ASSUMED_REVISION);
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
        this.#standalone.opened(control.session, control.stream);
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
