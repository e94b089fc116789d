/** What can be said about the store on Redis, and what holds where nothing is said. */

import { logError } from '../protocol/display.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { given } from '../protocol/given.js';
import type { InNumbers } from '../protocol/in-numbers.js';
import { byteCount, type Size } from '../protocol/size.js';
import { sessionShare } from './session-share.js';

export interface RedisStoreOptions {
  /** Begins every key and channel, so that several services can share one Redis. Default: `plumb`. */
  readonly prefix?: string | undefined;
  /** A session without requests for this long is forgotten. Default: 30 min. */
  readonly sessionIdle?: Duration | undefined;
  /** Sessions of all nodes together. Default: 1,000,000. */
  readonly maxSessions?: number | undefined;
  /** Sessions of one principal, or of one address without a principal. Default: a quarter of `maxSessions`. */
  readonly maxSessionsPerPeer?: number | undefined;
  /** Where there is no room for another session, one that has been idle for this long gives way. Default: 1 min. */
  readonly yieldIdle?: Duration | undefined;
  /** Events kept for each session. Default: 256. */
  readonly maxEvents?: number | undefined;
  /** Event data kept for each session. Default: 4 MB. */
  readonly maxEventBytes?: Size | undefined;
  /** How long an event is kept. Default: 5 min. */
  readonly eventAge?: Duration | undefined;
  /** Changes of lists and resources kept for sessions that move from node to node. Default: 4,096. */
  readonly maxChanges?: number | undefined;
  /** A node that does not renew its lease for this long is taken for dead, and its calls are answered for it. Default: 6 s. */
  readonly lease?: Duration | undefined;
  /** How long an operation waits for Redis, reconnecting included. Default: 10 s. */
  readonly timeout?: Duration | undefined;
  /** Operations that may wait for Redis at once; more are refused. Default: 20,000. */
  readonly maxQueued?: number | undefined;
  /** Added to the clock of Redis, in milliseconds. Tests let time pass with it. */
  readonly clockOffset?: (() => number) | undefined;
  /** Receives lost connections and similar errors, which the store recovers from. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export type RedisSettings = InNumbers<Required<RedisStoreOptions>>;

const DEFAULTS: Omit<RedisSettings, 'maxSessionsPerPeer'> = {
  prefix: 'plumb',
  sessionIdle: 30 * 60_000,
  maxSessions: 1_000_000,
  yieldIdle: 60_000,
  maxEvents: 256,
  maxEventBytes: 4 * 1024 * 1024,
  eventAge: 5 * 60_000,
  maxChanges: 4096,
  lease: 6_000,
  timeout: 10_000,
  maxQueued: 20_000,
  clockOffset: () => 0,
  onError: () => undefined,
};

export function redisSettings(options: RedisStoreOptions): RedisSettings {
  const settings = { ...DEFAULTS, ...given(options) };
  const { maxSessionsPerPeer = sessionShare(settings.maxSessions) } = options;
  return {
    ...settings,
    sessionIdle: milliseconds(settings.sessionIdle),
    yieldIdle: milliseconds(settings.yieldIdle),
    maxEventBytes: byteCount(settings.maxEventBytes),
    eventAge: milliseconds(settings.eventAge),
    lease: milliseconds(settings.lease),
    timeout: milliseconds(settings.timeout),
    maxSessionsPerPeer,
    onError: guarded(settings.onError),
  };
}

/** What is called with errors must not cause one: it is called where nothing could catch it. */
function guarded(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (failure) {
      console.error(`plumb: onError of the store failed: ${logError(failure)}`);
    }
  };
}
