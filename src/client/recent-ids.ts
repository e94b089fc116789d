/** The ids of requests given up lately, so that an answer that still comes is known to be late. */

import type { RequestId } from '../jsonrpc/message.js';

export class RecentIds {
  readonly #ids = new Set<RequestId>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: RequestId): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#limit) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  /** Whether it was there; it is not afterwards, because a request has one answer. */
  take(id: RequestId): boolean {
    return this.#ids.delete(id);
  }
}
