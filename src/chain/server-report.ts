/** What one connection reports of its server to operators: slow and failed starts, losses, and that it is back. */

import type { Target } from '../client/target.js';
import type { CloseReason } from '../transports/transport.js';
import type { ServerEvent } from './server-events.js';
import type { StartAttempts } from './start-attempts.js';
import { StderrWords } from './stderr-words.js';

/** When to report that a server is still starting, and how often again. */
const SLOW_MS = 5_000;
const STILL_SLOW_MS = 15_000;

export class ServerReport {
  readonly #server: string;
  readonly #happened: (event: ServerEvent) => void;
  readonly #stderr = new StderrWords();
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Operators have heard of trouble, and want to hear of its end. */
  #troubled = false;

  constructor(server: string, happened: (event: ServerEvent) => void) {
    this.#server = server;
    this.#happened = happened;
  }

  /** The target, with an ear on its stderr. */
  listenTo(target: Target): Target {
    return this.#stderr.listenTo(target);
  }

  /** A start begins. */
  starting(limitMs: number): void {
    this.#since = performance.now();
    const next = (milliseconds: number): void => {
      this.#timer = setTimeout(() => {
        const afterMs = performance.now() - this.#since;
        // Beyond the limit it is being ended, which takes a moment.
        if (afterMs >= limitMs) return;
        this.#troubled = true;
        const stderr = this.#stderr.text();
        this.#happened({ type: 'starting', server: this.#server, afterMs, limitMs, stderr });
        next(STILL_SLOW_MS);
      }, milliseconds);
    };
    next(SLOW_MS);
  }

  ready(): void {
    clearTimeout(this.#timer);
    if (!this.#troubled) return;
    this.#troubled = false;
    this.#happened({ type: 'ready', server: this.#server, afterMs: performance.now() - this.#since });
  }

  /** The start came to nothing, and not because the chain wants it no longer. */
  failed(error: unknown, { failures, limit, waitMs }: StartAttempts): void {
    this.#troubled = true;
    const stderr = this.#stderr.text();
    const server = this.#server;
    this.#happened({ type: 'start_failed', server, error, stderr, failures, limit, waitMs });
  }

  /** Nothing more is to be said of this start. */
  ended(): void {
    clearTimeout(this.#timer);
  }

  lost(reason: CloseReason): void {
    this.#troubled = true;
    this.#happened({ type: 'lost', server: this.#server, reason, stderr: this.#stderr.text() });
  }
}
