/**
 * Handles of what servers keep for this client where there is no session: a result brings one, and every later request
 * takes it back. They outlive the connection. Behind a gateway each server has its own.
 */

import { isRecord } from '../../jsonrpc/message.js';
import { META_SESSION, type RequestMeta } from '../../protocol/model/meta.js';

const OF_SERVER = `${META_SESSION}.`;
const MAX_HANDLES = 64;
/** What is longer is no handle, and would go out with every request. */
const MAX_CHARACTERS = 1024;

export class SessionHandles {
  #handles: Map<string, string> | undefined;

  /** Takes what a result brings; the newest one counts. */
  keep(meta: unknown): void {
    if (!isRecord(meta)) return;
    for (const key in meta) {
      if (key !== META_SESSION && !key.startsWith(OF_SERVER)) continue;
      const handle = meta[key];
      if (typeof handle === 'string' && key.length + handle.length <= MAX_CHARACTERS) this.#add(key, handle);
    }
  }

  /** The `_meta` of a request, with the handles; what the caller gave counts more. */
  with(meta: RequestMeta | undefined): RequestMeta | undefined {
    return this.#handles === undefined ? meta : { ...Object.fromEntries(this.#handles), ...meta };
  }

  #add(key: string, handle: string): void {
    this.#handles ??= new Map();
    this.#handles.delete(key);
    const [oldest] = this.#handles.keys();
    if (this.#handles.size >= MAX_HANDLES && oldest !== undefined) this.#handles.delete(oldest);
    this.#handles.set(key, handle);
  }
}
