/** Where credentials are kept between requests, and perhaps between processes: plain JSON under a key. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../store/store.js';

export interface TokenStore {
  get(key: string): Awaitable<JsonObject | undefined>;
  /** `undefined` forgets it. */
  set(key: string, value: JsonObject | undefined): Awaitable<void>;
  /**
   * Runs `work` while nobody else who shares this store runs theirs under the same key. A refresh token may be good
   * for one use only, so whoever uses it must be alone and must look first whether someone else already did.
   */
  lock<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** For one process: everything is gone when it ends. */
export function memoryTokenStore(): TokenStore {
  const values = new Map<string, JsonObject>();
  const queues = new Map<string, Promise<unknown>>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      if (value === undefined) values.delete(key);
      else values.set(key, value);
    },
    lock: (key, work) => {
      const before = queues.get(key) ?? Promise.resolve();
      const turn = before.then(work, work);
      const settled = turn.then(
        () => undefined,
        () => undefined,
      );
      queues.set(key, settled);
      void settled.then(() => {
        if (queues.get(key) === settled) queues.delete(key);
      });
      return turn;
    },
  };
}
