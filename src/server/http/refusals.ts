/** Refusals of the handshake era: a status, and an error that says what to do. */

import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { encodeError } from '../../jsonrpc/encode.js';
import type { RequestId } from '../../jsonrpc/message.js';
import type { HttpHeaders, HttpResponse } from '../../transports/http/exchange.js';

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
