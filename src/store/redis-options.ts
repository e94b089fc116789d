/** What can be said about the store on Redis, and what holds where nothing is said. */

import { logError } from '../protocol/display.js';
import { sessionShare } from './session-share.js';

export interface RedisStoreOptions {
  /** Begins every key and channel, so that several services can share one Redis. */
  readonly prefix?: string;
  /** A session without requests for this long is forgotten. */
  readonly sessionIdleMs?: number;
  /** Sessions of all nodes together. */
  readonly maxSessions?: number;
  /** Sessions of one principal, or of one address without a principal. Default: a quarter of `maxSessions`. */
  readonly maxSessionsPerPeer?: number;
  /** Where there is no room for another session, one that has been idle for this long gives way. */
  readonly yieldIdleMs?: number;
  /** Events kept for each session. */
  readonly maxEvents?: number;
  /** Bytes of event data kept for each session. */
  readonly maxEventBytes?: number;
  readonly eventAgeMs?: number;
  /** Changes of lists and resources kept for sessions that move from node to node. */
  readonly maxChanges?: number;
  /** A node that does not renew its lease for this long is taken for dead, and its calls are answered for it. */
  readonly leaseMs?: number;
  /** How long an operation waits for Redis, reconnecting included. */
  readonly timeoutMs?: number;
  /** Operations that may wait for Redis at once; more are refused. */
  readonly maxQueued?: number;
  /** Added to the clock of Redis, in milliseconds. Tests let time pass with it. */
  readonly clockOffset?: () => number;
  /** Receives lost connections and similar errors, which the store recovers from. */
  readonly onError?: (error: unknown) => void;
}

export type RedisSettings = Required<RedisStoreOptions>;

const DEFAULTS: Omit<RedisSettings, 'maxSessionsPerPeer'> = {
  prefix: 'plumb',
  sessionIdleMs: 30 * 60_000,
  maxSessions: 1_000_000,
  yieldIdleMs: 60_000,
  maxEvents: 256,
  maxEventBytes: 4 * 1024 * 1024,
  eventAgeMs: 5 * 60_000,
  maxChanges: 4096,
  leaseMs: 6_000,
  timeoutMs: 10_000,
  maxQueued: 20_000,
  clockOffset: () => 0,
  onError: () => undefined,
};

export function redisSettings(options: RedisStoreOptions): RedisSettings {
  const settings = { ...DEFAULTS, ...options };
  const { maxSessionsPerPeer = sessionShare(settings.maxSessions) } = options;
  return { ...settings, maxSessionsPerPeer, onError: guarded(settings.onError) };
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
