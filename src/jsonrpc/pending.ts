/**
 * Outbound requests awaiting an answer, keyed by id.
 * An entry leaves exactly once (answered, timed out, cancelled, or lost with the connection),
 * and the code that removes it settles its promise.
 */

import { InFlight } from './in-flight.js';
import type { ErrorObject, JsonObject, RequestId } from './message.js';

export interface Waiter {
  /** `size` is the length of the text that it came in. */
  resolve(result: JsonObject, size?: number): void;
  reject(error: unknown): void;
  /** Turns the peer's error object into what the caller should see. */
  fail(error: ErrorObject): void;
  /** Whether the text of a result is enough; it then goes to `resolveText`, and is not decoded. */
  readonly takesText?: boolean;
  resolveText?(result: string): void;
}

export class Pending {
  readonly #waiters = new InFlight<Waiter>();
  #nextId = 1;

  get size(): number {
    return this.#waiters.size;
  }

  /** An id never used before by this side of the connection. */
  allocate(): number {
    return this.#nextId++;
  }

  add(id: RequestId, waiter: Waiter): void {
    this.#waiters.set(id, waiter);
  }

  has(id: RequestId): boolean {
    return this.#waiters.has(id);
  }

  /** The entry, which stays where it is. */
  get(id: RequestId): Waiter | undefined {
    return this.#waiters.get(id);
  }

  /** Takes the entry out; `undefined` means that its outcome was already decided (a late or foreign answer). */
  take(id: RequestId): Waiter | undefined {
    return this.#waiters.take(id);
  }

  /** The connection is gone: every pending request is rejected with the reason. */
  rejectAll(reason: unknown): void {
    const waiters = this.#waiters.values();
    this.#waiters.clear();
    for (const waiter of waiters) waiter.reject(reason);
  }
}
