/** The sessions of the handshake revisions over HTTP: GET and DELETE, and what POSTs need of them. */

import type { DecodedError } from '../../jsonrpc/decode.js';
import type { JsonObject, RequestId } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import { ASSUMED_REVISION, findRevision } from '../../protocol/revisions/index.js';
import type {
  HttpCaller,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../../transports/http/server/exchange.js';
import { parseAccept } from '../../transports/http/server/media.js';
import type { ClientAnswer } from '../intake-source.js';
import type { SessionIdentity } from '../lifecycle/handshake.js';
import type { Reply } from '../reply.js';
import { Session } from '../session.js';
import { type Control, ControlBus } from './control.js';
import { GetStreams } from './get-streams.js';
import { refusalWith, refuse } from './refusals.js';
import { parseEventId } from './session-stream.js';
import { HttpSessions } from './sessions.js';
import type { StandaloneStreams } from './standalone.js';
import type { EndpointState } from './state.js';
import { answerBox } from './stream-question.js';

const NO_SESSION = 'Mcp-Session-Id is missing; send "initialize" first';
/** For those who open the address in a browser to see whether it works. */
const FOR_PEOPLE =
  'This is the address of an MCP server: connect to it with an MCP client, such as npx plumb inspect URL';

export class HandshakeEndpoint {
  readonly #state: Omit<EndpointState, 'handshake'>;
  /** Whether there are sessions. */
  readonly enabled: boolean;
  /** Requests without a session are served too. */
  readonly #optional: boolean;
  readonly #sessions: HttpSessions;
  readonly #gets: GetStreams;
  readonly #standalone: StandaloneStreams;
  readonly #control: ControlBus;
  readonly #forget: (() => void) | undefined;

  constructor(state: Omit<EndpointState, 'handshake'>, sessions: boolean | 'optional') {
    this.#state = state;
    this.enabled = sessions !== false;
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
  }

  get standalone(): number {
    return this.#standalone.size;
  }

  /** Whether there is something that the sweep will have to clean up. */
  get isBusy(): boolean {
    return this.#standalone.size > 0 || this.#state.calls.hasSessions;
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
    const session = await this.#streamed(request, response, headers, caller);
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

  async delete(
    request: HttpRequest,
    response: HttpResponse,
    headers: HttpHeaders,
    caller: HttpCaller,
  ): Promise<void> {
    const session = await this.#streamed(request, response, headers, caller);
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

  /** The session of a message; undefined where it names none; a reply where it is refused. */
  find(
    request: HttpRequest,
    { principal, account }: SessionIdentity,
    id: RequestId | undefined,
  ): Awaitable<Session | Reply | undefined> {
    const version = request.header(VERSION_HEADER);
    const claimed = version === undefined ? undefined : findRevision(version.trim());
    const known = claimed !== undefined && this.#state.host.handshakeRevisions.includes(claimed);
    const sessionId = request.header(SESSION_HEADER);
    // A stream belongs to a session; a call can stand alone.
    if (!this.enabled || (this.#optional && sessionId === undefined && request.method === 'POST')) {
      if (version !== undefined && !known) return unknownVersion(id, version);
      const revision = known ? claimed : this.#assumed();
      const passing = { principal, account, passing: true };
      return new Session({ revision, clientInfo: undefined, capabilities: {}, ...passing });
    }
    if (sessionId === undefined) return undefined;
    const judge = (session: Session | undefined): Session | Reply => {
      if (session === undefined) return refusalWith(404, id, 'Session not found; send "initialize" again');
      // The session knows its revision; a header that names another one we speak is a client's slip, not an error.
      const checksVersion = session.revision.http.versionHeader !== 'none';
      return version !== undefined && !known && checksVersion ? unknownVersion(id, version) : session;
    };
    const loaded = this.#sessions.load(sessionId, principal);
    return loaded instanceof Promise ? loaded.then(judge) : judge(loaded);
  }

  /** False when there are too many sessions. */
  async keep(session: Session): Promise<boolean> {
    if (session.sessionId === undefined) return true;
    if (!(await this.#sessions.create(session))) return false;
    await this.#standalone.begin(session.sessionId);
    return true;
  }

  async drop(session: Session, reason: string): Promise<void> {
    const { sessionId } = session;
    if (sessionId === undefined) {
      this.#state.host.ended(session);
      return;
    }
    await this.#sessions.end(sessionId);
    this.#end(sessionId, reason);
  }

  async save(session: Session): Promise<void> {
    if (!session.changed || session.sessionId === undefined) return;
    await this.#sessions.save(session);
    await this.#control.tell({ type: 'changed', session: session.sessionId });
  }

  async cancel(id: RequestId, reason: string, session: string | undefined): Promise<void> {
    // Usually the call runs here; otherwise another node has it.
    if (session === undefined || this.#state.calls.cancel(session, id, reason)) return;
    await this.#control.tell({ type: 'cancel', session, id, reason });
  }

  /** An answer to something we asked; the waiter, on any node, receives it on the bus. */
  async answered(answer: ClientAnswer, session: string | undefined, text: string | undefined): Promise<void> {
    const message = answer.kind === 'result' ? answer.message : answer;
    if (session === undefined || message.id === undefined) return;
    const written = text ?? JSON.stringify(answer.kind === 'result' ? message : errorMessage(answer));
    await this.#state.store.mailboxes.deliver(answerBox(session, message.id), written);
  }

  /** A malformed answer still settles the question that it belongs to; the handler would wait forever. */
  async misanswered(
    id: RequestId | undefined,
    session: string | undefined,
    text: string | undefined,
  ): Promise<void> {
    if (session === undefined || id === undefined) return;
    await this.#state.store.mailboxes.deliver(answerBox(session, id), text ?? '');
  }

  /** A call that did not answer at once can be cancelled from any node, and must not outlive its session. */
  watch(): Promise<void> | undefined {
    this.#state.streams.keepRounds();
    return this.#control.hears ? undefined : this.#control.listen();
  }

  /** The session of a GET or DELETE; undefined when the request has been refused. */
  async #streamed(
    request: HttpRequest,
    response: HttpResponse,
    headers: HttpHeaders,
    { principal }: HttpCaller,
  ): Promise<Session | undefined> {
    const found = await this.find(request, { principal }, undefined);
    if (found instanceof Session) return found;
    if (found === undefined) {
      const isBrowser = request.header('accept')?.includes('text/html') === true;
      return refuse(response, 400, headers, undefined, isBrowser ? FOR_PEOPLE : NO_SESSION);
    }
    response.send(found.status ?? 400, headers, found.text);
    return undefined;
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

function unknownVersion(id: RequestId | undefined, version: string): Reply {
  return refusalWith(400, id, `MCP-Protocol-Version ${JSON.stringify(version)} is not supported here`);
}

function errorMessage({ id, error }: DecodedError): JsonObject {
  return { jsonrpc: '2.0', id, error };
}
