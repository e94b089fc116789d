/**
 * An event stream of a handshake session. Every event is logged before it is written, so that a client which
 * lost the connection gets the rest of exactly this stream when it comes back, here or on another node.
 */

import { sseLogged, sseMessage, sseRetry } from '../../framing/sse.js';
import type { RequestId } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import type { Store } from '../../store/store.js';
import type { OpenStream } from './streams.js';

/** `p`: the answer to a POST, which ends with its call. `g`: a GET stream, which any node can go on with. */
export type StreamKind = 'p' | 'g';

export function createStreamId(kind: StreamKind): string {
  return `${kind}${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
}

export class SessionStream {
  readonly id: string;
  readonly session: string;
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  #sink: OpenStream | undefined;
  /** Set while the store has not answered yet; events queue behind it in their order. */
  #tail: Promise<void> | undefined;

  constructor(store: Store, session: string, id: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.session = session;
    this.id = id;
    this.#onError = onError;
  }

  /**
   * `primed`: begin at once with an empty event, so that there is an id to resume from: a client that loses the
   * connection without having seen one cannot come back for what is logged from now on.
   */
  attach(sink: OpenStream, primed: boolean): void {
    this.#sink = sink;
    if (primed) sink.write(sseLogged(this.id, this.#store.events.origin, ''));
  }

  /** Whether its client is here, rather than following the log. */
  get isConnected(): boolean {
    return this.#sink !== undefined && !this.#sink.finished;
  }

  send(text: string): void {
    this.#append(text);
  }

  /** The last event has been sent. */
  end(): void {
    this.#append(undefined);
  }

  /** Notes who has to end this stream; should that node die, another one does. */
  begin(note: string): void {
    this.queue(() => this.#store.events.begin(this.session, this.id, note));
  }

  /**
   * What a change means for the session, unless the session has received it already. To be called from a
   * queued step; throws where the session has another stream by now.
   */
  sendChange(text: string, change: string): Awaitable<void> {
    const id = this.#store.events.appendChange(this.session, this.id, text, change);
    const deliver = (settled: string | false | undefined): void => {
      if (settled === false) throw new StreamMoved(this.id);
      if (settled !== undefined) this.#deliver(settled, text);
    };
    return id instanceof Promise ? id.then(deliver) : deliver(id);
  }

  /** Lets the client go for a while; what comes next waits for it in the log. */
  release(retryMs: number): void {
    this.queue(() => {
      this.#sink?.write(sseRetry(retryMs));
      this.detach();
    });
  }

  detach(): void {
    this.#sink?.end();
    this.#sink = undefined;
  }

  /** Runs the step when everything before it has been logged and written. */
  queue(step: () => Awaitable<void>): void {
    const next = this.#tail === undefined ? attempt(step) : this.#tail.then(step);
    if (!(next instanceof Promise)) return;
    const tail: Promise<void> = next.catch(this.#onError).then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
  }

  #append(data: string | undefined): void {
    this.queue(() => {
      try {
        const id = this.#store.events.append(this.session, this.id, data);
        return id instanceof Promise
          ? id.then(
              (settled) => this.#deliver(settled, data),
              (error: unknown) => this.#deliverUnlogged(error, data),
            )
          : this.#deliver(id, data);
      } catch (error) {
        return this.#deliverUnlogged(error, data);
      }
    });
  }

  /** Followers of the log on other nodes have been woken by the store. */
  #deliver(id: string, data: string | undefined): void {
    const sink = this.#sink;
    if (sink !== undefined && !sink.finished) {
      if (data !== undefined && sink.write(sseLogged(this.id, id, data))) return;
      if (data === undefined) sink.end();
    }
    this.#sink = undefined;
  }

  /** Without the log a client that is here still gets everything; only one that leaves does not. */
  #deliverUnlogged(error: unknown, data: string | undefined): void {
    this.#onError(error);
    if (data === undefined) this.#sink?.end();
    else if (data !== '') this.#sink?.write(sseMessage(data));
  }
}

/** The session receives changes on another stream. */
export class StreamMoved extends Error {
  constructor(stream: string) {
    super(`The session of stream ${stream} has another one by now`);
    this.name = 'StreamMoved';
  }
}

/** What throws at once fails like what throws later. */
function attempt(step: () => Awaitable<void>): Awaitable<void> {
  try {
    return step();
  } catch (error) {
    return Promise.reject(error);
  }
}

export interface EventId {
  readonly kind: StreamKind;
  readonly stream: string;
  readonly entry: string;
}

/** `stream.entry`, as it was sent in `id:`; undefined when it never came from here. */
export function parseEventId(id: string): EventId | undefined {
  const match = /^(([gp])[0-9a-f]{12})\.([\w-]{1,64})$/.exec(id);
  if (match?.[1] === undefined || match[3] === undefined) return undefined;
  return { kind: match[2] === 'g' ? 'g' : 'p', stream: match[1], entry: match[3] };
}

/** What is noted of a stream: who answers on it, and what. */
export function noteCalls(store: Store, ids: readonly RequestId[]): string {
  return JSON.stringify({ node: store.nodes.self, ids });
}
