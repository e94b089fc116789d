/** A connection that belongs to one session, connection or principal, and how long it has not been used. */

import type { Instance } from './instance.js';

/** An isolated connection that was idle for this long is closed; the next call opens another. */
const IDLE_MS = 10 * 60_000;

export class Owned {
  readonly instance: Instance;
  readonly session: string | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #lastUse: number | undefined;

  constructor(instance: Instance, session: string | undefined) {
    this.instance = instance;
    this.session = session;
  }

  /** Since when its process has had nothing to do; undefined while it has, or where there is none. */
  get unusedSince(): number | undefined {
    const { relay, idleSince } = this.instance;
    if (relay === undefined || idleSince === undefined) return undefined;
    // Started for a client that only sent `initialize`.
    return this.#lastUse === undefined ? Number.NEGATIVE_INFINITY : Math.max(idleSince, this.#lastUse);
  }

  /** The clock is set once and looks again when it rings: a call should not pay for setting it anew. */
  used(expired?: () => void): void {
    this.#lastUse = performance.now();
    if (expired !== undefined) this.expires(expired);
  }

  /** The same without a call: for one who only said hello. */
  expires(expired: () => void): void {
    if (this.#idle === undefined) this.#wait(expired, IDLE_MS);
  }

  #wait(expired: () => void, milliseconds: number): void {
    this.#idle = setTimeout(() => {
      const left =
        this.instance.running.size > 0 ? IDLE_MS : (this.#lastUse ?? 0) + IDLE_MS - performance.now();
      if (left > 0) return this.#wait(expired, left);
      this.#idle = undefined;
      expired();
    }, milliseconds);
    if (typeof this.#idle === 'object') this.#idle.unref();
  }

  stop(): void {
    clearTimeout(this.#idle);
  }
}
