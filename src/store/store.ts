/**
 * Shared state behind one small seam: what a server must remember between requests, as plain data.
 * Implementations may answer at once or later; callers await only what is a promise.
 */

import type { Awaitable } from '../protocol/awaitable.js';

export type Unsubscribe = () => Awaitable<void>;

/** Shared state of the nodes of a service: sessions, events, locks, rates, values. */
export interface Store {
  readonly sessions: SessionStore;
  readonly events: EventLog;
  readonly bus: Bus;
  readonly mailboxes: Mailboxes;
  readonly changes: ChangeLog;
  readonly nodes: Nodes;
  readonly locks: Locks;
  readonly rates: Rates;
  readonly values: Values;
  /** Releases connections and timers. */
  close(): Awaitable<void>;
}

/** A handshake session as it is written down. */
export interface SessionRecord {
  readonly version: string;
  readonly clientInfo: { readonly [key: string]: unknown } | undefined;
  readonly capabilities: { readonly [key: string]: unknown };
  readonly principal: string | undefined;
  readonly logLevel: string;
  readonly ready: boolean;
  readonly subscriptions: readonly string[];
  /** Whose share of the sessions it takes: a principal, or an address; undefined where neither is known. */
  readonly account?: string | undefined;
}

/**
 * What one request changed. Requests of a session run on several nodes at once, so no node writes a whole
 * record.
 */
export interface SessionChange {
  readonly ready?: boolean;
  readonly logLevel?: string;
  readonly subscribed?: readonly string[];
  readonly unsubscribed?: readonly string[];
}

export interface SessionStore {
  /**
   * False when there are too many sessions, or too many of its account. The one of that account, or of all, that has
   * been idle longest gives way first, if it has been idle for long enough.
   */
  create(id: string, record: SessionRecord): Awaitable<boolean>;
  /** The record, and a new lease on life; undefined when it never was, has expired or was ended. */
  get(id: string): Awaitable<SessionRecord | undefined>;
  /** The record without renewing it. */
  peek(id: string): Awaitable<SessionRecord | undefined>;
  /**
   * The record after the change; undefined when the session is gone. Throws a StoreError `store_full` when there is no
   * room for it.
   */
  update(id: string, change: SessionChange): Awaitable<SessionRecord | undefined>;
  /** True when this call ended it. */
  delete(id: string): Awaitable<boolean>;
  /** Reports every session that ends, expires or gives way, where the store knows at once. */
  onEnded?(ended: (id: string) => void): () => void;
}

/** One event of a stream. `undefined` data marks the end of the stream, empty data an event without a message. */
export interface LoggedEvent {
  readonly id: string;
  readonly data: string | undefined;
}

/** A client that has not seen the beginning of its stream after this long has not opened it. */
export const NEVER_SEEN_MS = 10_000;

/** The recent events of each session, bounded in number and age, for clients that come back. */
export interface EventLog {
  /** An id that comes before those of all events. */
  readonly origin: string;
  /** The id of the event. Events of a session that has ended get one too, but are not kept. */
  append(session: string, stream: string, data: string | undefined): Awaitable<string>;
  /**
   * Makes this the stream on which the session receives changes. Returns the last change that it received, or
   * `initial` where it received none. `seen` is the event of the stream that its client named when it came
   * back. One that opens another stream soon after that (`NEVER_SEEN_MS`) has lost the connection before it
   * could see more, and gets again what came after that event. One that names an event of another stream
   * has two, and is not. `isWanted` is asked before the claim is sent again, because the connection to the store was
   * lost: one that comes after that of a newer stream would take the session from it. Where it is no longer wanted,
   * nothing changes, and the result is undefined.
   */
  claim(
    session: string,
    stream: string,
    initial: string,
    seen?: string,
    isWanted?: () => boolean,
  ): Awaitable<string | undefined>;
  /** Whether the session hears of changes on this stream. */
  isCurrent(session: string, stream: string): Awaitable<boolean>;
  /** The connection has lasted: its client has seen where the stream begins, and names an event when it comes back. */
  settle(session: string, stream: string): Awaitable<void>;
  /**
   * Appends what a change means for this session, once: undefined when that change, or a later one, has been
   * appended already, perhaps by another node that held the stream at the same time; false when the session has
   * another stream by now.
   */
  appendChange(
    session: string,
    stream: string,
    data: string,
    change: string,
  ): Awaitable<string | false | undefined>;
  /** Events of that stream after `after`, oldest first. */
  replay(session: string, stream: string, after: string): Awaitable<readonly LoggedEvent[]>;
  /** Calls `wake` when there may be something new to replay, and after every time that may have been missed. */
  watch(session: string, stream: string, wake: () => void): Awaitable<Unsubscribe>;
  /** Notes who is to end the stream, until its end is appended. */
  begin(session: string, stream: string, note: string): Awaitable<void>;
  /** The note of a stream that has not ended. */
  unfinished(session: string, stream: string): Awaitable<string | undefined>;
  /** Ends a stream in place of the node that began it; false when it has ended already. */
  abandon(session: string, stream: string, last: readonly string[]): Awaitable<boolean>;
  drop(session: string): Awaitable<void>;
}

