/** Every SSE answer that is open on this node: kept alive, bounded, and ended with its session or on shutdown. */

import { SSE_KEEP_ALIVE } from '../../framing/sse.js';
import { RepeatedWork } from '../../protocol/repeated-work.js';
import type { HttpHeaders, HttpResponse, HttpStream } from '../../transports/http/server/exchange.js';

const SSE_HEADERS: HttpHeaders = {
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
  /** Whether rounds are needed while no stream is open. */
  readonly isBusy: () => boolean;
}

export interface StreamOptions {
  /** The session that it belongs to: the stream keeps it alive, and ends with it. */
  readonly session?: string | undefined;
  /** Whether it answers a call. On shutdown such a stream stays until the call has ended. */
  readonly answers?: boolean;
  /** Called once if the client does not get the rest: it is gone, or does not read. */
  readonly onGone?: (() => void) | undefined;
  /** Called once when nothing more will be written, whatever the reason. */
  readonly onFinish?: () => void;
}

export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Set<OpenStream>();
  readonly #sessions = new Map<string, Set<OpenStream>>();
  readonly #rounds: RepeatedWork;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#rounds = new RepeatedWork(() => this.#round(), options.keepAliveMs);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Turns the answer into an event stream. */
  open(response: HttpResponse, headers: HttpHeaders, options: StreamOptions = {}): OpenStream {
    const http = response.stream(200, { ...headers, ...SSE_HEADERS });
    const stream = new OpenStream(http, this.#options.backlog, options, () => this.#remove(stream));
    this.#open.add(stream);
    const { session } = options;
    if (session !== undefined) {
      const streams = this.#sessions.get(session);
      if (streams === undefined) this.#sessions.set(session, new Set([stream]));
      else streams.add(stream);
    }
    this.keepRounds();
    response.onDisconnect(() => stream.gone());
    return stream;
  }

  /** Sessions whose clients have a stream open here. */
  sessions(): Iterable<string> {
    return this.#sessions.keys();
  }

  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  endSession(session: string): void {
    for (const stream of [...(this.#sessions.get(session) ?? [])]) stream.end();
  }

  /** Ends the streams that would stay open for ever; those of running calls end with their calls. */
  endIdle(): void {
    for (const stream of [...this.#open]) if (!stream.answers) stream.end();
  }

  endAll(): void {
    for (const stream of [...this.#open]) stream.end();
  }

  /** Runs rounds for as long as there is something to look after. */
  keepRounds(): void {
    this.#rounds.start();
  }

  #remove(stream: OpenStream): void {
    this.#open.delete(stream);
    const { session } = stream;
    const streams = session === undefined ? undefined : this.#sessions.get(session);
    if (session !== undefined && streams?.delete(stream) && streams.size === 0)
      this.#sessions.delete(session);
    this.#rest();
  }

  #round(): void {
    for (const stream of [...this.#open]) stream.write(SSE_KEEP_ALIVE);
    this.#options.onRound();
    this.#rest();
  }

  #rest(): void {
    if (this.#open.size === 0 && !this.#options.isBusy()) this.#rounds.stop();
  }
}

/** One open event stream. After it is finished nothing more is written. */
export class OpenStream {
  readonly #stream: HttpStream;
  readonly #backlog: number;
  readonly #options: StreamOptions;
  readonly #remove: () => void;
  #finished = false;

  constructor(stream: HttpStream, backlog: number, options: StreamOptions, remove: () => void) {
    this.#stream = stream;
    this.#backlog = backlog;
    this.#options = options;
    this.#remove = remove;
  }

  get session(): string | undefined {
    return this.#options.session;
  }

  get answers(): boolean {
    return this.#options.answers === true;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** False when the client did not get it: it is gone, or does not read. */
  write(chunk: string): boolean {
    if (this.#finished) return false;
    if (this.#stream.pending > this.#backlog) {
      this.#stream.destroy();
      this.gone();
      return false;
    }
    return this.#stream.write(chunk);
  }

  end(): void {
    if (this.#finish()) this.#stream.end();
  }

  /** The client will not read the rest. */
  gone(): void {
    if (this.#finish()) this.#options.onGone?.();
  }

  /** True the first time. */
  #finish(): boolean {
    if (this.#finished) return false;
    this.#finished = true;
    this.#remove();
    this.#options.onFinish?.();
    return true;
  }
}
