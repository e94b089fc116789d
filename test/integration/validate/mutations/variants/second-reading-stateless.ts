/** Variants written from a second reading of the specification, before the checks were read: HTTP without sessions. */

import { isRecord } from '../../../../../src/jsonrpc/message.js';
import type { HttpAnswer, HttpMutation, HttpRequest, Mutation } from '../harness.js';
import { answer, http, JSON_HEADERS, parsed, SESSION, set, status, VERSION } from './http-pieces.js';
import { m, metaIn, PROTOCOL, paramsOf } from './pieces.js';

const modern = (request: HttpRequest): boolean => PROTOCOL in metaIn(parsed(request));
const asks = (request: HttpRequest, method: string): boolean => parsed(request).method === method;
const without = (request: HttpRequest, name: string): HttpRequest => {
  const { [name]: _, ...headers } = request.headers;
  return { ...request, headers };
};
const refusal = (id: unknown, code: number, given: number): HttpAnswer => ({
  status: given,
  headers: JSON_HEADERS,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused' } }),
});
/** Another id, status or code where the server refuses with this code. */
const refuses = (
  code: number,
  change: { readonly id?: unknown; readonly code?: number; readonly status?: number },
): Partial<Mutation> => ({
  transport: 'http',
  ...('id' in change || change.code !== undefined
    ? {
        out: (message) =>
          isRecord(message.error) && message.error.code === code
            ? {
                ...message,
                ...('id' in change ? { id: change.id } : {}),
                error: { ...message.error, code: change.code ?? code },
              }
            : message,
      }
    : {}),
  ...(change.status === undefined
    ? {}
    : {
        http: {
          head: (given, headers) => ({
            status: given === 400 && change.status !== undefined ? change.status : given,
            headers,
          }),
        },
      }),
});
/** Serves a request as if a header had been right. */
const forgives = (
  name: string,
  fits: (request: HttpRequest) => boolean,
  right: (request: HttpRequest) => string,
): HttpMutation => ({
  request: (request) => (modern(request) && fits(request) ? set(request, name, right(request)) : request),
});
const nameOf = (request: HttpRequest): string => {
  const { name, uri } = paramsOf(parsed(request));
  return String(name ?? uri ?? '');
};
const wrongName = (request: HttpRequest): boolean =>
  request.headers['mcp-name'] !== undefined && request.headers['mcp-name'] !== nameOf(request);
