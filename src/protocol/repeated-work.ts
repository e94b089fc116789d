/**
 * Work of the whole process that is repeated: keep-alive comments, the end of idle sessions. On Workers a timer belongs
 * to the request that set it, and ends with it. There rounds have no timer: every request runs those that are due, when
 * it begins and for as long as it is open (`transports/http/server/fetch.ts`).
 */

import { isWorker } from './runtime.js';

/** Started rounds on Workers. */
const started = new Set<RepeatedWork>();

export class RepeatedWork {
  readonly #work: () => void;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #last = 0;

  constructor(work: () => void, everyMs: number) {
    this.#work = work;
    this.#everyMs = everyMs;
  }

  /** Without effect on rounds that have been started. They do not keep a process alive. */
  start(): void {
    if (this.#timer !== undefined || started.has(this)) return;
    if (isWorker()) {
      this.#last = Date.now();
      started.add(this);
      return;
    }
    this.#timer = setInterval(this.#work, this.#everyMs);
    if (typeof this.#timer === 'object' && 'unref' in this.#timer) this.#timer.unref();
  }

  stop(): void {
    started.delete(this);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  runIfDue(now: number): void {
    if (now - this.#last < this.#everyMs) return;
    this.#last = now;
    this.#work();
  }
}

/** Called by what serves requests on Workers. */
export function runDueWork(): void {
  const now = Date.now();
  for (const rounds of [...started]) rounds.runIfDue(now);
}
