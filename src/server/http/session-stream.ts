/**
 * An event stream of a handshake session. Every event is logged before it is written, so that a client which
 * lost the connection gets the rest of exactly this stream when it comes back, here or on another node.
 */

import { sseMessage, ssePriming, sseRetry } from '../../framing/sse.js';
import type { Awaitable, Store } from '../../store/store.js';
import type { OpenStream } from './streams.js';

export class SessionStream {
  readonly id: string = crypto.randomUUID().slice(0, 13);
  readonly session: string;
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  #sink: OpenStream | undefined;
  /** Set while the store has not answered yet; events queue behind it in their order. */
  #tail: Promise<void> | undefined;

  constructor(store: Store, session: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.session = session;
    this.#onError = onError;
  }

  /** `primed`: begin with an empty event, so that there is an id to resume from. */
  attach(sink: OpenStream, primed: boolean): void {
    this.#sink = sink;
    if (primed) this.#append('');
  }

  send(text: string): void {
    this.#append(text);
  }

  /** The last event has been sent. */
  end(): void {
    this.#append(undefined);
  }

  /** Lets the client go for a while; what comes next waits for it in the log. */
  release(retryMs: number): void {
    this.#queue(() => {
      this.#sink?.write(sseRetry(retryMs));
      this.detach();
    });
  }

  detach(): void {
    this.#sink?.end();
    this.#sink = undefined;
  }

  #append(data: string | undefined): void {
    this.#queue(() => {
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

  #queue(step: () => Awaitable<void>): void {
    const next = this.#tail === undefined ? step() : this.#tail.then(step);
    if (!(next instanceof Promise)) return;
    const tail: Promise<void> = next.catch(this.#onError).then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
  }

  #deliver(id: string, data: string | undefined): Awaitable<void> {
    const sink = this.#sink;
    if (sink !== undefined && !sink.finished) {
      if (data === undefined) return sink.end();
      if (sink.write(formatEvent(this.id, id, data))) return;
    }
    this.#sink = undefined;
    return this.#store.bus.publish(streamTopic(this.id), id);
  }

  /** Without the log a client that is here still gets everything; only one that leaves does not. */
  #deliverUnlogged(error: unknown, data: string | undefined): void {
    this.#onError(error);
    if (data === undefined) this.#sink?.end();
    else if (data !== '') this.#sink?.write(sseMessage(data));
  }
}

export function formatEvent(stream: string, entry: string, data: string): string {
  const id = `${stream}.${entry}`;
  return data === '' ? ssePriming(id) : sseMessage(data, id);
}

/** `stream.entry`, as it was sent in `id:`; undefined when it never came from here. */
export function parseEventId(id: string): { readonly stream: string; readonly entry: string } | undefined {
  const match = /^([0-9a-f-]{13})\.([\w-]{1,64})$/.exec(id);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { stream: match[1], entry: match[2] };
}

export function streamTopic(stream: string): string {
  return `stream:${stream}`;
}
