/**
 * How many processes of a server run at once. Beyond that callers wait in a bounded queue, and processes that are not
 * in use give way to them; a caller that finds the queue full, or waits too long, is refused.
 */

import { UnavailableError } from '../protocol/errors.js';

export const DEFAULT_MAX_PROCESSES = 16;

export interface ProcessSlotsOptions {
  readonly max: number;
  /** Ends up to `count` processes that are not in use, and returns how many. Their slots are released when they are gone. */
  readonly makeRoom?: (count: number) => number;
  /** What callers get for whom there is no slot. */
  readonly refusal: () => Error;
  /** How many callers may wait for a slot. */
  readonly maxWaiting?: number;
  /** How long each of them may wait: less than most clients do, so that they learn why. */
  readonly waitMs?: number;
}

const MAX_WAITING = 64;
const WAIT_MS = 20_000;
/** How often to look whether a process is out of use by now. */
const LOOK_MS = 1_000;

interface Waiter {
  admit(): void;
}

export class ProcessSlots {
  readonly #max: number;
  readonly #makeRoom: (count: number) => number;
  readonly #refusal: () => Error;
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiter>();
  #taken = 0;
  /** Processes that have been asked to leave. */
  #leaving = 0;
  #looking: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ProcessSlotsOptions) {
    this.#max = options.max;
    this.#makeRoom = options.makeRoom ?? (() => 0);
    this.#refusal = options.refusal;
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
    this.#waitMs = options.waitMs ?? WAIT_MS;
  }

  /** Resolves with the function that gives the slot back. */
  acquire(signal: AbortSignal): Promise<() => void> {
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return Promise.resolve(this.#release());
    }
    if (this.#waiting.size >= this.#maxWaiting) return Promise.reject(this.#refusal());
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        this.#waiting.delete(waiter);
        if (this.#waiting.size === 0) this.#stopLooking();
      };
      const waiter: Waiter = {
        admit: () => {
          leave();
          resolve(this.#release());
        },
      };
      const aborted = (): void => {
        leave();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.#refusal());
      }, this.#waitMs);
      signal.addEventListener('abort', aborted);
      this.#waiting.add(waiter);
      this.#look();
    });
  }

  #release(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#leaving = Math.max(0, this.#leaving - 1);
      const [next] = this.#waiting;
      if (next === undefined) this.#taken -= 1;
      else next.admit();
    };
  }

  #look(): void {
    const missing = this.#waiting.size - this.#leaving;
    if (missing > 0) this.#leaving += this.#makeRoom(missing);
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined;
      this.#look();
    }, LOOK_MS);
  }

  #stopLooking(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
  }
}

export function allInUse(name: string, max: number): UnavailableError {
  return new UnavailableError(
    `The server "${name}" is not available: all ${max} of its processes are in use; try again later, ` +
      'or allow more with maxProcesses (plumb proxy --max-processes)',
  );
}
