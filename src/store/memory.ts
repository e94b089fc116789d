/** The store of a single process. Everything is answered at once; everything is bounded. */

import type { Bus, EventLog, LoggedEvent, SessionRecord, SessionStore, Store } from './store.js';

export interface MemoryStoreOptions {
  /** A session without requests for this long is forgotten. */
  readonly sessionIdleMs?: number;
  readonly maxSessions?: number;
  /** Events kept for each session. */
  readonly maxEvents?: number;
  /** Characters of event data kept for each session. */
  readonly maxEventCharacters?: number;
  /** Characters of event data kept for all sessions together; the longest silent ones lose theirs first. */
  readonly maxTotalEventCharacters?: number;
  readonly eventAgeMs?: number;
  readonly now?: () => number;
}

const DEFAULTS: Required<MemoryStoreOptions> = {
  sessionIdleMs: 30 * 60_000,
  maxSessions: 10_000,
  maxEvents: 256,
  maxEventCharacters: 4 * 1024 * 1024,
  maxTotalEventCharacters: 64 * 1024 * 1024,
  eventAgeMs: 5 * 60_000,
  now: Date.now,
};

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const settings = { ...DEFAULTS, ...options };
  const events: MemoryEventLog = new MemoryEventLog(settings, (id) => sessions.has(id));
  const sessions = new MemorySessions(settings, (id) => events.drop(id));
  return { sessions, events, bus: new MemoryBus(), close: () => sessions.close() };
}

interface Lease {
  record: SessionRecord;
  seen: number;
}

/** Sessions in the order of their last use: the idle ones are at the front, so a sweep stops at the first fresh one. */
class MemorySessions implements SessionStore {
  readonly #settings: Required<MemoryStoreOptions>;
  readonly #expired: (id: string) => void;
  readonly #leases = new Map<string, Lease>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(settings: Required<MemoryStoreOptions>, expired: (id: string) => void) {
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

  update(id: string, record: SessionRecord): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.record = record;
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

interface Entry extends LoggedEvent {
  readonly stream: string;
  readonly at: number;
}

interface SessionLog {
  readonly entries: Entry[];
  characters: number;
}

/** Logs in the order of their last event, so that the total limit takes from those that were silent longest. */
class MemoryEventLog implements EventLog {
  readonly #settings: Required<MemoryStoreOptions>;
  readonly #isAlive: (session: string) => boolean;
  readonly #logs = new Map<string, SessionLog>();
  #total = 0;
  #next = 1;

  constructor(settings: Required<MemoryStoreOptions>, isAlive: (session: string) => boolean) {
    this.#settings = settings;
    this.#isAlive = isAlive;
  }

  append(session: string, stream: string, data: string | undefined): string {
    // A call may outlive its session; a log made for it now would never be dropped.
    if (!this.#isAlive(session)) return this.#nextId();
    const log = this.#logs.get(session) ?? { entries: [], characters: 0 };
    this.#logs.delete(session);
    this.#logs.set(session, log);
    const id = this.#nextId();
    log.entries.push({ id, data, stream, at: this.#settings.now() });
    this.#count(log, data?.length ?? 0);
    this.#trim(log);
    for (const [oldest, other] of this.#logs) {
      if (this.#total <= this.#settings.maxTotalEventCharacters || other === log) break;
      this.drop(oldest);
    }
    return id;
  }

  replay(session: string, stream: string, after: string): readonly LoggedEvent[] {
    const log = this.#logs.get(session);
    if (log === undefined) return [];
    this.#trim(log);
    const from = Number.parseInt(after, 36);
    return log.entries.filter((entry) => entry.stream === stream && Number.parseInt(entry.id, 36) > from);
  }

  drop(session: string): void {
    const log = this.#logs.get(session);
    if (log === undefined) return;
    this.#logs.delete(session);
    this.#total -= log.characters;
  }

  #nextId(): string {
    return (this.#next++).toString(36);
  }

  #trim(log: SessionLog): void {
    const { maxEvents, maxEventCharacters, eventAgeMs, now } = this.#settings;
    const oldest = now() - eventAgeMs;
    let dropped = 0;
    for (const entry of log.entries) {
      const left = log.entries.length - dropped;
      // The newest event stays however large it is: it is the one a client is waiting for.
      const tooMany = left > maxEvents || (left > 1 && log.characters > maxEventCharacters);
      if (!tooMany && entry.at >= oldest) break;
      this.#count(log, -(entry.data?.length ?? 0));
      dropped += 1;
    }
    if (dropped > 0) log.entries.splice(0, dropped);
  }

  #count(log: SessionLog, characters: number): void {
    log.characters += characters;
    this.#total += characters;
  }
}

class MemoryBus implements Bus {
  readonly #receivers = new Map<string, Set<(text: string) => void>>();

  publish(topic: string, text: string): void {
    for (const receive of this.#receivers.get(topic) ?? []) receive(text);
  }

  subscribe(topic: string, receive: (text: string) => void): () => void {
    const receivers = this.#receivers.get(topic) ?? new Set();
    receivers.add(receive);
    this.#receivers.set(topic, receivers);
    return () => {
      receivers.delete(receive);
      if (receivers.size === 0 && this.#receivers.get(topic) === receivers) this.#receivers.delete(topic);
    };
  }
}

/** Timers of the store must not keep a process alive; runtimes other than Node have no `unref`. */
function unref(timer: ReturnType<typeof setInterval>): void {
  if (typeof timer === 'object' && 'unref' in timer) timer.unref();
}
