/** Which calls need more than a valid token: the scopes that tools declare, checked before anything runs. */

import { type Batch, type Decoded, decodeValue } from '../../jsonrpc/decode.js';
import { missingScopes } from '../../protocol/authorization.js';
import type { HttpAuth, HttpCaller, Unauthenticated } from '../../transports/http/server/exchange.js';
import type { ServerHost } from '../host.js';

export class Permissions {
  readonly #host: ServerHost;
  readonly #auth: HttpAuth | undefined;

  constructor(host: ServerHost, auth: HttpAuth | undefined) {
    this.#host = host;
    this.#auth = auth;
  }

  /** How the call is refused; undefined when the caller may make it. */
  refusal(decoded: Decoded | Batch, caller: HttpCaller): Unauthenticated | undefined {
    const needed = decoded.kind === 'batch' ? this.#ofBatch(decoded.items) : this.#ofCall(decoded);
    if (needed === undefined || missingScopes(caller.auth, needed).length === 0) return undefined;
    // Without a way to get scopes no caller can have them, so the tool stays closed.
    return this.#auth?.forbid(needed, caller) ?? CLOSED;
  }

  #ofCall(decoded: Decoded): readonly string[] | undefined {
    if (decoded.kind !== 'request' || decoded.message.method !== 'tools/call') return undefined;
    const name = decoded.message.params?.name;
    return typeof name === 'string' ? this.#host.requiredScopes(name) : undefined;
  }

  /** All scopes of the batch in one challenge: the client then asks its user once. */
  #ofBatch(items: readonly unknown[]): readonly string[] {
    if (items.length > this.#host.limits.batch) return [];
    return [...new Set(items.flatMap((item) => this.#ofCall(decodeValue(item)) ?? []))];
  }
}

const CLOSED: Unauthenticated = {
  status: 403,
  message: 'This tool needs scopes, and this server has no authorization configured; set the "auth" option',
};
