/**
 * One handler and what it has yet to hear. Events reach a handler in the order in which they came, one at a time: while
 * its promise is open, later ones wait here, so that a slow handler delays neither the connection nor other handlers.
 */

/** How many events may wait for one handler. */
export const MAX_QUEUED_EVENTS = 1_000;

export interface SubscriberOptions<P extends readonly unknown[]> {
  readonly handler: (...payload: P) => unknown;
  /** An event of this kind says no more than the one that waits already. */
  readonly coalesces: boolean;
  readonly limit: number;
  failed(error: unknown): void;
  /** The handler is too slow, and the oldest event was dropped; reported once until it has caught up. */
  overflowed(): void;
}

export class Subscriber<P extends readonly unknown[]> {
  readonly #options: SubscriberOptions<P>;
  #queue: P[] = [];
  #busy = false;
  #overflowing = false;
  #over = false;

  constructor(options: SubscriberOptions<P>) {
    this.#options = options;
  }

  /** At once when the handler is idle. */
  deliver(payload: P): void {
    if (!this.#busy) {
      this.#run(payload);
      return;
    }
    const { coalesces, limit, overflowed } = this.#options;
    if (coalesces && this.#queue.length > 0) return;
    this.#queue.push(payload);
    if (this.#queue.length <= limit) return;
    this.#queue.shift();
    if (!this.#overflowing) overflowed();
    this.#overflowing = true;
  }

  /** Hears nothing more. */
  end(): void {
    this.#over = true;
    this.#queue = [];
  }

  #run(payload: P): void {
    try {
      const outcome = this.#options.handler(...payload);
      if (!(outcome instanceof Promise)) return;
      this.#busy = true;
      outcome.catch((error: unknown) => this.#options.failed(error)).finally(() => this.#next());
    } catch (error) {
      this.#options.failed(error);
    }
  }

  #next(): void {
    this.#busy = false;
    while (!this.#busy && !this.#over) {
      const payload = this.#queue.shift();
      if (payload === undefined) {
        this.#overflowing = false;
        return;
      }
      this.#run(payload);
    }
  }
}
