/**
 * Whether a server is closing, for calls that stay open until then. Not a promise: every waiter that ever
 * waited on one would stay attached to it for the life of the server.
 */
export class Closing {
  readonly #waiting = new Set<() => void>();
  #begun = false;

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Calls `wake` when the server begins to close; the function returned forgets it. */
  onBegin(wake: () => void): () => void {
    if (this.#begun) wake();
    else this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  begin(): void {
    this.#begun = true;
    for (const wake of [...this.#waiting]) wake();
    this.#waiting.clear();
  }
}
