/**
 * Tells those who work for a call that nobody wants it any more. An AbortSignal says the same, and costs more than all
 * the rest of a call that is only passed on; it is for handlers and users, this is for what lies between them.
 */

export interface CancellationWatcher {
  /** Called once. */
  cancelled(reason: unknown): void;
}

export class Cancellation {
  readonly #watchers = new Set<CancellationWatcher>();
  #cancelled = false;
  #reason: unknown;

  get isCancelled(): boolean {
    return this.#cancelled;
  }

  /** Why, where it is cancelled. */
  get reason(): unknown {
    return this.#reason;
  }

  watch(watcher: CancellationWatcher): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: CancellationWatcher): void {
    this.#watchers.delete(watcher);
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher.cancelled(reason);
  }
}
