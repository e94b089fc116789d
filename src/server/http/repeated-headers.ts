/** The headers in which a stateless POST repeats its body. */

import { isRecord, type JsonObject, type Request } from '../../jsonrpc/message.js';
import { ProtocolError } from '../../protocol/errors.js';
import {
  decodeHeaderValue,
  METHOD_HEADER,
  type MirroredParameter,
  NAME_HEADER,
  nameOf,
  parameterMismatch,
  VERSION_HEADER,
} from '../../protocol/mirrored-headers.js';
import type { HttpRequest } from '../../transports/http/server/exchange.js';

/** Compared before support is judged: a proxy routes on the header, and the body must not differ from it. */
export function versionHeaderMismatch(request: HttpRequest, version: string): ProtocolError | undefined {
  const header = request.header(VERSION_HEADER)?.trim();
  if (header === undefined) return headerMismatch('Header MCP-Protocol-Version is missing');
  return header === version
    ? undefined
    : headerMismatch('Header MCP-Protocol-Version does not repeat the version in _meta');
}

/** `mirrored` returns the arguments of a tool that headers repeat. */
export function requestHeaderMismatch(
  request: HttpRequest,
  message: Request,
  mirrored: (tool: string) => readonly MirroredParameter[] | undefined,
): ProtocolError | undefined {
  return standardMismatch(request, message) ?? argumentMismatch(request, message, mirrored);
}

function standardMismatch(request: HttpRequest, message: Request): ProtocolError | undefined {
  const method = request.header(METHOD_HEADER);
  if (method === undefined) return headerMismatch('Header Mcp-Method is missing');
  if (method !== message.method && method.trim() !== message.method) {
    return headerMismatch('Header Mcp-Method does not repeat the method');
  }
  const name = nameOf(message.method, message.params);
  if (name === undefined) return undefined;
  const header = request.header(NAME_HEADER);
  if (header === undefined) return headerMismatch('Header Mcp-Name is missing');
  return decodeHeaderValue(header) === name
    ? undefined
    : headerMismatch('Header Mcp-Name does not repeat the name in the body');
}

function argumentMismatch(
  request: HttpRequest,
  { method, params }: Request,
  mirrored: (tool: string) => readonly MirroredParameter[] | undefined,
): ProtocolError | undefined {
  if (method !== 'tools/call') return undefined;
  const parameters = typeof params?.name === 'string' ? mirrored(params.name) : undefined;
  if (parameters === undefined || parameters.length === 0) return undefined;
  const args: JsonObject = isRecord(params?.arguments) ? params.arguments : {};
  const reason = parameterMismatch(parameters, args, (header) => request.header(header));
  return reason === undefined ? undefined : headerMismatch(reason);
}

function headerMismatch(reason: string): ProtocolError {
  return new ProtocolError('header_mismatch', reason);
}
