/** Sessions in the memory of this process. */

import { RepeatedWork } from '../protocol/repeated-work.js';
import { Budget, type Charge, weigh } from './budget.js';
import { StoreError } from './errors.js';
import type { MemorySettings } from './memory.js';
import type { SessionChange, SessionRecord, SessionStore } from './store.js';

interface Lease {
  record: SessionRecord;
  seen: number;
  readonly charge: Charge;
}

/** Sessions in the order of their last use: the idle ones are at the front, so a sweep stops at the first fresh one. */
export class MemorySessions implements SessionStore {
  readonly #settings: MemorySettings;
  readonly #expired: (id: string) => void;
  readonly #leases = new Map<string, Lease>();
  /** How many each account has. */
  readonly #shares = new Map<string, number>();
  readonly #bytes: Budget;
  readonly #ended = new Set<(id: string) => void>();
  readonly #sweeps: RepeatedWork;

  constructor(settings: MemorySettings, expired: (id: string) => void) {
    this.#settings = settings;
    this.#expired = expired;
    this.#sweeps = new RepeatedWork(() => this.#sweep(), Math.max(settings.sessionIdle / 4, 10));
    const { maxSessionBytes: total, maxSessionBytesPerPeer: perAccount } = settings;
    this.#bytes = new Budget({ total, perAccount });
  }

  create(id: string, record: SessionRecord): boolean {
    this.#sweep();
    const { account } = record;
    const { maxSessions, maxSessionsPerPeer, now } = this.#settings;
    const bytes = weigh(record);
    // Its own come first: what one account does is not paid for by others.
    const isOver = (): boolean => this.#shareOf(account) >= maxSessionsPerPeer;
    if (account !== undefined && isOver() && !this.#yield(account)) return false;
    if (this.#leases.size >= maxSessions && !this.#yield(undefined)) return false;
    const charge = this.#bytes.charge(account, bytes);
    if (charge === undefined) return false;
    this.#leases.set(id, { record, seen: now(), charge });
    if (account !== undefined) this.#shares.set(account, this.#shareOf(account) + 1);
    this.#sweeps.start();
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
    const record = changed(lease.record, change);
    if (!lease.charge.resize(weigh(record)))
      throw new StoreError(
        'store_full',
        'The limit of subscriptions is reached; end some, or try again later',
      );
    lease.record = record;
    return record;
  }

  delete(id: string): boolean {
    const lease = this.#leases.get(id);
    if (lease === undefined) return false;
    this.#leases.delete(id);
    lease.charge.release();
    const { account } = lease.record;
    if (account !== undefined) this.#left(account);
    this.#expired(id);
    for (const ended of this.#ended) ended(id);
    if (this.#leases.size === 0) this.#sweeps.stop();
    return true;
  }

  onEnded(ended: (id: string) => void): () => void {
    this.#ended.add(ended);
    return () => this.#ended.delete(ended);
  }

  close(): void {
    for (const id of [...this.#leases.keys()]) this.delete(id);
    this.#sweeps.stop();
  }

  #shareOf(account: string | undefined): number {
    return account === undefined ? 0 : (this.#shares.get(account) ?? 0);
  }

  #left(account: string): void {
    const share = this.#shareOf(account) - 1;
    if (share > 0) this.#shares.set(account, share);
    else this.#shares.delete(account);
  }

  /** Ends the longest idle session, of the account or of all; false when none has been idle for long enough. */
  #yield(account: string | undefined): boolean {
    const latest = this.#settings.now() - this.#settings.yieldIdle;
    for (const [id, lease] of this.#leases) {
      if (lease.seen > latest) return false;
      if (account === undefined || lease.record.account === account) return this.delete(id);
    }
    return false;
  }

  #isIdle(lease: Lease, now: number): boolean {
    return now - lease.seen > this.#settings.sessionIdle;
  }

  #sweep(): void {
    const oldest = this.#settings.now() - this.#settings.sessionIdle;
    for (const [id, lease] of this.#leases) {
      if (lease.seen >= oldest) break;
      this.delete(id);
    }
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
