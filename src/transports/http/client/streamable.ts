/**
 * A client's conversation with one Streamable HTTP server: a POST for each message, the server's own stream while a
 * session lasts, and the session's end. Closing a stateless request is how it is cancelled.
 */

import { PARSE_ERROR } from '../../../jsonrpc/codes.js';
import {
  type Batch,
  type Decoded,
  type DecodedError,
  decodeText,
  decodeValue,
} from '../../../jsonrpc/decode.js';
import { InFlight } from '../../../jsonrpc/in-flight.js';
import { isRequestId, type RequestId } from '../../../jsonrpc/message.js';
import { answeredBy } from '../../../jsonrpc/truncated.js';
import { TransportError } from '../../errors.js';
import type { Receiver, TransportFault } from '../../transport.js';
import { HttpAttempt } from './attempt.js';
import type { Endpoint } from './endpoint.js';
import { type ExchangeOwner, HttpPostExchange } from './exchange.js';
import { GetStream } from './get-stream.js';
import { MessageStream } from './messages.js';
import type { OutgoingMessage } from './outgoing.js';
import type { ReconnectTimings } from './reconnect.js';
import { excerptOf, sessionLost } from './refusal.js';
import { HttpSession } from './session.js';
import { SessionLossReports, saysNotInitialized, saysSessionIsGone } from './session-loss.js';

const SAMPLE_CHARACTERS = 200;
/**
 * Some servers begin to answer only when they have an event to send; the client waits no longer than this.
 */
const STREAM_HEAD_START_MS = 500;

export interface StreamableOptions {
  readonly label: string;
  readonly endpoint: Endpoint;
  readonly receiver: Pick<Receiver, 'message' | 'take' | 'fault' | 'interrupted'>;
  readonly timings: ReconnectTimings;
  readonly maxBodyBytes: number;
  readonly openStream: boolean;
  /** Whether the refused message is sent in another way. */
  onRefused(exchange: HttpPostExchange, refusal: DecodedError): boolean;
}

export class StreamableConnection implements ExchangeOwner {
  readonly label: string;
  readonly endpoint: Endpoint;
  readonly session: HttpSession = new HttpSession();
  readonly timings: ReconnectTimings;
  readonly maxBodyBytes: number;
  readonly #options: StreamableOptions;
  /** By the requests in them. */
  readonly #exchanges = new InFlight<HttpPostExchange>();
  /** Those without a request. */
  readonly #notices = new Set<HttpPostExchange>();
  readonly #lossReports = new SessionLossReports();
  /** The server's own stream. */
  #stream: GetStream | undefined;
  /**
   * Until the server has received `notifications/initialized`, nothing may overtake that message. Its own
   * stream goes first too: many servers lose what they want to send there, even questions about a call, while
   * it is not open.
   */
  #gate: Promise<void> | undefined;
  #pass: () => void = () => {};
  #closed = false;

  constructor(options: StreamableOptions) {
    this.#options = options;
    this.label = options.label;
    this.endpoint = options.endpoint;
    this.timings = options.timings;
    this.maxBodyBytes = options.maxBodyBytes;
  }

