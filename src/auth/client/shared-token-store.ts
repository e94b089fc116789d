/** Credentials in the store that nodes share, so that all of them use one login and one of them renews it. */

import { isRecord } from '../../jsonrpc/message.js';
import type { Store } from '../../store/store.js';
import type { TokenStore } from './token-store.js';

/** Read access to the store is access to the credentials: protect it accordingly. */
export function createSharedTokenStore({ values, locks }: Pick<Store, 'values' | 'locks'>): TokenStore {
  return {
    get: async (key) => {
      const text = await values.get(nameOf(key));
      const value: unknown = text === undefined ? undefined : JSON.parse(text);
      return isRecord(value) ? value : undefined;
    },
    set: (key, value) =>
      value === undefined ? values.delete(nameOf(key)) : values.set(nameOf(key), JSON.stringify(value)),
    lock: (key, work) => locks.run(nameOf(key), work),
  };
}

function nameOf(key: string): string {
  return `token:${key}`;
}
