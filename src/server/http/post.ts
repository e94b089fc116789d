/**
 * One POST: where its message comes from, and how it is answered. The answer is plain JSON unless something has to be
 * said before the result; then it becomes an event stream.
 */

import { sseMessage } from '../../framing/sse.js';
import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { type Batch, type Decoded, decodeValue, type Malformed } from '../../jsonrpc/decode.js';
import { RESULT_TAIL } from '../../jsonrpc/encode.js';
import type { JsonObject, Request, RequestId } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import { McpError, type ProtocolError } from '../../protocol/errors.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import { findRevision } from '../../protocol/revisions/index.js';
import { StoreError } from '../../store/errors.js';
import type {
  HttpCaller,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../../transports/http/server/exchange.js';
import type { Accepted } from '../../transports/http/server/media.js';
import type { RunningCall } from '../channel.js';
import type { ClientAnswer, IntakeSource, LifecycleRules, Received } from '../intake-source.js';
import type { SessionIdentity } from '../lifecycle/handshake.js';
import type { Peer } from '../peer.js';
import type { PreparedAnswer } from '../prepared.js';
import type { Reply } from '../reply.js';
import { Session } from '../session.js';
import { refusalWith } from './refusals.js';
import { requestHeaderMismatch, versionHeaderMismatch } from './repeated-headers.js';
import { createStreamId, noteCalls, SessionStream } from './session-stream.js';
import type { EndpointState } from './state.js';
import { askOnStream } from './stream-question.js';
import type { OpenStream } from './streams.js';

const GONE = 'The client disconnected';

const RULES: LifecycleRules = {
  uninitialized: 'Mcp-Session-Id is missing; send "initialize" first',
  initialized: 'Already initialized; open a new session without Mcp-Session-Id',
  answersPing: false,
};

/** What was posted, and by whom. */
export interface Posted {
  readonly request: HttpRequest;
  readonly decoded: Decoded | Batch;
  readonly caller: HttpCaller;
  /** See `Peer.account`. */
  readonly account: string | undefined;
  readonly response: HttpResponse;
  readonly headers: HttpHeaders;
  readonly accepted: Accepted;
}

export class PostExchange implements IntakeSource {
  readonly requiresScopes = true;
  readonly rules: LifecycleRules = RULES;
  readonly #state: EndpointState;
  readonly #posted: Posted;
  #headers: HttpHeaders;
  #peer: Peer | undefined;
  /** What the call at hand weighs while it runs. */
  #weight = 0;
  #open: OpenStream | undefined;
  #logged: SessionStream | undefined;
  #call: RunningCall | undefined;
  /** The running calls of a batch that has no session to know them. */
  #begun: Set<RequestId> | undefined;
  /** Settled once this node hears of cancellations that reach another one. */
  #watched: Promise<void> | undefined;
  #disconnected = false;
  #finished = false;

  constructor(state: EndpointState, posted: Posted) {
    this.#state = state;
    this.#posted = posted;
    this.#headers = posted.headers;
  }

  /** Answers within this tick unless the store or the handler has to be waited for. */
  receive(text: string | undefined): Awaitable<void> {
    const received = this.#state.intake.receive(this.#posted.decoded, this, text);
    if (!(received instanceof Promise)) return this.#settle(received);
    return received.then((settled) => this.#settle(settled));
  }

  // Channel: the way back of the calls in this POST.

  get auth(): AuthInfo | undefined {
    return this.#posted.caller.auth;
  }

  begin(id: RequestId, call: RunningCall): void {
    const { calls, host } = this.#state;
    const session = this.#peer?.sessionId;
    this.#call = call;
    call.weight = this.#weight;
    calls.begin(session, id, call);
    host.admission.begin(this.#charged, call.weight);
    if (session !== undefined) this.#watch();
    else if (this.#posted.decoded.kind === 'batch') {
      this.#begun ??= new Set();
      this.#begun.add(id);
    }
    if (this.#cancels) this.#posted.response.onDisconnect(() => this.#lost());
    if (this.#disconnected) call.cancel(GONE);
  }

  end(id: RequestId, call: RunningCall): void {
    this.#state.calls.end(this.#peer?.sessionId, id, call);
    this.#state.host.admission.end(this.#charged, call.weight ?? 0);
    this.#begun?.delete(id);
  }

  notify(text: string): void {
    if (!this.#posted.accepted.sse || this.#finished) return;
    this.#stream();
    this.#write(text);
  }

  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const session = this.#peer?.sessionId;
    if (session === undefined || !this.#posted.accepted.sse) {
      throw new McpError(
        'cannot_ask',
        `${method} needs a session and an event stream, which this client did not offer`,
      );
    }
    if (this.#finished) throw new McpError('cannot_ask', `${method} came after the answer to the call`);
    return askOnStream(this.#state.store, session, (text) => this.notify(text), { method, params, signal });
  }

  /** Lets the client go and come back for the rest, where its revision has that. */
  release(retryMs: number): void {
    const peer = this.#peer;
    const canReturn = peer?.sessionId !== undefined && peer.revision.http.polling;
    if (!canReturn || !this.#posted.accepted.sse || this.#finished) return;
    this.#stream();
    this.#logged?.release(retryMs);
  }

  // IntakeSource: what the intake asks of a POST.

  get principal(): string | undefined {
    return this.#posted.caller.principal;
  }

  get account(): string | undefined {
    return this.#posted.account;
  }

  /** A session is charged for its calls wherever they come from. */
  get #charged(): string | undefined {
    return this.#peer === undefined ? this.account : this.#peer.account;
  }

  get announcesEnvelope(): boolean {
    const header = this.#posted.request.header(VERSION_HEADER);
    return header !== undefined && findRevision(header)?.lifecycle === 'stateless';
  }

  get isInitialized(): boolean {
    return this.#state.handshake.enabled && this.#posted.request.header(SESSION_HEADER) !== undefined;
  }

  get running(): number {
    const session = this.#peer?.sessionId;
    return session === undefined ? (this.#begun?.size ?? 0) : this.#state.calls.running(session);
  }

  isRunning(id: RequestId): boolean {
    const session = this.#peer?.sessionId;
    return session === undefined ? this.#begun?.has(id) === true : this.#state.calls.has(session, id);
  }

  session(): Awaitable<Session | Reply | undefined> {
    const { decoded, request } = this.#posted;
    const id = decoded.kind === 'request' ? decoded.message.id : undefined;
    return this.#state.handshake.find(request, this, id);
  }

  serve(peer: Peer, weight: number): void {
    this.#peer = peer;
    this.#weight = weight;
  }

  versionMismatch(version: string): ProtocolError | undefined {
    return versionHeaderMismatch(this.#posted.request, version);
  }

  requestMismatch(message: Request): ProtocolError | undefined {
    const { host } = this.#state;
    return requestHeaderMismatch(this.#posted.request, message, (tool) => host.mirroredParameters(tool));
  }

  sessionIdentity(): SessionIdentity {
    const { principal, account } = this;
    const { enabled } = this.#state.handshake;
    return { principal, account, sessionId: enabled ? crypto.randomUUID() : undefined, passing: !enabled };
  }

  async keep(session: Session, id: RequestId): Promise<Reply | undefined> {
    if (await this.#state.handshake.keep(session)) return undefined;
    this.#headers = { ...this.#headers, 'Retry-After': '30' };
    return refusalWith(503, id, 'Too many sessions; try again later');
  }

  introduce({ sessionId }: Session): void {
    if (sessionId !== undefined) this.#headers = { ...this.#headers, 'Mcp-Session-Id': sessionId };
  }

  drop(session: Session, reason: string): Promise<void> {
    return this.#state.handshake.drop(session, reason);
  }

  save(session: Session): Awaitable<void> {
    return this.#state.handshake.save(session);
  }

  cancel(id: RequestId, reason: string, session: Session | undefined): Awaitable<void> {
    return this.#state.handshake.cancel(id, reason, session?.sessionId);
  }

  answered(answer: ClientAnswer, session: Session, text: string | undefined): Awaitable<void> {
    return this.#state.handshake.answered(answer, session.sessionId, text);
  }

  misanswered({ id }: Malformed, session: Session, text: string | undefined): Awaitable<void> {
    return this.#state.handshake.misanswered(id, session.sessionId, text);
  }

  /** What the message changed in the session is stored before its answer is sent. */
  #settle(received: Received): Awaitable<void> {
    if (this.#watched !== undefined) {
      const watched = this.#watched;
      this.#watched = undefined;
      return watched.then(() => this.#settle(received));
    }
    const peer = this.#peer;
    if (!(peer instanceof Session) || !peer.changed || peer.sessionId === undefined)
      return this.#finish(received);
    return this.#state.handshake.save(peer).then(
      () => this.#finish(received),
      (error: unknown) => {
        if (!(error instanceof StoreError) || error.code !== 'store_full') throw error;
        const refused = this.#ids().map((id) => refusalWith(200, id, error.message));
        this.#answer(200, refused, this.#posted.decoded.kind === 'batch');
      },
    );
  }

  #watch(): void {
    if (this.#watched !== undefined) return;
    this.#watched = this.#state.handshake.watch();
    // It is awaited when the call ends. A rejection before that, with nothing to handle it, would end the process.
    this.#watched?.catch(() => undefined);
  }

  #finish(received: Received): void {
    const { response, decoded } = this.#posted;
    if (received === undefined) {
      // A cancelled call has no answer; its exchange has to end all the same.
      if (decoded.kind === 'request' || this.streaming) this.#answer(200, [], false);
      else response.send(202, this.#headers);
    } else if (!('text' in received)) this.#answer(200, received, true);
    else if (received.refusal === undefined || received.refusal === 'method')
      this.#answer(this.#statusOf(received), [received], false);
    else response.send(this.#statusOf(received), this.#headers, received.text);
  }

  #statusOf({ status, refusal, errorCode }: Reply): number {
    if (status !== undefined) return status;
    if (refusal === 'busy') return 429;
    if (refusal === 'invalid') return 400;
    const revision = this.#peer?.revision;
    if (errorCode === 0 || revision === undefined) return 200;
    // Many servers answer an unknown tool with this code. The method is there: as 404 clients would read that it is not.
    const { decoded } = this.#posted;
    const isOfHandler = errorCode === METHOD_NOT_FOUND && refusal === undefined;
    if (isOfHandler && decoded.kind === 'request' && revision.clientRequests.has(decoded.message.method))
      return 200;
    return revision.http.errorStatus.get(errorCode) ?? 200;
  }

  get streaming(): boolean {
    return this.#open !== undefined || this.#logged !== undefined;
  }

  /** Sends the answers and ends. */
  #answer(status: number, replies: readonly Reply[], batch: boolean): void {
    const [reply] = replies;
    if (!this.streaming && this.#posted.accepted.json && reply !== undefined) {
      this.#finished = true;
      if (batch) this.#send(status, `[${replies.map(({ text }) => text).join(',')}]`);
      else this.#send(status, reply.text, reply.prepared);
      return;
    }
    this.#stream();
    this.#finished = true;
    for (const { text } of replies) this.#write(text);
    this.#open?.end();
    if (this.#logged === undefined) return;
    this.#logged.end();
    this.#state.writers.delete(this.#logged.id);
  }

  /** A result whose bytes are there already is not encoded again. */
  #send(status: number, text: string, prepared?: PreparedAnswer): void {
    const { response } = this.#posted;
    if (prepared === undefined || response.sendParts === undefined) {
      response.send(status, this.#headers, text);
      return;
    }
    response.sendParts(status, this.#headers, [prepared.head, prepared.result.bytes, RESULT_TAIL]);
  }

  get #cancels(): boolean {
    return this.#peer?.revision.http.disconnect === 'cancels';
  }

  #lost(): void {
    this.#disconnected = true;
    this.#call?.cancel(GONE);
  }

  /** The requests that are answered here. */
  #ids(): RequestId[] {
    const { decoded } = this.#posted;
    if (decoded.kind === 'request') return [decoded.message.id];
    if (decoded.kind !== 'batch') return [];
    const messages = decoded.items.map(decodeValue);
    return messages.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []));
  }

  #stream(): void {
    if (this.streaming) return;
    const { streams, store, host, writers } = this.#state;
    const session = this.#peer?.sessionId;
    const onGone = this.#cancels ? () => this.#lost() : undefined;
    const sink = streams.open(this.#posted.response, this.#headers, { session, answers: true, onGone });
    if (session === undefined) {
      this.#open = sink;
      return;
    }
    // A client that goes away does not cancel: the rest of the stream waits for it in the log.
    const onError = (error: unknown): void => host.onError(error, 'POST');
    const logged = new SessionStream(store, session, createStreamId('p'), onError);
    writers.set(logged.id, logged);
    logged.begin(noteCalls(store, this.#ids()));
    // Not before the note: a client that reconnects with an id then finds that a node still answers.
    const polling = this.#peer?.revision.http.polling === true;
    logged.queue(() => logged.attach(sink, polling));
    this.#logged = logged;
  }

  #write(text: string): void {
    this.#logged?.send(text);
    this.#open?.write(sseMessage(text));
  }
}
