/**
 * Text to message. Decoding never throws: whatever the peer sent becomes one of the kinds below,
 * and the caller decides what the revision wants done with it.
 */

import { INVALID_REQUEST, PARSE_ERROR } from './codes.js';
import {
  type ErrorObject,
  isRecord,
  isRequestId,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type ResultResponse,
} from './message.js';

export type Decoded =
  | { readonly kind: 'request'; readonly message: Request }
  | { readonly kind: 'notification'; readonly message: Notification }
  | { readonly kind: 'result'; readonly message: ResultResponse }
  | DecodedError
  | Malformed;

export interface DecodedError {
  readonly kind: 'error';
  readonly id: RequestId | undefined;
  readonly error: ErrorObject;
  /** The status that it came with, when it was an HTTP answer other than a success. */
  readonly httpStatus?: number;
}

/** Something that is not a JSON-RPC message. `id` is set when the sender's id was readable all the same. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly code: typeof PARSE_ERROR | typeof INVALID_REQUEST;
  readonly reason: string;
  readonly id: RequestId | undefined;
  /** An answer gone wrong: it may settle a request of ours, and must not itself be answered. */
  readonly isAnswer: boolean;
}

export interface Batch {
  readonly kind: 'batch';
  readonly items: readonly unknown[];
}

export interface DecodeLimits {
  /** Deepest nesting of objects and arrays that is accepted. */
  readonly maxDepth: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxDepth: 512 };

const DEFAULT_ERROR_MESSAGE = 'The peer reported an error without a message';

/** Decodes one text: a message, a batch of (still undecoded) items, or the reason why it is neither. */
export function decodeText(text: string, limits: DecodeLimits = DEFAULT_DECODE_LIMITS): Decoded | Batch {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed(PARSE_ERROR, 'Not valid JSON', undefined);
  }
  // A document cannot nest deeper than half its length, so short texts need no walk.
  if (text.length > limits.maxDepth * 2 && exceedsDepth(value, limits.maxDepth)) {
    return tooDeep(value, limits.maxDepth);
  }
  if (Array.isArray(value)) return { kind: 'batch', items: value };
  return decodeValue(value);
}

/** Decodes a value that JSON.parse returned. */
export function decodeValue(value: unknown): Decoded {
  if (!isRecord(value)) return malformed(INVALID_REQUEST, 'A message must be a JSON object', undefined);
  const id = isRequestId(value.id) ? value.id : undefined;
  if (value.jsonrpc !== '2.0') return malformed(INVALID_REQUEST, '"jsonrpc" must be "2.0"', id);
  if ('method' in value) return decodeCall(value, id);
  if ('error' in value) return decodeError(value, id);
  if ('result' in value) return decodeResult(value, id);
  return malformed(INVALID_REQUEST, 'A message needs "method", "result" or "error"', id);
}

function decodeCall(value: JsonObject, id: RequestId | undefined): Decoded {
  if (typeof value.method !== 'string') return malformed(INVALID_REQUEST, '"method" must be a string', id);
  if ('result' in value || 'error' in value) {
    return malformed(INVALID_REQUEST, 'A message is a call or an answer, not both', id);
  }
  if (value.params !== undefined && !isRecord(value.params)) {
    return malformed(INVALID_REQUEST, '"params" must be an object', id);
  }
  if (!('id' in value)) return { kind: 'notification', message: value as unknown as Notification };
  if (id === undefined) return malformed(INVALID_REQUEST, '"id" must be a string or an integer', undefined);
  return { kind: 'request', message: value as unknown as Request };
}

function decodeResult(value: JsonObject, id: RequestId | undefined): Decoded {
  if (id === undefined)
    return malformed(INVALID_REQUEST, 'A result needs the id of its request', undefined, true);
  if (!isRecord(value.result)) return malformed(INVALID_REQUEST, '"result" must be an object', id, true);
  return { kind: 'result', message: value as unknown as ResultResponse };
}

function decodeError(value: JsonObject, id: RequestId | undefined): Decoded {
  if ('result' in value)
    return malformed(INVALID_REQUEST, 'An answer has a result or an error, not both', id, true);
  const error = value.error;
  if (!isRecord(error) || typeof error.code !== 'number') {
    return malformed(INVALID_REQUEST, '"error" must be an object with a numeric "code"', id, true);
  }
  const message = typeof error.message === 'string' ? error.message : DEFAULT_ERROR_MESSAGE;
  const decoded: ErrorObject =
    'data' in error ? { code: error.code, message, data: error.data } : { code: error.code, message };
  return { kind: 'error', id, error: decoded };
}

/** The envelope of a message that nests too deep is still readable: whose it is, and whether it answers us. */
function tooDeep(value: unknown, maxDepth: number): Malformed {
  const reason = `Nested deeper than ${maxDepth} levels`;
  if (!isRecord(value)) return malformed(INVALID_REQUEST, reason, undefined);
  const isAnswer = !('method' in value) && ('result' in value || 'error' in value);
  return malformed(INVALID_REQUEST, reason, isRequestId(value.id) ? value.id : undefined, isAnswer);
}

function malformed(
  code: Malformed['code'],
  reason: string,
  id: RequestId | undefined,
  isAnswer = false,
): Malformed {
  return { kind: 'malformed', code, reason, id, isAnswer };
}

/** Walks with an explicit stack: recursion would overflow on exactly the input this guards against. */
function exceedsDepth(root: unknown, maxDepth: number): boolean {
  const values: unknown[] = [root];
  const depths: number[] = [1];
  for (;;) {
    const value = values.pop();
    const depth = depths.pop();
    if (depth === undefined) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxDepth) return true;
    const children = Array.isArray(value) ? value : Object.values(value);
    for (const child of children) {
      if (typeof child !== 'object' || child === null) continue;
      values.push(child);
      depths.push(depth + 1);
    }
  }
}