/** Publish and subscribe, on this node and across nodes. Delivery is at most once. */
export interface Bus {
  publish(topic: string, text: string): Awaitable<void>;
  /** `missed` is called when messages may have been lost, because the store could not be reached for a while. */
  subscribe(topic: string, receive: (text: string) => void, missed?: () => void): Awaitable<Unsubscribe>;
}

/** Mailboxes. A message to an open box is delivered, even when its reader is disconnected for a while. */
export interface Mailboxes {
  /** False when the box is not open, or not being read: messages without a reader are not kept. */
  deliver(box: string, text: string): Awaitable<boolean>;
  /** One reader a box. */
  open(box: string, receive: (text: string) => void): Awaitable<Unsubscribe>;
}

export interface Change {
  readonly id: string;
  readonly text: string;
}

/** What every node has to hear of, in one order, and can look up for a while. */
export interface ChangeLog {
  /** `repeated` where it was published before, under the same mark, and may have arrived: it is then kept once. */
  publish(text: string, mark?: string, repeated?: boolean): Awaitable<void>;
  /** The id of the newest change, or one that comes before all. */
  newest(): Awaitable<string>;
  /** Changes after `after`, up to `until` where it is given; undefined when some of them are no longer kept. */
  since(after: string, until?: string): Awaitable<readonly Change[] | undefined>;
  /**
   * Every change from now on, in order, and none before what the bus carried when it was published: a session that
   * had changed on another node before is known to have. `resumed` is called where the bus may have missed something,
   * before the changes from that time; `missed` where some of them are no longer kept.
   */
  follow(receive: (change: Change) => void, missed: () => void, resumed?: () => void): Awaitable<Unsubscribe>;
}

/** Who shares the store. A node is gone when it closed the store, or did not renew its lease in time. */
export interface Nodes {
  /** This node. */
  readonly self: string;
  /** How long a node that died may look alive. */
  readonly leaseMs: number;
  isAlive(node: string): Awaitable<boolean>;
}

export interface Locks {
  /** Runs `work` with an exclusive lock for this key, across all users of the store. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** How long until one more is allowed; 0 where it is. */
  readonly retryAfterMs: number;
}

export interface Rates {
  /** Counts one more under the key, if the limit allows it: a bucket of `limit` that refills within `windowMs`. */
  take(key: string, limit: RateLimit): Awaitable<RateVerdict>;
}

/** Small texts that nodes share, such as credentials. */
export interface Values {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, text: string, ttlMs?: number): Awaitable<void>;
  /**
   * Sets it where there is nothing, or where it says `instead`. Returns what it says now, with a new lease of life:
   * of several who claim the same key, one finds its own text.
   */
  claim(key: string, text: string, ttlMs: number, instead?: string): Awaitable<string>;
  /** `only`: leaves it where it says something else. */
  delete(key: string, only?: string): Awaitable<void>;
}
