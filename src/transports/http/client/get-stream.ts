/**
 * A stream of events fetched by GET, opened again whenever its connection ends: the server's own stream, or the rest of
 * an answer whose first connection broke. It goes on until it is aborted, refused, or fails too often in a row.
 */

import { MAX_TIMER_MS } from '../../../protocol/timer.js';
import { TransportError } from '../../errors.js';
import { HttpAttempt } from './attempt.js';
import type { Endpoint } from './endpoint.js';
import { isEventStream, type MessageStream } from './messages.js';
import type { ReconnectTimings } from './reconnect.js';
import type { BodyMode, HttpCallEvents, HttpCallHandle, HttpHead } from './requester.js';
import type { HttpSession } from './session.js';

/** A connection shorter than this, with nothing on it, was not worth opening. */
const SHORT_MS = 1_000;
/** A server that wants us back at once, and then has nothing, must not make us spin. */
const SHORTEST_WAIT_MS = 100;

export interface GetStreamOptions {
  readonly endpoint: Endpoint;
  readonly session: HttpSession;
  readonly messages: MessageStream;
  readonly timings: ReconnectTimings;
  /** Whether the server has promised the stream; otherwise a first refusal, whatever its status, is final. */
  readonly promised: boolean;
  /** The server has answered an attempt, or will not. */
  onAnswered?(): void;
  /**
   * The stream is open again after attempts that failed, and the server cannot replay what it sent meanwhile.
   */
  onGap?(): void;
  /** The server has nothing (more) for us here, or cannot be reached any more. `promised`: it once had. */
  onOver(error: TransportError, promised: boolean): void;
}

export class GetStream implements HttpCallEvents {
  readonly #options: GetStreamOptions;
  #handle: HttpCallHandle | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #head: HttpHead | undefined;
  #openedAt = 0;
  /** Failures in a row. */
  #failures = 0;
  /** Connections in a row that brought nothing. */
  #idle = 0;
  #received = false;
  #promised: boolean;
  #over = false;

  constructor(options: GetStreamOptions) {
    this.#options = options;
    this.#promised = options.promised;
  }

  open(): void {
    const { endpoint, session, messages } = this.#options;
    this.#head = undefined;
    this.#received = false;
    this.#openedAt = performance.now();
    this.#handle = HttpAttempt.begin(
      endpoint,
      'GET',
      session.streamHeaders(messages.lastEventId),
      undefined,
      this,
    );
    if (this.#over) this.#handle.abort();
  }

  /** Opens after the wait that the server asked for. */
  openLater(): void {
    this.#timer = setTimeout(() => this.open(), Math.min(this.#wait(), MAX_TIMER_MS));
  }

  abort(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    this.#handle?.abort();
  }

  head(head: HttpHead): BodyMode {
    this.#head = head;
    this.#options.onAnswered?.();
    if (head.status !== 200 || !isEventStream(head)) return 'none';
    const { messages, onGap } = this.#options;
    if (this.#failures > 0 && this.#promised && messages.lastEventId === undefined) onGap?.();
    this.#failures = 0;
    this.#promised = true;
    messages.reconnected();
    this.#watch();
    return 'chunks';
  }

  text(): void {}

  chunk(bytes: Uint8Array): void {
    this.#received = true;
    this.#watch();
    this.#options.messages.push(bytes);
  }

  #watch(): void {
    const { idleMs } = this.#options.timings;
    if (idleMs === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#handle?.abort();
      if (!this.#over) this.#dropped();
    }, idleMs);
  }

  end(): void {
    const head = this.#head;
    if (head === undefined || this.#over) return;
    const { status } = head;
    if (status === 200 && isEventStream(head)) {
      this.#dropped();
      return;
    }
    const error = new TransportError('stream_lost', `The stream was refused (HTTP ${status})`, {
      status,
      mayHaveActed: true,
    });
    // Overloaded or restarting; anything else is the server's last word.
    if (this.#promised && (status === 429 || status >= 500)) this.#failed(error);
    else this.#giveUp(error);
  }

  failed(error: TransportError): void {
    this.#options.onAnswered?.();
    if (this.#over) return;
    if (this.#head === undefined) this.#failed(error);
    else this.end();
  }

  #dropped(): void {
    clearTimeout(this.#idleTimer);
    const useless = !this.#received && performance.now() - this.#openedAt < SHORT_MS;
    this.#idle = useless ? this.#idle + 1 : 0;
    this.openLater();
  }

  #failed(error: TransportError): void {
    this.#failures += 1;
    if (this.#failures >= this.#options.timings.maxAttempts) this.#giveUp(error);
    else this.openLater();
  }

  #giveUp(error: TransportError): void {
    this.abort();
    this.#options.onOver(error, this.#promised);
  }

  #wait(): number {
    const { timings, messages } = this.#options;
    const { retryMs } = messages;
    if (retryMs === undefined) {
      return Math.min(timings.maxDelayMs, timings.delayMs * 2 ** (this.#failures + this.#idle));
    }
    // The server's wish is the least we wait.
    const grown = Math.min(timings.maxDelayMs, retryMs * 2 ** this.#failures);
    return Math.max(retryMs, grown, this.#failures + this.#idle > 0 ? SHORTEST_WAIT_MS : 0);
  }
}
