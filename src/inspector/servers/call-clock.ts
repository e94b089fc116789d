/**
 * How long a call is waited for. Progress starts the time anew, a question that waits for its answer stops it, and the
 * user may give it more; the call is given up when none of that happens.
 */

import { MAX_TIMER_MS } from '../../protocol/timer.js';

export class CallClock {
  readonly #expired: () => void;
  readonly #changed: (deadlineAt: number | undefined) => void;
  #timeoutMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #questions = 0;
  #deadlineAt: number | undefined;

  /** 0 waits without end. */
  constructor(timeoutMs: number, expired: () => void, changed: (deadlineAt: number | undefined) => void) {
    this.#timeoutMs = timeoutMs;
    this.#expired = expired;
    this.#changed = changed;
    this.#start(timeoutMs);
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  get deadlineAt(): number | undefined {
    return this.#deadlineAt;
  }

  /** The server is at work. */
  progressed(): void {
    if (this.#questions === 0) this.#start(this.#timeoutMs);
  }

  /** The user gives it so much from now on. */
  extend(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    if (this.#questions === 0) this.#start(timeoutMs);
  }

  asked(open: boolean): void {
    this.#questions = Math.max(0, this.#questions + (open ? 1 : -1));
    if (this.#questions > 0) this.#set(undefined);
    else this.#start(this.#timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(milliseconds: number): void {
    if (milliseconds <= 0 || milliseconds > MAX_TIMER_MS) this.#set(undefined);
    else this.#set(Date.now() + milliseconds, milliseconds);
  }

  #set(deadlineAt: number | undefined, milliseconds?: number): void {
    this.stop();
    this.#deadlineAt = deadlineAt;
    if (milliseconds !== undefined) this.#timer = setTimeout(this.#expired, milliseconds);
    this.#changed(deadlineAt);
  }
}
