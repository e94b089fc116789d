/** Variants written from the sentences of the specification alone: HTTP. */

import type { HttpRequest, Mutation } from '../harness.js';
import { answer, http, JSON_HEADERS, parsed, SESSION, set, status } from './http-pieces.js';

const origin = ({ headers }: HttpRequest): string => headers.origin ?? '';
/** Serves a request whose Origin fits. */
const welcomes = (fits: (request: HttpRequest) => boolean) => ({
  request: (request: HttpRequest): HttpRequest => {
    if (!fits(request)) return request;
    const { origin: _, ...headers } = request.headers;
    return { ...request, headers };
  },
});
const ended = new Set<string>();

export const TEXT_HTTP_VARIANTS: readonly Mutation[] = [
  http(
    '194',
    'an Origin with our port on another host is served',
    welcomes(
      (request) =>
        origin(request) !== '' && origin(request).endsWith(`:${request.headers.host?.split(':')[1]}`),
    ),
    4,
  ),
  http(
    '194',
    'notifications of any Origin are served',
    welcomes((request) => !('id' in parsed(request)) && 'method' in parsed(request)),
    4,
  ),
  http(
    '195',
    'a foreign Origin gets 404',
    status((request, given) => given === 403 && origin(request) !== '', 404),
    4,
  ),
  http(
    '195',
    'a foreign Origin gets 421',
    status((request, given) => given === 403 && origin(request) !== '', 421),
  ),
  http(
    '202',
    'errors come as a web page',
    {
      head: (given, headers) => ({
        status: given,
        headers:
          given === 200 && headers['content-type']?.includes('json')
            ? { ...headers, 'content-type': 'text/html' }
            : headers,
      }),
    },
    4,
  ),
  http(
    '205',
    'GET gets 200 and nothing',
    answer(
      ({ method }) => method === 'GET',
      () => ({ status: 200 }),
    ),
    4,
  ),
  http(
    '205',
    'GET gets 501',
    answer(
      ({ method }) => method === 'GET',
      () => ({ status: 501 }),
    ),
    3,
  ),
  http(
    '213',
    'ended sessions still answer pings',
    {
      request: (request) => {
        const session = request.headers[SESSION] ?? '';
        if (request.method === 'DELETE') ended.add(session);
        const { id, method } = parsed(request);
        return ended.has(session) && method === 'ping'
          ? { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id, result: {} }) }
          : request;
      },
    },
    4,
  ),
  http(
    '236',
    'Last-Event-ID is refused',
    answer(
      ({ headers }) => headers['last-event-id'] !== undefined,
      () => ({ status: 400 }),
    ),
  ),
  http(
    '237',
    'unknown methods get 405',
    status((_request, given) => given === 404, 405),
  ),
  http(
    '238',
    'an unsupported version gets 426',
    status((request, given) => given === 400 && request.body.includes('1999-01-01'), 426),
  ),
  http('241', 'notifications get 202 and a body', {
    request: (request) =>
      'method' in parsed(request) && !('id' in parsed(request)) && request.method === 'POST'
        ? { status: 202, headers: JSON_HEADERS, body: '{"jsonrpc":"2.0","result":{}}' }
        : request,
  }),
  http('249', 'mismatched headers are refused without id', {
    request: (request) => {
      const { id, method } = parsed(request);
      return id !== undefined &&
        method !== undefined &&
        request.headers['mcp-method'] !== method &&
        request.headers['mcp-method'] !== undefined
        ? {
            status: 400,
            headers: JSON_HEADERS,
            body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32020, message: 'no' } }),
          }
        : request;
    },
  }),
  http('253', 'Mcp-Name with a blank inside is cut', {
    request: (request) => {
      const name = request.headers['mcp-name'] ?? '';
      const { params } = parsed(request);
      const given =
        typeof params === 'object' && params !== null && 'name' in params ? String(params.name) : '';
      return given !== '' && name.startsWith(given) ? set(request, 'mcp-name', given) : request;
    },
  }),
];
