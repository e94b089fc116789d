/** Stops asking what has failed again and again, and tries it once more after a while. */

import { McpError, ProtocolError } from '../protocol/errors.js';
import type { Middleware } from './compose.js';
import { toolOf } from './subject.js';

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open. */
  readonly openMs: number;
  readonly now: () => number;
}

export class CircuitBreaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #openUntil = 0;
  #probing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#failures >= this.#options.failures;
  }

  /** Whether to try; after the break, one attempt at a time. */
  admits(): boolean {
    if (!this.isOpen) return true;
    if (this.#probing || this.#options.now() < this.#openUntil) return false;
    this.#probing = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probing = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#probing = false;
    if (this.isOpen) this.#openUntil = this.#options.now() + this.#options.openMs;
  }
}

export interface CircuitBreakerOptions extends Partial<BreakerOptions> {}

/** One breaker for each tool: internal errors and time-outs count, refusals and failed tool results do not. */
export function circuitBreaker(options: CircuitBreakerOptions = {}): Middleware {
  const { failures = 5, openMs = 30_000, now = () => performance.now() } = options;
  const breakers = new Map<string, CircuitBreaker>();
  return async (call, next) => {
    const subject = toolOf(call);
    if (subject === undefined) return next();
    const breaker = breakers.get(subject) ?? new CircuitBreaker({ failures, openMs, now });
    if (!breaker.admits()) {
      throw new ProtocolError('internal_error', `"${subject}" has failed too often; try again later`);
    }
    try {
      const result = await next();
      breaker.succeeded();
      breakers.delete(subject);
      return result;
    } catch (error) {
      if (isFailure(error)) {
        breaker.failed();
        // Only what has failed is remembered: names come from outside.
        breakers.set(subject, breaker);
      } else breaker.succeeded();
      throw error;
    }
  };
}

function isFailure(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === 'internal_error' || error.code === 'application';
  return !(error instanceof McpError && (error.code === 'cancelled' || error.code === 'input_required'));
}
