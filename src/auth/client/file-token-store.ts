/** The file store without Node: what needs it is loaded on first use. */

import type { TokenStore } from './token-store.js';

export interface FileTokenStoreOptions {
  /** Default: `credentials.json` in the user's configuration folder. */
  readonly path?: string | undefined;
}

/** A file that only its owner can read, shared by all processes of that user. Node only. */
export function createFileTokenStore(options: FileTokenStoreOptions = {}): TokenStore {
  let opened: Promise<TokenStore> | undefined;
  const open = (): Promise<TokenStore> => {
    opened ??= import('./node-file-store.js').then(({ openFileStore }) => openFileStore(options.path));
    return opened;
  };
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value) => (await open()).set(key, value),
    lock: async (key, work) => (await open()).lock(key, work),
  };
}
