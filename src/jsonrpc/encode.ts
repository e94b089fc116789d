/** Message to text, on one line: JSON.stringify never emits a raw newline. */

import type { ErrorObject, JsonObject, Message, RequestId } from './message.js';

export function encodeMessage(message: Message): string {
  return JSON.stringify(message);
}

/** Joins a result that is already JSON text with its envelope, so that prepared results are not encoded twice. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `${resultHead(id)}${resultJson}${RESULT_TAIL}`;
}

/** What stands before a result, for those who have the result as bytes. */
export function resultHead(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":`;
}

/** What stands behind it. */
export const RESULT_TAIL = '}';

/** `id: null` writes the null that JSON-RPC prescribes for unreadable requests; `undefined` leaves the id out. */
export function encodeError(id: RequestId | null | undefined, error: ErrorObject): string {
  const body = JSON.stringify(error);
  if (id === undefined) return `{"jsonrpc":"2.0","error":${body}}`;
  return `{"jsonrpc":"2.0","id":${id === null ? 'null' : encodeId(id)},"error":${body}}`;
}

export function encodeRequest(id: RequestId, method: string, params: JsonObject | undefined): string {
  const head = `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${JSON.stringify(params)}}`;
}

/** The same around params that are JSON text already. */
export function spliceRequest(id: RequestId, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)},"params":${params}}`;
}

export function encodeNotification(method: string, params: JsonObject | undefined): string {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${JSON.stringify(params)}}`;
}

function encodeId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}
