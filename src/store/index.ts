export type { Awaitable } from '../protocol/awaitable.js';
export { createMemoryStore, type MemoryStoreOptions } from './memory.js';
export { createRedisStore, type RedisStoreOptions } from './redis.js';
export type {
  Bus,
  Change,
  ChangeLog,
  EventLog,
  Locks,
  LoggedEvent,
  Mailboxes,
  Nodes,
  RateLimit,
  Rates,
  RateVerdict,
  SessionChange,
  SessionRecord,
  SessionStore,
  Store,
  Unsubscribe,
  Values,
} from './store.js';
