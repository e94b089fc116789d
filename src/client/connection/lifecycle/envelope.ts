/**
 * Requests written as text. The part of `_meta` that never changes is encoded once and spliced in, because a call
 * should not pay for encoding the client's capabilities again.
 */

import type { JsonObject, RequestId } from '../../../jsonrpc/message.js';
import type { RequestMeta } from '../../../protocol/model/meta.js';

export class RequestEnvelope {
  readonly #constant: JsonObject;
  /** The members of `_meta` without its braces; empty when there are none. */
  readonly #members: string;

  /** `constant` is what every request has in its `_meta`. */
  constructor(constant: JsonObject) {
    this.#constant = constant;
    this.#members = JSON.stringify(constant).slice(1, -1);
  }

  write(
    id: RequestId,
    method: string,
    params: JsonObject,
    meta: RequestMeta | undefined,
    progressToken: RequestId | undefined,
    sender?: JsonObject,
  ): string {
    const head = `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"method":${JSON.stringify(method)},"params":`;
    // Merged as objects: spliced text could hold a key twice, and parsers disagree on which one counts.
    if (meta !== undefined || sender !== undefined || '_meta' in params)
      return `${head}${this.#merge(params, meta, progressToken, sender)}}`;
    const members = this.#withToken(progressToken);
    const body = JSON.stringify(params);
    if (members === '') return `${head}${body}}`;
    const rest = body === '{}' ? '{' : `${body.slice(0, -1)},`;
    return `${head}${rest}"_meta":{${members}}}}`;
  }

  #withToken(progressToken: RequestId | undefined): string {
    if (progressToken === undefined) return this.#members;
    const token = `"progressToken":${JSON.stringify(progressToken)}`;
    return this.#members === '' ? token : `${this.#members},${token}`;
  }

  #merge(
    params: JsonObject,
    meta: RequestMeta | undefined,
    progressToken: RequestId | undefined,
    sender: JsonObject | undefined,
  ): string {
    const { _meta, ...rest } = params;
    const merged: JsonObject = {
      ...(typeof _meta === 'object' ? _meta : {}),
      ...meta,
      ...this.#constant,
      ...sender,
    };
    if (progressToken !== undefined) merged.progressToken = progressToken;
    return JSON.stringify({ ...rest, _meta: merged });
  }
}
