/** What bounds the use of a server, on every transport. */

import { given, type Optional } from '../protocol/given.js';
import type { InNumbers } from '../protocol/in-numbers.js';
import { assertOptionNames } from '../protocol/option-names.js';
import { byteCount, type Size } from '../protocol/size.js';

/** `createServer({ limits })`. Sizes are `'4MB'` or a number of bytes. See docs/limits.md for what happens beyond them. */
export interface ServerLimits {
  /** Calls that one connection or session may have running. Default: 1,000. */
  readonly concurrentCalls: number;
  /** Calls that one principal, or one address without a principal, may have running over all its connections. Default: 2,500. */
  readonly peerCalls: number;
  /** Calls that may run at once on this server. Default: 10,000. */
  readonly totalCalls: number;
  /** Messages in one batch, where the revision has batches. Default: 100. */
  readonly batch: number;
  /** Resources that one session or one listen stream may be subscribed to. Default: 1,000. */
  readonly subscriptions: number;
  /** Bytes of one session: capabilities, client info and the URIs it is subscribed to. Default: 256 KB. */
  readonly sessionBytes: Size;
  /**
   * Bytes kept for one principal or address beyond single calls: sessions of connections, streams, parked calls. Default:
   * 32 MB.
   */
  readonly peerStateBytes: Size;
  /** The same for all of them together. Default: 128 MB. */
  readonly stateBytes: Size;
  /** Bytes of large messages whose calls are running, for one principal or address. Default: 64 MB. */
  readonly peerMessageBytes: Size;
  /** The same for all of them together. Default: 256 MB. */
  readonly messageBytes: Size;
}

/** The same in numbers, as the server works with it. */
export type LimitNumbers = InNumbers<ServerLimits>;

const MEBIBYTE = 1024 * 1024;
export const DEFAULT_LIMITS: LimitNumbers = {
  concurrentCalls: 1000,
  peerCalls: 2500,
  totalCalls: 10_000,
  batch: 100,
  subscriptions: 1000,
  sessionBytes: 256 * 1024,
  peerStateBytes: 32 * MEBIBYTE,
  stateBytes: 128 * MEBIBYTE,
  peerMessageBytes: 64 * MEBIBYTE,
  messageBytes: 256 * MEBIBYTE,
};

export function limitNumbers(options: Optional<ServerLimits> = {}): LimitNumbers {
  assertOptionNames('limits', options, DEFAULT_LIMITS);
  const limits = { ...DEFAULT_LIMITS, ...given(options) };
  return {
    ...limits,
    sessionBytes: byteCount(limits.sessionBytes),
    peerStateBytes: byteCount(limits.peerStateBytes),
    stateBytes: byteCount(limits.stateBytes),
    peerMessageBytes: byteCount(limits.peerMessageBytes),
    messageBytes: byteCount(limits.messageBytes),
  };
}
