/** Locks, rates and values for the parts of one process. */

import type { MemorySettings } from './memory.js';
import type { Locks, RateLimit, Rates, RateVerdict, Values } from './store.js';

export class MemoryLocks implements Locks {
  readonly #queues = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(key, settled);
    void settled.then(() => {
      if (this.#queues.get(key) === settled) this.#queues.delete(key);
    });
    return turn;
  }
}

/**
 * A bucket as one number: the moment at which it is full again. Taking one moves that moment by the time that one
 * takes to refill, and is refused when that is further away than a whole bucket.
 */
export class MemoryRates implements Rates {
  readonly #now: () => number;
  readonly #full = new Map<string, number>();

  constructor({ now }: MemorySettings) {
    this.#now = now;
  }

  take(key: string, { limit, windowMs }: RateLimit): RateVerdict {
    const now = this.#now();
    const next = Math.max(this.#full.get(key) ?? 0, now) + windowMs / limit;
    const wait = next - now - windowMs;
    // Half a millisecond of rounding is not worth a refusal.
    if (wait > 0.5) return { allowed: false, retryAfterMs: Math.ceil(wait) };
    this.#sweep(now);
    this.#full.delete(key);
    this.#full.set(key, next);
    return { allowed: true, retryAfterMs: 0 };
  }

  /** Full buckets are as good as none. Two a call are enough for the map not to grow. */
  #sweep(now: number): void {
    let looked = 0;
    for (const [key, full] of this.#full) {
      if (looked === 2 || full > now) return;
      this.#full.delete(key);
      looked += 1;
    }
  }
}

interface Value {
  readonly text: string;
  readonly until: number;
}

export class MemoryValues implements Values {
  readonly #now: () => number;
  readonly #values = new Map<string, Value>();

  constructor({ now }: Pick<MemorySettings, 'now'>) {
    this.#now = now;
  }

  get(key: string): string | undefined {
    const value = this.#values.get(key);
    if (value === undefined || value.until > this.#now()) return value?.text;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, text: string, ttlMs: number = Number.POSITIVE_INFINITY): void {
    this.#sweep();
    this.#values.set(key, { text, until: this.#now() + ttlMs });
  }

  claim(key: string, text: string, ttlMs: number, instead?: string): string {
    const current = this.get(key);
    const claimed = current === undefined || current === instead ? text : current;
    this.set(key, claimed, ttlMs);
    return claimed;
  }

  delete(key: string, only?: string): void {
    if (only === undefined || this.get(key) === only) this.#values.delete(key);
  }

  /**
   * An expired entry may never be requested again. Two in turn each time are enough for the map not to grow.
   */
  #sweep(): void {
    let looked = 0;
    for (const [key, value] of this.#values) {
      if (looked === 2) return;
      looked += 1;
      this.#values.delete(key);
      if (value.until > this.#now()) this.#values.set(key, value);
    }
  }
}
