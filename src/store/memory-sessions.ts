/** Sessions in the memory of this process. */

import type { MemorySettings } from './memory.js';
import type { SessionChange, SessionRecord, SessionStore } from './store.js';

interface Lease {
  record: SessionRecord;
  seen: number;
}

/** Sessions in the order of their last use: the idle ones are at the front, so a sweep stops at the first fresh one. */
export class MemorySessions implements SessionStore {
  readonly #settings: MemorySettings;
  readonly #expired: (id: string) => void;
  readonly #leases = new Map<string, Lease>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(settings: MemorySettings, expired: (id: string) => void) {
    this.#settings = settings;
    this.#expired = expired;
  }

  create(id: string, record: SessionRecord): boolean {
    this.#sweep();
    if (this.#leases.size >= this.#settings.maxSessions) return false;
    this.#leases.set(id, { record, seen: this.#settings.now() });
    this.#schedule();
    return true;
  }

  get(id: string): SessionRecord | undefined {
    const lease = this.#leases.get(id);
    if (lease === undefined) return undefined;
    const now = this.#settings.now();
    if (this.#isIdle(lease, now)) {
      this.delete(id);
      return undefined;
    }
    // Moving to the back costs a little; once a second is exact enough for an idle limit of minutes.
    if (now - lease.seen > 1000) {
      this.#leases.delete(id);
      this.#leases.set(id, lease);
      lease.seen = now;
    }
    return lease.record;
  }

  peek(id: string): SessionRecord | undefined {
    const lease = this.#leases.get(id);
    return lease === undefined || this.#isIdle(lease, this.#settings.now()) ? undefined : lease.record;
  }

  has(id: string): boolean {
    return this.#leases.has(id);
  }

  update(id: string, change: SessionChange): SessionRecord | undefined {
    const lease = this.#leases.get(id);
    if (lease === undefined) return undefined;
    lease.record = changed(lease.record, change);
    return lease.record;
  }

  delete(id: string): boolean {
    const existed = this.#leases.delete(id);
    if (existed) this.#expired(id);
    if (this.#leases.size === 0) this.#unschedule();
    return existed;
  }

  close(): void {
    for (const id of [...this.#leases.keys()]) this.delete(id);
    this.#unschedule();
  }

  #isIdle(lease: Lease, now: number): boolean {
    return now - lease.seen > this.#settings.sessionIdleMs;
  }

  #sweep(): void {
    const oldest = this.#settings.now() - this.#settings.sessionIdleMs;
    for (const [id, lease] of this.#leases) {
      if (lease.seen >= oldest) break;
      this.delete(id);
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#sweep(), Math.max(this.#settings.sessionIdleMs / 4, 10));
    unref(this.#timer);
  }

  #unschedule(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function changed(record: SessionRecord, change: SessionChange): SessionRecord {
  const { subscribed = [], unsubscribed = [] } = change;
  const subscriptions = new Set([...record.subscriptions, ...subscribed]);
  for (const uri of unsubscribed) subscriptions.delete(uri);
  return {
    ...record,
    ready: change.ready ?? record.ready,
    logLevel: change.logLevel ?? record.logLevel,
    subscriptions: [...subscriptions],
  };
}

/** Timers of the store must not keep a process alive; runtimes other than Node have no `unref`. */
function unref(timer: ReturnType<typeof setInterval>): void {
  if (typeof timer === 'object' && 'unref' in timer) timer.unref();
}
