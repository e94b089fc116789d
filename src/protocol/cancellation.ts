/**
 * Notifies the code that works for a call of its cancellation. An AbortSignal does the same, and costs more
 * than all the rest of a call that is only passed on; it is for handlers and users, this is for what lies
 * between them.
 */

export interface CancellationWatcher {
  /** Called once. */
  cancelled(reason: unknown): void;
}

export class Cancellation {
  /** Nearly always there is one. */
  #watcher: CancellationWatcher | undefined;
  #others: Set<CancellationWatcher> | undefined;
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
    if (this.#watcher === undefined) {
      this.#watcher = watcher;
      return;
    }
    this.#others ??= new Set();
    this.#others.add(watcher);
  }

  unwatch(watcher: CancellationWatcher): void {
    if (this.#watcher === watcher) this.#watcher = undefined;
    else this.#others?.delete(watcher);
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    const watchers = [this.#watcher, ...(this.#others ?? [])];
    this.#watcher = undefined;
    this.#others = undefined;
    for (const watcher of watchers) watcher?.cancelled(reason);
  }
}

let never: AbortSignal | undefined;

/** The signal of what cannot be cancelled. Made when it is first asked for: Workers have none while modules load. */
export function neverAborted(): AbortSignal {
  never ??= new AbortController().signal;
  return never;
}
