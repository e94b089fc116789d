export { createMemoryStore, type MemoryStoreOptions } from './memory.js';
export { createRedisStore, type RedisStoreOptions } from './redis.js';
export type {
  Awaitable,
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
