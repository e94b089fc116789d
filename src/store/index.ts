export { createMemoryStore, type MemoryStoreOptions } from './memory.js';
export type { Awaitable, Bus, EventLog, LoggedEvent, SessionRecord, SessionStore, Store } from './store.js';
