/**
 * The ids of requests given up (timed out or cancelled), so that an answer that still comes is known to be late rather
 * than unknown. Ids are never used twice, so a late answer cannot reach another caller.
 */

import type { RequestId } from '../../jsonrpc/message.js';

export const GIVEN_UP_MS = 75_000;
export const GIVEN_UP_SWEEP_MS = 60_000;
const MAX_TOMBSTONES = 10_000;

export class GivenUpRequests {
  /** When each was set; oldest first. */
  readonly #since = new Map<RequestId, number>();
  readonly #clock: () => number;
  #swept: number;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#swept = clock();
  }

  get size(): number {
    return this.#since.size;
  }

  add(id: RequestId): void {
    const now = this.#clock();
    // Swept when an entry is added: a timer would keep an idle process alive.
    if (now - this.#swept >= GIVEN_UP_SWEEP_MS) this.#sweep(now);
    this.#since.set(id, now);
    if (this.#since.size <= MAX_TOMBSTONES) return;
    const [oldest] = this.#since.keys();
    if (oldest !== undefined) this.#since.delete(oldest);
  }

  /** Whether it was there; it is not afterwards, because a request has one answer. */
  take(id: RequestId): boolean {
    const since = this.#since.get(id);
    if (since === undefined) return false;
    this.#since.delete(id);
    return this.#clock() - since < GIVEN_UP_MS;
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const [id, since] of this.#since) {
      if (now - since < GIVEN_UP_MS) return;
      this.#since.delete(id);
    }
  }
}
