/** How a client comes back to a stream of events that broke. */

import { type Duration, milliseconds } from '../../../protocol/duration.js';

export interface ReconnectOptions {
  /** The wait before coming back, where the server names none. Default: 1 s. */
  readonly delay?: Duration | undefined;
  /** The longest that this wait grows when coming back is of no use. Default: 30 s. */
  readonly maxDelay?: Duration | undefined;
  /** Failures in a row after which an answer is given up. Default: 5. */
  readonly maxAttempts?: number | undefined;
  /**
   * How long a stream may bring nothing, not even a comment, before it is taken for dead: a connection that a
   * router has forgotten stays open for ever. Default: no limit, because many servers send no keep-alive
   * comments.
   */
  readonly idle?: Duration | undefined;
}

/** The same, in milliseconds. */
export interface ReconnectTimings {
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly maxAttempts: number;
  readonly idleMs: number | undefined;
}

export function reconnectTimings(options: ReconnectOptions = {}): ReconnectTimings {
  return {
    delayMs: milliseconds(options.delay ?? 1_000),
    maxDelayMs: milliseconds(options.maxDelay ?? 30_000),
    maxAttempts: options.maxAttempts ?? 5,
    idleMs: options.idle === undefined ? undefined : milliseconds(options.idle),
  };
}
