/** Which HTTP client there is. Each is loaded only where it is used, so that no other runtime meets Node's. */

import { isNode } from '../../../protocol/runtime.js';
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
