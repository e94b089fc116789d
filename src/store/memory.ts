/** The store of a single process. Everything is answered at once; everything is bounded. */

import { type Duration, milliseconds } from '../protocol/duration.js';
import { given } from '../protocol/given.js';
import type { InNumbers } from '../protocol/in-numbers.js';
import { assertOptionNames } from '../protocol/option-names.js';
import { byteCount, type Size } from '../protocol/size.js';
import { MemoryLocks, MemoryRates, MemoryValues } from './memory-coordination.js';
import { MemoryEventLog } from './memory-events.js';
import { MemoryBus, MemoryChangeLog, MemoryMailboxes } from './memory-messages.js';
import { MemorySessions } from './memory-sessions.js';
import { sessionShare } from './session-share.js';
import type { Store } from './store.js';

export interface MemoryStoreOptions {
  /** A session without requests for this long is forgotten. Default: 30 min. */
  readonly sessionIdle?: Duration | undefined;
  /** Sessions at once. Default: 10,000. */
  readonly maxSessions?: number | undefined;
  /** Sessions of one principal, or of one address without a principal. Default: a quarter of `maxSessions`. */
  readonly maxSessionsPerPeer?: number | undefined;
  /** Where there is no room for another session, one that has been idle for this long gives way. Default: 1 min. */
  readonly yieldIdle?: Duration | undefined;
  /** Bytes of all sessions together: capabilities, client info and subscriptions. Default: 128 MB. */
  readonly maxSessionBytes?: Size | undefined;
  /** The same for one principal or address. Default: a quarter of `maxSessionBytes`. */
  readonly maxSessionBytesPerPeer?: Size | undefined;
  /** Events kept for each session. Default: 256. */
  readonly maxEvents?: number | undefined;
  /** Event data kept for each session, counted in characters. Default: 4 MB. */
  readonly maxEventBytes?: Size | undefined;
  /** The same for all sessions together; the longest silent ones lose theirs first. Default: 64 MB. */
  readonly maxTotalEventBytes?: Size | undefined;
  /** How long an event is kept. Default: 5 min. */
  readonly eventAge?: Duration | undefined;
  /** Changes kept for sessions that moved to another node. Default: 1,024. */
  readonly maxChanges?: number | undefined;
  /** The clock. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export type MemorySettings = InNumbers<Required<MemoryStoreOptions>>;

const DEFAULTS: Omit<MemorySettings, 'maxSessionsPerPeer' | 'maxSessionBytesPerPeer'> = {
  sessionIdle: 30 * 60_000,
  maxSessions: 10_000,
  yieldIdle: 60_000,
  maxSessionBytes: 128 * 1024 * 1024,
  maxEvents: 256,
  maxEventBytes: 4 * 1024 * 1024,
  maxTotalEventBytes: 64 * 1024 * 1024,
  eventAge: 5 * 60_000,
  maxChanges: 1024,
  now: Date.now,
};

/** The store of a single process; the default. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  assertOptionNames('createMemoryStore', options, memorySettings({}));
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
  const settings = { ...DEFAULTS, ...given(options) };
  const maxSessionBytes = byteCount(settings.maxSessionBytes);
  return {
    ...settings,
    sessionIdle: milliseconds(settings.sessionIdle),
    yieldIdle: milliseconds(settings.yieldIdle),
    eventAge: milliseconds(settings.eventAge),
    maxSessionBytes,
    maxEventBytes: byteCount(settings.maxEventBytes),
    maxTotalEventBytes: byteCount(settings.maxTotalEventBytes),
    maxSessionsPerPeer: options.maxSessionsPerPeer ?? sessionShare(settings.maxSessions),
    maxSessionBytesPerPeer: byteCount(options.maxSessionBytesPerPeer ?? Math.ceil(maxSessionBytes / 4)),
  };
}
