/** Calls that wait for the client to be ready: bounded in number, each bounded in time, in the order they came. */

import { MAX_TIMER_MS } from '../../protocol/timer.js';
import type { StateName } from '../connection/machine.js';
import { CancelledError, StateError } from '../errors.js';

export interface WaitLimits {
  readonly method: string;
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Waits for an attempt under way, and not for the next one. */
  readonly once?: boolean;
}

interface Waiting {
  readonly once: boolean;
  resume(): void;
  refuse(error: unknown): void;
}

export class WaitingCalls {
  readonly #waiting = new Set<Waiting>();
  readonly #limit: number;
  readonly #state: () => StateName;

  constructor(limit: number, state: () => StateName) {
    this.#limit = limit;
    this.#state = state;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when the client is ready; rejects when that takes too long, or will never be. */
  wait({ method, timeout, signal, once = false }: WaitLimits): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new CancelledError(method, signal.reason, false));
      if (this.#waiting.size >= this.#limit) {
        const next = `${this.#limit} calls wait already; raise maxWaiting, or send less`;
        return reject(new StateError(method, this.#state(), next));
      }
      const leave = (): void => {
        this.#waiting.delete(waiting);
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      };
      const waiting: Waiting = {
        once,
        resume: () => {
          leave();
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const aborted = (): void => waiting.refuse(new CancelledError(method, signal?.reason, false));
      const late = (): void =>
        waiting.refuse(
          new StateError(
            method,
            this.#state(),
            `it was not ready within ${timeout} ms; raise timeout, or see client.error`,
          ),
        );
      const timer = timeout > MAX_TIMER_MS ? undefined : setTimeout(late, timeout);
      signal?.addEventListener('abort', aborted);
      this.#waiting.add(waiting);
    });
  }

  resume(): void {
    for (const waiting of [...this.#waiting]) waiting.resume();
  }

  refuse(error: unknown): void {
    for (const waiting of [...this.#waiting]) waiting.refuse(error);
  }

  /** The attempt that was under way has failed. */
  refuseImpatient(error: unknown): void {
    for (const waiting of [...this.#waiting]) if (waiting.once) waiting.refuse(error);
  }
}
