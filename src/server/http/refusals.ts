/** Refusals of the handshake era: a status, and an error that says what to do. */

import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { encodeError } from '../../jsonrpc/encode.js';
import type { RequestId } from '../../jsonrpc/message.js';
import { invalidRequest } from '../../protocol/errors.js';
import type { HttpHeaders, HttpResponse } from '../../transports/http/server/exchange.js';
import type { Reply } from '../dispatcher.js';

export function refuseVersion(
  response: HttpResponse,
  headers: HttpHeaders,
  id: RequestId | undefined,
  version: string,
): undefined {
  return refuse(
    response,
    400,
    headers,
    id,
    `MCP-Protocol-Version ${JSON.stringify(version)} is not supported here`,
  );
}

export function refuse(
  response: HttpResponse,
  status: number,
  headers: HttpHeaders,
  id: RequestId | undefined,
  message: string,
): undefined {
  response.send(status, headers, encodeError(id, { code: INVALID_REQUEST, message }));
}

/** The answer to one request of a batch. */
export function refusedItem(id: RequestId, message: string): Reply {
  const error = invalidRequest(message).toErrorObject();
  return { text: encodeError(id, error), errorCode: error.code };
}
