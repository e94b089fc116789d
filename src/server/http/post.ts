/**
 * The answer to one POST. It is plain JSON unless something has to be said before the result;
 * then it becomes an event stream.
 */

import { sseMessage } from '../../framing/sse.js';
import { decodeText } from '../../jsonrpc/decode.js';
import { encodeNotification, encodeRequest, RESULT_TAIL } from '../../jsonrpc/encode.js';
import type { JsonObject, RequestId } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import { McpError, receivedError } from '../../protocol/errors.js';
import type { Store } from '../../store/store.js';
import type { HttpHeaders, HttpResponse } from '../../transports/http/server/exchange.js';
import type { Accepted } from '../../transports/http/server/media.js';
import type { Channel, RunningCall } from '../channel.js';
import type { Reply } from '../dispatcher.js';
import type { Peer } from '../peer.js';
import type { PreparedAnswer } from '../prepared.js';
import { noteCalls } from './lost-calls.js';
import { createStreamId, SessionStream } from './session-stream.js';
import type { EndpointState } from './state.js';
import type { OpenStream } from './streams.js';

const GONE = 'The client disconnected';

/** How a POST is answered. */
export interface PostAnswer {
  readonly response: HttpResponse;
  readonly headers: HttpHeaders;
  readonly accepted: Accepted;
}

/** The calls that came with a POST. */
export interface PostedCalls {
  readonly auth: AuthInfo | undefined;
  readonly ids: readonly RequestId[];
  /** What each of them weighs while it runs. */
  readonly weight: number;
}

export class PostExchange implements Channel {
  readonly auth: AuthInfo | undefined;
  readonly requiresScopes = true;
  readonly #state: EndpointState;
  readonly #response: HttpResponse;
  readonly #headers: HttpHeaders;
  readonly #accepted: Accepted;
  readonly #peer: Peer;
  #open: OpenStream | undefined;
  #logged: SessionStream | undefined;
  #call: RunningCall | undefined;
  /** The requests that are answered here. */
  readonly ids: readonly RequestId[];
  /** What each of them weighs while it runs. */
  readonly #weight: number;
  #disconnected = false;
  #finished = false;

  constructor(
    state: EndpointState,
    { response, headers, accepted }: PostAnswer,
    peer: Peer,
    { auth, ids, weight }: PostedCalls,
  ) {
    this.auth = auth;
    this.#state = state;
    this.#response = response;
    this.#headers = headers;
    this.#accepted = accepted;
    this.#peer = peer;
    this.ids = ids;
    this.#weight = weight;
  }

  get streaming(): boolean {
    return this.#open !== undefined || this.#logged !== undefined;
  }

  begin(id: RequestId, call: RunningCall): void {
    this.#call = call;
    call.weight = this.#weight;
    this.#state.calls.begin(this.#peer.sessionId, id, call);
    this.#state.host.admission.begin(this.#peer.account, call.weight);
    if (this.#disconnected) call.cancel(GONE);
  }

  end(id: RequestId, call: RunningCall): void {
    this.#state.calls.end(this.#peer.sessionId, id, call);
    this.#state.host.admission.end(this.#peer.account, call.weight ?? 0);
  }

  /** Called when the handler did not answer at once: from now on the client may go away first. */
  watchDisconnect(): void {
    if (this.#cancels) this.#response.onDisconnect(() => this.#lost());
  }

  notify(text: string): void {
    if (!this.#accepted.sse || this.#finished) return;
    this.#stream();
    this.#write(text);
  }

  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { sessionId } = this.#peer;
    if (sessionId === undefined || !this.#accepted.sse) {
      throw new McpError(
        'cannot_ask',
        `${method} needs a session and an event stream, which this client did not offer`,
      );
    }
    if (this.#finished) throw new McpError('cannot_ask', `${method} came after the answer to the call`);
    return askOnStream(this.#state.store, sessionId, (text) => this.notify(text), { method, params, signal });
  }

  /** Lets the client go and come back for the rest, where its revision has that. */
  release(retryMs: number): void {
    const { sessionId, revision } = this.#peer;
    if (sessionId === undefined || !revision.http.polling || !this.#accepted.sse || this.#finished) return;
    this.#stream();
    this.#logged?.release(retryMs);
  }

  /** Sends the answers and ends. No answers: the client cancelled, and wants none. */
  finish(status: number, replies: readonly Pick<Reply, 'text' | 'prepared'>[], batch: boolean): void {
    const [reply] = replies;
    if (!this.streaming && this.#accepted.json && reply !== undefined) {
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
    const response = this.#response;
    if (prepared === undefined || response.sendParts === undefined) {
      response.send(status, this.#headers, text);
      return;
    }
    response.sendParts(status, this.#headers, [prepared.head, prepared.result.bytes, RESULT_TAIL]);
  }

  get #cancels(): boolean {
    return this.#peer.revision.http.disconnect === 'cancels';
  }

  #lost(): void {
    this.#disconnected = true;
    this.#call?.cancel(GONE);
  }

  #stream(): void {
    if (this.streaming) return;
    const { streams, store, host, writers } = this.#state;
    const { sessionId: session, revision } = this.#peer;
    const onGone = this.#cancels ? () => this.#lost() : undefined;
    const sink = streams.open(this.#response, this.#headers, { session, answers: true, onGone });
    if (session === undefined) {
      this.#open = sink;
      return;
    }
    // A client that goes away does not cancel: the rest of the stream waits for it in the log.
    const onError = (error: unknown): void => host.onError(error, 'POST');
    const logged = new SessionStream(store, session, createStreamId('p'), onError);
    writers.set(logged.id, logged);
    logged.begin(noteCalls(store, this.ids));
    // Not before the note: a client that reconnects with an id then finds that a node still answers.
    logged.queue(() => logged.attach(sink, revision.http.polling));
    this.#logged = logged;
  }

  #write(text: string): void {
    this.#logged?.send(text);
    this.#open?.write(sseMessage(text));
  }
}

export interface StreamQuestion {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

/** Sends a request on a stream of the session; the answer comes with another POST, perhaps to another node. */
export async function askOnStream(
  store: Store,
  sessionId: string,
  send: (text: string) => void,
  { method, params, signal }: StreamQuestion,
): Promise<JsonObject> {
  const id = crypto.randomUUID();
  let settle: ((text: string) => void) | undefined;
  const answer = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const unsubscribe = await store.mailboxes.open(answerBox(sessionId, id), (text) => settle?.(text));
  try {
    send(encodeRequest(id, method, params));
    return readAnswer(method, await untilAborted(answer, signal));
  } catch (error) {
    if (signal.aborted) send(encodeNotification('notifications/cancelled', { requestId: id }));
    throw error;
  } finally {
    await unsubscribe();
  }
}

export function answerBox(session: string, id: RequestId): string {
  return `answer:${session}:${id}`;
}

function readAnswer(method: string, text: string): JsonObject {
  const decoded = decodeText(text);
  if (decoded.kind === 'result') return decoded.message.result;
  if (decoded.kind === 'error') {
    throw new McpError('ask_refused', `The client refused ${method}: ${decoded.error.message}`, {
      cause: receivedError(decoded.error),
    });
  }
  throw new McpError('invalid_answer', `The client's answer to ${method} is malformed`);
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
