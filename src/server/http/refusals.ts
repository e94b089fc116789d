/** Refusals that only HTTP knows: a status, and an error that says what to do. */

import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { encodeError } from '../../jsonrpc/encode.js';
import type { ErrorObject, RequestId } from '../../jsonrpc/message.js';
import type { HttpHeaders, HttpResponse } from '../../transports/http/server/exchange.js';
import type { Reply } from '../reply.js';

export function refusalWith(status: number, id: RequestId | undefined, message: string): Reply {
  const text = encodeError(id, { code: INVALID_REQUEST, message });
  return { text, errorCode: INVALID_REQUEST, refusal: 'invalid', status };
}

/** Sends a refusal at once. */
export function refuse(
  response: HttpResponse,
  status: number,
  headers: HttpHeaders,
  id: RequestId | undefined,
  message: string,
): undefined {
  response.send(status, headers, refusalWith(status, id, message).text);
}

export function sendError(
  response: HttpResponse,
  status: number,
  headers: HttpHeaders,
  id: RequestId | undefined,
  error: ErrorObject,
): void {
  response.send(status, headers, encodeError(id, error));
}
