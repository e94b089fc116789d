/** Which HTTP client there is. Each is loaded only where it is used, so that no other runtime meets Node's. */

import type { Fetch, HttpRequester } from './requester.js';

/** Node's own client is many times faster than its `fetch`; everywhere else there is only `fetch`. */
export async function openRequester(fetch: Fetch | undefined, maxBodyBytes: number): Promise<HttpRequester> {
  if (fetch === undefined && isNode()) {
    const { createNodeRequester } = await import('./node-requester.js');
    return createNodeRequester(maxBodyBytes);
  }
  const { createFetchRequester } = await import('./fetch-requester.js');
  return createFetchRequester(fetch ?? ((url, init) => globalThis.fetch(url, init)), maxBodyBytes);
}

/** Bun, Deno and Workers call themselves Node where it helps others; their own `fetch` serves them better. */
function isNode(): boolean {
  const versions: Readonly<Record<string, string | undefined>> | undefined = globalThis.process?.versions;
  if (versions?.node === undefined || versions.bun !== undefined || versions.deno !== undefined) return false;
  return !('WebSocketPair' in globalThis);
}
