/**
 * Shared state behind one small seam: what a server must remember between requests, as plain data.
 * Implementations may answer at once or later; callers await only what is a promise.
 */

export type Awaitable<T> = T | Promise<T>;

export interface Store {
  readonly sessions: SessionStore;
  readonly events: EventLog;
  readonly bus: Bus;
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
}

export interface SessionStore {
  /** False when there are too many sessions already. */
  create(id: string, record: SessionRecord): Awaitable<boolean>;
  /** The record, and a new lease on life; undefined when it never was, has expired or was ended. */
  get(id: string): Awaitable<SessionRecord | undefined>;
  /** The record without renewing it. */
  peek(id: string): Awaitable<SessionRecord | undefined>;
  update(id: string, record: SessionRecord): Awaitable<void>;
  /** True when this call ended it. */
  delete(id: string): Awaitable<boolean>;
}

/** One event of a stream. `undefined` data marks the end of the stream, empty data an event without a message. */
export interface LoggedEvent {
  readonly id: string;
  readonly data: string | undefined;
}

/** The recent events of each session, bounded in number and age, for clients that come back. */
export interface EventLog {
  /** The id of the event. Events of a session that has ended get one too, but are not kept. */
  append(session: string, stream: string, data: string | undefined): Awaitable<string>;
  /** Events of that stream after `after`, oldest first. */
  replay(session: string, stream: string, after: string): Awaitable<readonly LoggedEvent[]>;
  drop(session: string): Awaitable<void>;
}

/** Messages between whoever is interested, on this node and others. Delivery is at most once. */
export interface Bus {
  publish(topic: string, text: string): Awaitable<void>;
  subscribe(topic: string, receive: (text: string) => void): Awaitable<() => Awaitable<void>>;
}
