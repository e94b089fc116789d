export { createMemoryStore } from './memory.js';
export { createRedisStore } from './redis.js';
export type { Store } from './store.js';