export const SECOND_READING_STATELESS: readonly Mutation[] = [
  http('062', 'a missing version gets 200', {
    ...status((request, given) => given === 400 && !modern(request), 200),
  }),
  m('074', 'a missing capability gets 404', {
    transport: 'http',
    http: {
      head: (given, headers, request) => ({
        status: given === 400 && request.body.includes('ask_') ? 404 : given,
        headers,
      }),
    },
  }),
  http('237', 'unknown methods get 404 and nothing', {
    head: (given, headers) =>
      given === 404 ? { status: 404, headers, body: '' } : { status: given, headers },
  }),
  http('237', 'a removed method gets 200', {
    ...status((request, given) => given === 404 && asks(request, 'logging/setLevel'), 200),
  }),
  m('238', 'an unsupported version gets 409', refuses(-32022, { status: 409 })),
  m('239', 'a mismatch gets -32600', refuses(-32020, { code: -32600 })),
  m('239', 'a mismatch gets 422', refuses(-32020, { status: 422 })),
  http('240', 'discover needs no version header', {
    ...forgives(
      VERSION,
      (request) => asks(request, 'server/discover') && request.headers[VERSION] === undefined,
      () => '2026-07-28',
    ),
  }),
  http('242', 'a batch of one is served', {
    request: (request) => {
      if (!request.body.startsWith('[')) return request;
      const body: unknown = JSON.parse(request.body);
      return Array.isArray(body) && isRecord(body[0])
        ? { ...request, body: JSON.stringify(body[0]) }
        : request;
    },
  }),
  http(
    '242',
    'error responses get 202',
    answer(
      (request) => 'error' in parsed(request),
      () => ({ status: 202 }),
    ),
  ),
  http('243', 'a request on the stream of a call', {
    event: (block, request) =>
      asks(request, 'tools/call') && block.includes('notifications/progress')
        ? `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}\n\n${block}`
        : block,
  }),
  http('243', 'a change of tools on the stream of a call', {
    event: (block, request) =>
      asks(request, 'tools/call') && block.includes('notifications/progress')
        ? `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n${block}`
        : block,
  }),
  m('249', 'refused versions lose the id', refuses(-32022, { id: null })),
  m('249', 'missing envelopes lose the id', {
    transport: 'http',
    http: {
      head: (given, headers, request) =>
        given === 400 && !modern(request) && 'id' in parsed(request)
          ? refusal(null, -32602, 400)
          : { status: given, headers },
    },
  }),
  http('253', 'prompts need no Mcp-Name', {
    ...forgives(
      'mcp-name',
      (request) => asks(request, 'prompts/get') && request.headers['mcp-name'] === undefined,
      nameOf,
    ),
  }),
  http('253', 'resources need no Mcp-Name', {
    ...forgives(
      'mcp-name',
      (request) => asks(request, 'resources/read') && request.headers['mcp-name'] === undefined,
      nameOf,
    ),
  }),
  http('253', 'discover needs no Mcp-Method', {
    ...forgives(
      'mcp-method',
      (request) => asks(request, 'server/discover') && request.headers['mcp-method'] === undefined,
      () => 'server/discover',
    ),
  }),
  http('253', 'a wrong name of a tool that exists is served', {
    ...forgives(
      'mcp-name',
      (request) =>
        wrongName(request) && ['echo', 'add', 'list'].includes(String(request.headers['mcp-name'])),
      nameOf,
    ),
  }),
  http('253', 'a name that begins like the tool is served', {
    ...forgives(
      'mcp-name',
      (request) => wrongName(request) && String(request.headers['mcp-name']).startsWith(nameOf(request)),
      nameOf,
    ),
  }),
  http('253', 'a mark in capitals is decoded', {
    ...forgives('mcp-name', (request) => /^=\?BASE64\?/.test(String(request.headers['mcp-name'])), nameOf),
  }),
  http('255', 'the version header is known in lower case only', {
    request: (request) =>
      modern(request) &&
      !request.names.includes(VERSION) &&
      request.names.some((name) => name.toLowerCase() === VERSION && name === name.toUpperCase())
        ? without(request, VERSION)
        : request,
  }),
  http('264', 'integers are not compared', {
    ...forgivesParameter((value) => /^-?\d+$/.test(value)),
  }),
  http('264', 'a missing integer is accepted', {
    request: (request) => {
      const { arguments: args } = paramsOf(parsed(request));
      return modern(request) &&
        isRecord(args) &&
        'shard' in args &&
        request.headers['mcp-param-shard'] === undefined
        ? set(request, 'mcp-param-shard', String(args.shard))
        : request;
    },
  }),
  m('264', 'a mismatch of parameters gets 200', {
    transport: 'http',
    http: {
      head: (given, headers, request) => ({
        status: given === 400 && request.body.includes('"route"') ? 200 : given,
        headers,
      }),
    },
  }),
  http('236', 'lists carry a session id', {
    head: (given, headers, request) => ({
      status: given,
      headers:
        modern(request) && asks(request, 'tools/list') ? { ...headers, [SESSION]: 'abcd-efgh' } : headers,
    }),
  }),
  http('245', 'subscriptions may be buffered', {
    head: (given, headers, request) => {
      const { 'x-accel-buffering': _, ...rest } = headers;
      return { status: given, headers: asks(request, 'subscriptions/listen') ? rest : headers };
    },
  }),
];

/** Compares parameters that fit with nothing. */
function forgivesParameter(fits: (value: string) => boolean): HttpMutation {
  return {
    request: (request) => {
      const { arguments: args } = paramsOf(parsed(request));
      if (!modern(request) || !isRecord(args)) return request;
      const headers: Record<string, string> = { ...request.headers };
      for (const [name, value] of Object.entries(headers)) {
        const key = name.replace('mcp-param-', '');
        if (name.startsWith('mcp-param-') && fits(value) && key in args) headers[name] = String(args[key]);
      }
      return { ...request, headers };
    },
  };
}
