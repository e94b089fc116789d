/** The store of a single process. Everything is answered at once; everything is bounded. */

import { MemoryLocks, MemoryRates, MemoryValues } from './memory-coordination.js';
import { MemoryEventLog } from './memory-events.js';
import { MemoryBus, MemoryChangeLog, MemoryMailboxes } from './memory-messages.js';
import { MemorySessions } from './memory-sessions.js';
import { sessionShare } from './session-share.js';
import type { Store } from './store.js';

export interface MemoryStoreOptions {
  /** A session without requests for this long is forgotten. */
  readonly sessionIdleMs?: number;
  readonly maxSessions?: number;
  /** Sessions of one principal, or of one address without a principal. Default: a quarter of `maxSessions`. */
  readonly maxSessionsPerPeer?: number;
  /** Where there is no room for another session, one that has been idle for this long gives way. */
  readonly yieldIdleMs?: number;
  /** Bytes of all sessions together: capabilities, client info and subscriptions. */
  readonly maxSessionBytes?: number;
  /** The same for one principal or address. Default: a quarter of `maxSessionBytes`. */
  readonly maxSessionBytesPerPeer?: number;
  /** Events kept for each session. */
  readonly maxEvents?: number;
  /** Characters of event data kept for each session. */
  readonly maxEventCharacters?: number;
  /** Characters of event data kept for all sessions together; the longest silent ones lose theirs first. */
  readonly maxTotalEventCharacters?: number;
  readonly eventAgeMs?: number;
  /** Changes kept for sessions that moved to another node. */
  readonly maxChanges?: number;
  readonly now?: () => number;
}

export type MemorySettings = Required<MemoryStoreOptions>;

const DEFAULTS: Omit<MemorySettings, 'maxSessionsPerPeer' | 'maxSessionBytesPerPeer'> = {
  sessionIdleMs: 30 * 60_000,
  maxSessions: 10_000,
  yieldIdleMs: 60_000,
  maxSessionBytes: 128 * 1024 * 1024,
  maxEvents: 256,
  maxEventCharacters: 4 * 1024 * 1024,
  maxTotalEventCharacters: 64 * 1024 * 1024,
  eventAgeMs: 5 * 60_000,
  maxChanges: 1024,
  now: Date.now,
};

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const settings = memorySettings(options);
  const events: MemoryEventLog = new MemoryEventLog(settings, (id) => sessions.has(id));
  const sessions = new MemorySessions(settings, (id) => events.drop(id));
  return {
    sessions,
    events,
    bus: new MemoryBus(),
    mailboxes: new MemoryMailboxes(),
    changes: new MemoryChangeLog(settings),
    // All users of a memory store end together.
    nodes: { self: 'memory', leaseMs: 60_000, isAlive: () => true },
    locks: new MemoryLocks(),
    rates: new MemoryRates(settings),
    values: new MemoryValues(settings),
    close: () => sessions.close(),
  };
}

export function memorySettings(options: MemoryStoreOptions): MemorySettings {
  const settings = { ...DEFAULTS, ...options };
  return {
    ...settings,
    maxSessionsPerPeer: options.maxSessionsPerPeer ?? sessionShare(settings.maxSessions),
    maxSessionBytesPerPeer: options.maxSessionBytesPerPeer ?? Math.ceil(settings.maxSessionBytes / 4),
  };
}
