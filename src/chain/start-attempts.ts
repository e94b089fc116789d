/**
 * How often a server that fails to start is tried again. All connections to one server count together, so that a
 * command which cannot work is not run once more for every client.
 */

/** After each failure in a row, how long nothing is tried. */
const PROCESS_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 60_000];
/** A server behind a URL costs little to ask, and may be back with the next call. */
const ADDRESS_DELAYS_MS: readonly number[] = [0, 0, 5_000];

export class StartAttempts {
  /** Why the last attempt failed. */
  lastError: unknown;
  readonly #delaysMs: readonly number[];
  readonly #isProcess: boolean;
  readonly #now: () => number;
  #failures = 0;
  #retryAt = 0;

  constructor(isProcess: boolean, now: () => number = () => performance.now()) {
    this.#isProcess = isProcess;
    this.#delaysMs = isProcess ? PROCESS_DELAYS_MS : ADDRESS_DELAYS_MS;
    this.#now = now;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** After this many failures a process is started for calls only; undefined where there is no such limit. */
  get limit(): number | undefined {
    return this.#isProcess ? PROCESS_DELAYS_MS.length : undefined;
  }

  /** Only a call is reason enough for another attempt. */
  get isExhausted(): boolean {
    return this.limit !== undefined && this.#failures >= this.limit;
  }

  /** How long until the next attempt may be made. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - this.#now());
  }

  /** Whether to try now. After failures, one attempt at a time. */
  admit(): boolean {
    if (this.waitMs > 0) return false;
    if (this.#failures > 0) this.#retryAt = this.#now() + this.#delayMs();
    return true;
  }

  failed(error?: unknown): void {
    this.lastError = error;
    this.#failures += 1;
    this.#retryAt = this.#now() + this.#delayMs();
  }

  /** The attempt ended without a verdict, because it was not wanted any more. */
  abandoned(): void {
    this.#retryAt = 0;
  }

  /** It started, or there is a new reason to believe that it can. */
  reset(): void {
    this.#failures = 0;
    this.#retryAt = 0;
  }

  #delayMs(): number {
    return this.#delaysMs[Math.min(this.#failures, this.#delaysMs.length) - 1] ?? 0;
  }
}
