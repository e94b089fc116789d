/** Where credentials are kept between requests, and perhaps between processes: plain JSON under a key. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../protocol/awaitable.js';

/** Keeps the tokens of a client between runs. */
export interface TokenStore {
  get(key: string): Awaitable<JsonObject | undefined>;
  /** `undefined` forgets it. */
  set(key: string, value: JsonObject | undefined): Awaitable<void>;
  /**
   * Runs `work` with an exclusive lock for this key, across all users of the store. A refresh token may be
   * valid for one use only, so its user must hold the lock, and must check first whether the token was
   * already used.
   */
  lock<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** For one process: everything is gone when it ends. */
export function createMemoryTokenStore(): TokenStore {
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
