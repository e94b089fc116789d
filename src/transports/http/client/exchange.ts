/**
 * One message on its way to the server, until its answer has been handed on. It settles exactly once:
 * answered, refused, lost, or dropped because its caller no longer waits; by then no timer or connection of
 * it is left, except for the moment that a server may take to end a stream behind its answer.
 */

import { type Batch, type Decoded, type DecodedError, decodeText } from '../../../jsonrpc/decode.js';
import type { RequestId } from '../../../jsonrpc/message.js';
import { answeredBy, isTruncatedAnswer } from '../../../jsonrpc/truncated.js';
import { TransportError, type TransportErrorOptions } from '../../errors.js';
import { HttpAttempt } from './attempt.js';
import type { Endpoint } from './endpoint.js';
import { GetStream } from './get-stream.js';
import { isEventStream, type MessageSink, MessageStream } from './messages.js';
import type { OutgoingMessage } from './outgoing.js';
import type { ReconnectTimings } from './reconnect.js';
import { excerptOf, httpError, judgeRefusal, sessionLost } from './refusal.js';
import type { BodyMode, HttpCallEvents, HttpCallHandle, HttpHead } from './requester.js';
import type { HttpSession } from './session.js';

export interface ExchangeOwner {
  readonly label: string;
  readonly endpoint: Endpoint;
  readonly session: HttpSession;
  readonly timings: ReconnectTimings;
  readonly maxBodyBytes: number;
  /** Passes a message on, and notifies the exchange that it answers, which may be another one. */
  deliver(decoded: Decoded | Batch, text: string, about?: RequestId): void;
  /** Offers a text to a reader that may use it undecoded; true when it was taken. */
  take(text: string): boolean;
  /** An event on the stream that answers this exchange. */
  received(text: string, exchange: HttpPostExchange): void;
  /** An event too long to read; `answers` is the request that it was for, where that is known. */
  oversize(sample: string, answers: RequestId | undefined): void;
  /** Whether the refused message is sent in another way; then its outcome is no longer ours to report. */
  refused(exchange: HttpPostExchange, refusal: DecodedError): boolean;
  lostSession(id: string): void;
  /** Whether these words of the server are about the session of this exchange, and say that it is gone. */
  reportsLoss(exchange: HttpPostExchange, words: string): boolean;
  settled(exchange: HttpPostExchange): void;
}

/** How long a stream may stay open behind the answer before we cut it; a connection that is cut cannot be reused. */
const LINGER_MS = 1_000;