  send(outgoing: OutgoingMessage, mirrored: Readonly<Record<string, string>> | undefined): Promise<void> {
    const { method, ids } = outgoing;
    const cancelled = method === 'notifications/cancelled' ? this.#cancelled(outgoing) : undefined;
    if (cancelled === 'unsent') return Promise.resolve();
    if (method === 'initialize') this.#restart();
    const exchange = new HttpPostExchange(outgoing, mirrored, this);
    for (const id of ids) this.#exchanges.set(id, exchange);
    if (ids.length === 0) this.#notices.add(exchange);
    if (method === 'notifications/initialized') this.#ready(exchange);
    else if (this.#gate !== undefined) void this.#gate.then(() => exchange.start());
    else exchange.start();
    // The server may never end the answer to a cancelled request.
    if (cancelled !== undefined) exchange.done.finally(() => cancelled.drop()).catch(() => {});
    return exchange.done;
  }

  /** False while nothing of this request can have reached the server. */
  hasLeft(id: RequestId): boolean {
    return this.#exchanges.get(id)?.hasLeft ?? true;
  }

  /** Ends the session; bounded by the caller. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stream?.abort();
    const error = new TransportError('connection_closed', `The connection to ${this.label} was closed`);
    for (const exchange of [...this.#exchanges.values(), ...this.#notices]) exchange.fail(error);
    this.#pass();
    if (this.session.id === undefined) return;
    await new Promise<void>((resolve) => {
      // Servers may refuse to end sessions; there is no caller left to report it to.
      HttpAttempt.begin(this.endpoint, 'DELETE', this.session.endHeaders(), undefined, {
        head: () => 'none',
        text: () => resolve(),
        chunk: () => {},
        end: () => resolve(),
        failed: () => resolve(),
      });
    });
  }

  deliver(decoded: Decoded | Batch, text: string, about?: RequestId): void {
    if (this.#closed || (decoded.kind === 'error' && this.#losesSession(decoded))) return;
    if (decoded.kind === 'batch') for (const item of decoded.items) this.#settle(decodeValue(item));
    else this.#settle(decoded);
    this.#options.receiver.message(decoded, text, about);
  }

  take(text: string): boolean {
    const id = this.#closed ? undefined : this.#options.receiver.take?.(text);
    if (id === undefined) return false;
    const exchange = this.#exchanges.get(id);
    if (exchange !== undefined) this.#succeeded(exchange, id);
    return true;
  }

  received(text: string, exchange?: HttpPostExchange): void {
    if (this.take(text)) return;
    const decoded = decodeText(text);
    if (decoded.kind === 'malformed' && decoded.code === PARSE_ERROR) {
      const message = `${this.label} sent an event that is not JSON`;
      this.#fault({ kind: 'noise', message, sample: text.slice(0, SAMPLE_CHARACTERS) });
    } else if (exchange === undefined) this.deliver(decoded, text);
    else if (decoded.kind === 'malformed' && this.reportsLoss(exchange, excerptOf(text))) {
      exchange.forgotten(text);
    } else this.deliver(exchange.own(decoded), text, exchange.outgoing.ids[0]);
  }

  oversize(sample: string, answers: RequestId | undefined): void {
    const message = `${this.label} sent an event of more than ${this.maxBodyBytes} characters; raise maxFrameBytes (or maxBodyBytes of the target)`;
    const exchange = answers === undefined ? undefined : this.#exchanges.get(answers);
    // An exchange that is over left its answer to the server's own stream.
    const orphaned = answers !== undefined && exchange === undefined;
    this.#fault({ kind: 'oversize', message, sample, ...(orphaned ? { answers } : {}) });
    exchange?.tooLarge();
  }

  refused(exchange: HttpPostExchange, refusal: DecodedError): boolean {
    return this.#options.onRefused(exchange, refusal);
  }

  reportsLoss(exchange: HttpPostExchange, words: string): boolean {
    if (exchange.stateless || exchange.outgoing.method === 'initialize') return false;
    const gone = exchange.sessionId === undefined ? saysNotInitialized(words) : saysSessionIsGone(words);
    // What was sent in an earlier session says nothing about the one of now.
    const isCurrent = exchange.sessionId === this.session.id && !this.session.isLost;
    return gone && (!isCurrent || this.#lossReports.isCredible(exchange.outgoing));
  }

  lostSession(id: string): void {
    if (this.session.id !== id) return;
    this.session.forget(id);
    this.#stream?.abort();
  }

  settled(exchange: HttpPostExchange): void {
    for (const id of exchange.outgoing.ids) {
      if (this.#exchanges.get(id) === exchange) this.#exchanges.take(id);
    }
    this.#notices.delete(exchange);
  }

  #settle(decoded: Decoded): void {
    const id = answeredId(decoded);
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (id === undefined || exchange === undefined) return;
    if (decoded.kind !== 'result') {
      exchange.answered(id);
      return;
    }
    if (exchange.outgoing.method === 'initialize') this.session.agreed(decoded.message.result);
    this.#succeeded(exchange, id);
  }

  #succeeded(exchange: HttpPostExchange, id: RequestId): void {
    this.#lossReports.succeeded(exchange.outgoing);
    exchange.answered(id);
  }

  #losesSession({ id, error }: DecodedError): boolean {
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (exchange === undefined || !this.reportsLoss(exchange, error.message)) return false;
    exchange.forgotten(error.message);
    return true;
  }

  /** Ends a stateless request by closing it. Otherwise returns what is to be closed once the server knows. */
  #cancelled(outgoing: OutgoingMessage): HttpPostExchange | 'unsent' | undefined {
    const id = outgoing.params?.requestId;
    const target = isRequestId(id) ? this.#exchanges.get(id) : undefined;
    if (target === undefined) return this.session.isStateless(outgoing) ? 'unsent' : undefined;
    // The server must not hear of the end of something that it never gets.
    if (!target.stateless && target.hasLeft) return target;
    target.drop();
    return 'unsent';
  }

  #restart(): void {
    this.#stream?.abort();
    this.#stream = undefined;
    this.session.reset();
  }

  #ready(exchange: HttpPostExchange): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let resolve = (): void => {};
    const gate = new Promise<void>((settle) => {
      resolve = settle;
    });
    const pass = (): void => {
      clearTimeout(timer);
      if (this.#gate === gate) this.#gate = undefined;
      resolve();
    };
    exchange.onAccepted = (accepted) => {
      exchange.onAccepted = undefined;
      const wanted = accepted && !this.#closed && this.#options.openStream && this.session.hasStream;
      if (!wanted) return pass();
      timer = setTimeout(pass, STREAM_HEAD_START_MS);
      this.#openStream(pass);
    };
    this.#gate = gate;
    this.#pass = pass;
    exchange.start();
  }

  #openStream(onAnswered: () => void): void {
    this.#stream?.abort();
    const { endpoint, session } = this;
    const timings = { ...this.timings, maxAttempts: Number.POSITIVE_INFINITY };
    const sink = {
      message: (text: string) => this.received(text),
      oversize: (sample: string, ending: string) => this.oversize(sample, answeredBy(sample, ending)),
    };
    const messages = new MessageStream(sink, this.maxBodyBytes);
    this.#stream = new GetStream({
      endpoint,
      session,
      messages,
      timings,
      promised: false,
      onAnswered,
      onGap: () => this.#options.receiver.interrupted?.(),
      onOver: ({ status }, promised) => {
        if (promised && status === 404) this.#streamForgotten(status);
      },
    });
    this.#stream.open();
  }

  /**
   * A stream that was open before is unknown now, and so is its session; perhaps no call follows that would
   * find out.
   */
  #streamForgotten(status: number): void {
    const { id } = this.session;
    if (id === undefined || this.#closed) return;
    this.lostSession(id);
    this.#options.receiver.interrupted?.(sessionLost(this.label, status));
  }

  #fault(fault: TransportFault): void {
    if (!this.#closed) this.#options.receiver.fault(fault);
  }
}

function answeredId(decoded: Decoded): RequestId | undefined {
  switch (decoded.kind) {
    case 'result':
      return decoded.message.id;
    case 'error':
      return decoded.id;
    case 'malformed':
      return decoded.isAnswer ? decoded.id : undefined;
    default:
      return undefined;
  }
}
