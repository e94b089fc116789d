/** Every SSE answer that is open on this node: kept alive, bounded, and ended on shutdown. */

import { SSE_KEEP_ALIVE } from '../../framing/sse.js';
import type { HttpHeaders, HttpResponse, HttpStream } from '../../transports/http/exchange.js';

export const SSE_HEADERS: HttpHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Buffering proxies would hold events back until the answer is complete.
  'X-Accel-Buffering': 'no',
};

export interface StreamsOptions {
  readonly keepAliveMs: number;
  /** Characters that may wait for a slow reader. */
  readonly backlog: number;
  /** Called on each keep-alive round. */
  readonly onRound: () => void;
}

export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Set<OpenStream>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Turns the answer into an event stream. `onGone` is called once if the client goes away first. */
  open(response: HttpResponse, headers: HttpHeaders, onGone: () => void): OpenStream {
    const stream = new OpenStream(
      response.stream(200, { ...SSE_HEADERS, ...headers }),
      this.#options.backlog,
      () => {
        this.#open.delete(stream);
        if (this.#open.size === 0) this.#stop();
      },
    );
    this.#open.add(stream);
    this.#start();
    response.onDisconnect(() => {
      if (stream.finish()) onGone();
    });
    return stream;
  }

  endAll(): void {
    for (const stream of [...this.#open]) stream.end();
  }

  /** Runs rounds also while no stream is open, for as long as someone asks for it. */
  keepRounds(): void {
    this.#start();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#round(), this.#options.keepAliveMs);
    if (typeof this.#timer === 'object' && 'unref' in this.#timer) this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #round(): void {
    for (const stream of [...this.#open]) stream.write(SSE_KEEP_ALIVE);
    this.#options.onRound();
  }
}

/** One open event stream. After it is finished nothing more is written. */
export class OpenStream {
  readonly #stream: HttpStream;
  readonly #backlog: number;
  readonly #onFinish: () => void;
  #finished = false;

  constructor(stream: HttpStream, backlog: number, onFinish: () => void) {
    this.#stream = stream;
    this.#backlog = backlog;
    this.#onFinish = onFinish;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** False when the client did not get it: it is gone, or does not read. */
  write(chunk: string): boolean {
    if (this.#finished) return false;
    if (this.#stream.pending > this.#backlog) {
      this.#stream.destroy();
      this.finish();
      return false;
    }
    return this.#stream.write(chunk);
  }

  end(): void {
    if (this.finish()) this.#stream.end();
  }

  /** True the first time. */
  finish(): boolean {
    if (this.#finished) return false;
    this.#finished = true;
    this.#onFinish();
    return true;
  }
}
