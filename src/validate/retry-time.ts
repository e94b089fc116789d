/** How long a run may try checks again that did not come to their end: so long for all of them, in all revisions. */

/** A machine that is so busy that this is not enough does not get quicker by asking it more. */
const RETRY_MS = 45_000;

export class RetryTime {
  readonly limitMs: number;
  readonly #now: () => number;
  #spentMs = 0;

  constructor(limitMs: number = RETRY_MS, now: () => number = () => performance.now()) {
    this.limitMs = limitMs;
    this.#now = now;
  }

  get leftMs(): number {
    return Math.max(0, this.limitMs - this.#spentMs);
  }

  /** Why something was not tried again, or not to its end. */
  get usedUp(): string {
    return `checks that did not finish are tried again for at most ${this.limitMs / 1000} s in all, and that time was used up`;
  }

  /** What the work takes is taken from what is left. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#now();
    try {
      return await work();
    } finally {
      this.#spentMs += this.#now() - started;
    }
  }
}
