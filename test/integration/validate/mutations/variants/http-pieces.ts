/** Shorthand for variants over HTTP. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import type { HttpAnswer, HttpMutation, HttpRequest, Mutation } from '../harness.js';
import { m } from './pieces.js';

export const SESSION = 'mcp-session-id';
export const VERSION = 'mcp-protocol-version';
export const JSON_HEADERS = { 'content-type': 'application/json' };
export function parsed(request: HttpRequest): JsonObject {
  try {
    const message: unknown = JSON.parse(request.body);
    return isRecord(message) ? message : {};
  } catch {
    return {};
  }
}
export const http = (id: string, name: string, mutation: HttpMutation, revision?: number): Mutation =>
  m(id, name, { transport: 'http', http: mutation, ...(revision === undefined ? {} : { revision }) });
export const set = (request: HttpRequest, name: string, value: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});
/** Another status where the request fits. */
export const status = (fits: (request: HttpRequest, given: number) => boolean, to: number): HttpMutation => ({
  head: (given, headers, request): HttpAnswer => ({ status: fits(request, given) ? to : given, headers }),
});
export const answer = (
  fits: (request: HttpRequest) => boolean,
  given: (request: HttpRequest) => HttpAnswer,
): HttpMutation => ({
  request: (request) => (fits(request) ? given(request) : request),
});
export const notificationBody = (request: HttpRequest): boolean =>
  'method' in parsed(request) && !('id' in parsed(request));
export let issued = '';
export const remembers = {
  head: (given: number, headers: Record<string, string>): HttpAnswer => {
    issued = headers[SESSION] ?? issued;
    return { status: given, headers };
  },
};
