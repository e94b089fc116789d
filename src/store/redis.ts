/** The store that nodes share: Redis 7 or Valkey, reached through the `redis` package. */

import { assertOptionNames } from '../protocol/option-names.js';
import { RedisChangeLog } from './redis-changes.js';
import { RedisConnection } from './redis-connection.js';
import { RedisLocks, RedisNodes, RedisRates, RedisValues } from './redis-coordination.js';
import { RedisEventLog } from './redis-events.js';
import { RedisBus, RedisMailboxes } from './redis-messages.js';
import { type RedisStoreOptions, redisSettings } from './redis-options.js';
import { RedisSessions } from './redis-sessions.js';
import type { Store } from './store.js';

export type { RedisStoreOptions } from './redis-options.js';

/**
 * Connects to Redis at `redis://[[user]:password@]host[:port][/database]`, or `rediss://` for TLS. Every node of a
 * service gives the same address and prefix; any of them then serves any request of any session.
 */
export async function createRedisStore(url: string, options: RedisStoreOptions = {}): Promise<Store> {
  assertOptionNames('createRedisStore', options, redisSettings({}));
  const redis = await RedisConnection.open(url, redisSettings(options));
  try {
    return await createStoreOver(redis);
  } catch (error) {
    // It went away again. A connection that is left open would look for it for ever.
    redis.close();
    throw error;
  }
}

/** The store over a connection that is open. */
export async function createStoreOver(redis: RedisConnection): Promise<Store> {
  const nodes = await RedisNodes.join(redis);
  return {
    sessions: new RedisSessions(redis),
    events: new RedisEventLog(redis, nodes.self),
    bus: new RedisBus(redis),
    mailboxes: new RedisMailboxes(redis),
    changes: new RedisChangeLog(redis),
    nodes,
    locks: new RedisLocks(redis),
    rates: new RedisRates(redis),
    values: new RedisValues(redis),
    close: async () => {
      await nodes.leave().catch(redis.settings.onError);
      redis.close();
    },
  };
}