export class HttpPostExchange implements HttpCallEvents, MessageSink {
  readonly outgoing: OutgoingMessage;
  /** Closing the exchange cancels the request, and a lost answer is lost for good. */
  readonly stateless: boolean;
  /** Settles with the exchange. */
  readonly done: Promise<void>;
  /** Called when the server has the message, or it is certain that it will not get it. */
  onAccepted: ((accepted: boolean) => void) | undefined;
  readonly #owner: ExchangeOwner;
  readonly #mirrored: Readonly<Record<string, string>> | undefined;
  /** Requests without an answer so far. */
  #waiting: readonly RequestId[];
  #state: 'open' | 'settled' | 'over' = 'open';
  #sessionId: string | undefined;
  #handle: HttpCallHandle | undefined;
  #head: HttpHead | undefined;
  #messages: MessageStream | undefined;
  /** The rest of a stream whose first connection broke. */
  #rest: GetStream | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  constructor(
    outgoing: OutgoingMessage,
    mirrored: Readonly<Record<string, string>> | undefined,
    owner: ExchangeOwner,
  ) {
    this.outgoing = outgoing;
    this.stateless = owner.session.isStateless(outgoing);
    this.#owner = owner;
    this.#mirrored = mirrored;
    this.#waiting = outgoing.ids;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(): void {
    if (this.#state !== 'open') return;
    const { session, endpoint, label } = this.#owner;
    if (session.isLost && !this.stateless && this.outgoing.method !== 'initialize') {
      // Without its session the server could only misunderstand it.
      this.fail(sessionLost(label));
      return;
    }
    const headers = session.postHeaders(this.outgoing, this.#mirrored);
    this.#sessionId = session.id;
    this.#handle = HttpAttempt.begin(endpoint, 'POST', headers, this.outgoing.text, this);
  }

  /** False while nothing of the message can have reached the server. */
  get hasLeft(): boolean {
    return this.#head !== undefined || this.#handle?.hasLeft === true;
  }

  /** The caller no longer waits for the answer: what still arrives is dropped. */
  drop(): void {
    this.#settle();
    this.#cut();
  }

  fail(error: TransportError): void {
    this.#settle(error);
    this.#cut();
  }

  /** An answer to one of the requests has come, on whatever stream. */
  answered(id: RequestId): void {
    if (this.#state !== 'open') return;
    this.#waiting = this.#waiting.length === 1 ? [] : this.#waiting.filter((waiting) => waiting !== id);
    if (this.#waiting.length > 0) return;
    this.#settle();
    this.#rest?.abort();
    if (this.#messages !== undefined) this.#linger = setTimeout(() => this.#cut(), LINGER_MS);
  }

  /** The session that the message was sent in. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** The server has answered that it does not know the session. */
  forgotten(words: string): void {
    if (this.#sessionId !== undefined) this.#owner.lostSession(this.#sessionId);
    this.fail(sessionLost(this.#owner.label, this.#head?.status, excerptOf(words)));
  }

  /** The answer has come, and cannot be read. */
  tooLarge(): void {
    this.fail(this.#tooLargeError({ mayHaveActed: true }));
  }

  /** Reports the error as the answer to the request. */
  refuse(refusal: DecodedError): void {
    if (this.#state !== 'open') return;
    if (refusal.id !== undefined) this.#owner.deliver(refusal, JSON.stringify(refusal.error));
    else this.fail(httpError(this.#owner.label, refusal.httpStatus ?? 0, refusal.error.message));
  }

  head(head: HttpHead): BodyMode {
    this.#head = head;
    const { status } = head;
    const success = status >= 200 && status < 300;
    this.onAccepted?.(success);
    if (success && this.outgoing.method === 'initialize') this.#owner.session.assigned(head);
    if (status === 202 || status === 204) return 'none';
    if (!isEventStream(head)) return 'text';
    // Not even the error that such a stream may hold is worth waiting for its end.
    if (!success) return 'none';
    this.#messages = new MessageStream(this, this.#owner.maxBodyBytes);
    this.#watch();
    return 'chunks';
  }

  text(body: string): void {
    const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
    if (!this.#succeeded) this.#refused(text);
    else if (text.trim() === '') this.#accepted();
    else if (!this.#owner.take(text)) {
      const decoded = decodeText(text);
      const readable = decoded.kind !== 'malformed' || (decoded.isAnswer && decoded.id !== undefined);
      if (readable) this.#owner.deliver(this.own(decoded), text);
      this.#unanswered(text);
    }
  }

  chunk(bytes: Uint8Array): void {
    this.#watch();
    this.#messages?.push(bytes);
  }

  /** A call has a timeout; a listener for changes would wait forever. */
  #watch(): void {
    const { idleMs } = this.#owner.timings;
    if (idleMs === undefined || this.outgoing.method !== 'subscriptions/listen') return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.fail(this.#lostError(undefined)), idleMs);
  }

  end(): void {
    clearTimeout(this.#linger);
    if (this.#messages !== undefined) this.#lost(undefined);
    else if (this.#succeeded) this.#accepted();
    else this.#refused('');
  }

  failed(error: TransportError): void {
    clearTimeout(this.#linger);
    if (this.#head === undefined || error.code === 'too_large') this.fail(error);
    else this.#lost(error);
  }

  message(text: string): void {
    // Behind the answer of a stateless request there is nothing to come.
    const read = this.#state === 'open' || (this.#state === 'settled' && !this.stateless);
    if (read) this.#owner.received(text, this);
  }

  oversize(sample: string, ending: string): void {
    const [only] = this.#waiting;
    const alone = this.#waiting.length === 1 && isTruncatedAnswer(sample);
    this.#owner.oversize(sample, alone ? only : answeredBy(sample, ending));
  }

  /** An error that names no request, in the answer to the only one there is, is about that one. */
  own(decoded: Decoded | Batch): Decoded | Batch {
    const [id] = this.#waiting;
    if (decoded.kind !== 'error' || decoded.id !== undefined || this.#waiting.length !== 1) return decoded;
    return { ...decoded, id };
  }

  get #succeeded(): boolean {
    return this.#head !== undefined && this.#head.status < 300;
  }

  /** The server took the message and says nothing. */
  #accepted(): void {
    // In a session the answer may yet come on the server's own stream.
    if (this.stateless) this.#unanswered('');
    else this.#settle();
  }

  /** There was a body, and whatever it was, no more is to come. */
  #unanswered(body: string): void {
    if (this.#state !== 'open') return;
    // Some servers confirm a notification in words of their own.
    if (this.#waiting.length === 0) this.#settle();
    else if (this.#owner.reportsLoss(this, excerptOf(body))) this.forgotten(body);
    else {
      const status = this.#head?.status ?? 0;
      this.fail(httpError(this.#owner.label, status, excerptOf(body), { mayHaveActed: true }));
    }
  }

  #refused(body: string): void {
    const head = this.#head;
    if (head === undefined || this.#state !== 'open') return;
    const { label } = this.#owner;
    const id = this.#waiting.length === 1 ? this.#waiting[0] : undefined;
    const afterHandshake = !this.stateless && this.outgoing.method !== 'initialize';
    // A probe is answered by servers of either kind.
    const withoutHandshake = this.stateless && this.outgoing.method !== 'server/discover';
    const sessionId = this.#sessionId;
    const refusal = judgeRefusal(head, body, { label, id, sessionId, afterHandshake, withoutHandshake });
    if (refusal instanceof TransportError) {
      if (refusal.code === 'session_lost' && this.#sessionId !== undefined)
        this.#owner.lostSession(this.#sessionId);
      this.fail(refusal);
    } else if (!this.#owner.refused(this, refusal)) this.refuse(refusal);
  }

  #lost(cause: TransportError | undefined): void {
    if (this.#state !== 'open') return;
    const messages = this.#messages;
    if (this.#waiting.length === 0) this.#settle();
    else if (messages?.lastEventId === undefined || this.stateless || messages.isSkipping) {
      this.fail(this.#lostError(cause));
    } else {
      const { endpoint, session, timings } = this.#owner;
      const onOver = (error: TransportError): void => this.fail(this.#lostError(error));
      this.#rest = new GetStream({ endpoint, session, messages, timings, promised: true, onOver });
      this.#rest.openLater();
    }
  }

  #lostError(cause: TransportError | undefined): TransportError {
    const { label } = this.#owner;
    const options = {
      mayHaveActed: true,
      ...(cause === undefined ? {} : { cause }),
      ...(cause?.status === undefined ? {} : { status: cause.status }),
    };
    if (this.#messages?.isSkipping === true) return this.#tooLargeError(options);
    const detail = cause === undefined ? '' : ` (${cause.message})`;
    return new TransportError(
      'stream_lost',
      `${label} ended the stream before it had answered${detail}; the request may have been carried out`,
      options,
    );
  }

  #tooLargeError(options: TransportErrorOptions): TransportError {
    const advice = 'raise maxFrameBytes (or maxBodyBytes of the target) if that is normal';
    return new TransportError(
      'too_large',
      `${this.#owner.label} sent an answer that is too long; ${advice}`,
      options,
    );
  }

  /** Ends every connection that the exchange still holds. */
  #cut(): void {
    this.#state = 'over';
    clearTimeout(this.#linger);
    clearTimeout(this.#idleTimer);
    this.#handle?.abort();
    this.#rest?.abort();
  }

  #settle(error?: TransportError): void {
    if (this.#state !== 'open') return;
    this.#state = 'settled';
    clearTimeout(this.#idleTimer);
    // Where the connection broke, the server may have it; if not, it will say so to whatever comes next.
    this.onAccepted?.(error?.code === 'network');
    this.#owner.settled(this);
    if (error === undefined) {
      this.#resolve();
      return;
    }
    // A sender who does not look at the outcome must not bring the process down.
    this.done.catch(() => {});
    this.#reject(error);
  }
}
