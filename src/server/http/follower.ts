/** A client that came back for a stream: it gets what was logged since it left, and what is logged from now on. */

import { sseLogged } from '../../framing/sse.js';
import type { Store } from '../../store/store.js';
import type { OpenStream } from './streams.js';

export interface StreamFollowOptions {
  readonly session: string;
  readonly stream: string;
  /** The last event that the client has seen. */
  readonly after: string;
  readonly onError: (error: unknown) => void;
}

export class Follower {
  /** Distinguishes it from other followers of the same stream. */
  readonly id: string = crypto.randomUUID();
  readonly session: string;
  readonly stream: string;
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  #last: string;
  #sink: OpenStream | undefined;
  #unsubscribe: (() => unknown) | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;

  constructor(store: Store, { session, stream, after, onError }: StreamFollowOptions) {
    this.#store = store;
    this.session = session;
    this.stream = stream;
    this.#last = after;
    this.#onError = onError;
  }

  /**
   * Resolves when everything logged so far has been sent. `primed`: begin with an event that repeats where the client
   * is. Some clients forget that with each connection, and would come back with nothing if this one broke early.
   */
  async start(sink: OpenStream, primed: boolean): Promise<void> {
    this.#sink = sink;
    if (primed) sink.write(sseLogged(this.stream, this.#last, ''));
    const heard = (): void =>
      void this.#wake().catch((error: unknown) => {
        this.#onError(error);
        // It comes back with the last event it saw, and finds a log that can be read again.
        this.end();
      });
    // Before the first look at the log: an event between the two would be missed.
    this.#unsubscribe = await this.#store.events.watch(this.session, this.stream, heard);
    await this.#wake();
    if (sink.finished) this.stop();
  }

  /** Nothing more will be logged: sends what is left, and ends. */
  async finish(): Promise<void> {
    await this.#wake();
    this.end();
  }

  /** Ends the connection; the stream goes on. */
  end(): void {
    this.#sink?.end();
  }

  /** The connection has ended. */
  stop(): void {
    const unsubscribe = this.#unsubscribe;
    this.#unsubscribe = undefined;
    if (unsubscribe !== undefined) Promise.resolve(unsubscribe()).catch(this.#onError);
  }

  #wake(): Promise<void> {
    this.#again = true;
    this.#pumping ??= this.#pump();
    return this.#pumping;
  }

  async #pump(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        const events = await this.#store.events.replay(this.session, this.stream, this.#last);
        for (const event of events) {
          this.#last = event.id;
          if (event.data === undefined) return this.#sink?.end();
          if (event.data !== '') this.#sink?.write(sseLogged(this.stream, event.id, event.data));
        }
      }
    } finally {
      // Not when the promise is settled: who wakes it before that would wait in vain.
      this.#pumping = undefined;
    }
  }
}
