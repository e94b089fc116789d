/** Variants: Streamable HTTP of the stateless era. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import type { HttpMutation, HttpRequest, Mutation } from '../harness.js';
import {
  answer,
  http,
  JSON_HEADERS,
  notificationBody,
  parsed,
  remembers,
  SESSION,
  set,
  status,
  VERSION,
} from './http-pieces.js';
import { metaIn, PROTOCOL, paramsOf } from './pieces.js';

/** Serves a request as if its header had been right, where it fits. */
const forgives = (
  header: string,
  fits: (message: JsonObject, value: string | undefined) => boolean,
  right: (message: JsonObject) => string,
): HttpMutation => ({
  request: (request) => {
    const message = parsed(request);
    return PROTOCOL in metaIn(message) && fits(message, request.headers[header])
      ? set(request, header, right(message))
      : request;
  },
});
const refuses = (
  fits: (request: HttpRequest, message: JsonObject) => boolean,
  code = -32020,
  given = 400,
): HttpMutation => ({
  request: (request) => {
    const message = parsed(request);
    if (!fits(request, message)) return request;
    return {
      status: given,
      headers: JSON_HEADERS,
      body: JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error: { code, message: 'refused' } }),
    };
  },
});
const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const nameIn = (message: JsonObject): string => {
  const name = String(paramsOf(message).name ?? paramsOf(message).uri ?? '');
  return /^[ -~]*$/.test(name) ? name : encoded(name);
};
const modern = (request: HttpRequest): boolean => PROTOCOL in metaIn(parsed(request));

export const HTTP_STATELESS_VARIANTS: readonly Mutation[] = [
  http('236', 'discover issues a session id', {
    head: (given, headers, request) => ({
      status: given,
      headers:
        parsed(request).method === 'server/discover' ? { ...headers, [SESSION]: 'abc-def-ghi-jkl' } : headers,
    }),
  }),
  http(
    '236',
    'a session id is refused',
    refuses((request) => modern(request) && request.headers[SESSION] !== undefined, -32600, 404),
  ),
  http(
    '237',
    'removed methods get 400',
    status((request, given) => given === 404 && parsed(request).method === 'ping', 400),
  ),
  http(
    '237',
    'unknown methods get 200',
    status((request, given) => given === 404 && modern(request), 200),
  ),
  http('237', 'unknown methods get another code', {
    head: (given, headers, request) =>
      given === 404 && modern(request)
        ? {
            status: 404,
            headers: JSON_HEADERS,
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: parsed(request).id,
              error: { code: -32600, message: 'x' },
            }),
          }
        : { status: given, headers },
  }),
  http(
    '238',
    'an unsupported version gets 422',
    status((request, given) => given === 400 && metaIn(parsed(request))[PROTOCOL] !== '2026-07-28', 422),
  ),
  http('239', 'a header that is no date is accepted', {
    request: (request) =>
      modern(request) && !/^\d/.test(String(request.headers[VERSION] ?? '0'))
        ? set(request, VERSION, String(metaIn(parsed(request))[PROTOCOL]))
        : request,
  }),
  http(
    '239',
    'a mismatch is a bad parameter',
    refuses(
      (request, message) =>
        PROTOCOL in metaIn(message) &&
        request.headers[VERSION] !== undefined &&
        request.headers[VERSION] !== metaIn(message)[PROTOCOL],
      -32602,
    ),
  ),
  http(
    '240',
    'calls need no version header',
    forgives(
      VERSION,
      (message, value) => message.method === 'tools/call' && value === undefined,
      (message) => String(metaIn(message)[PROTOCOL]),
    ),
  ),
  http(
    '240',
    'a missing header is a bad parameter',
    refuses(
      (request, message) => PROTOCOL in metaIn(message) && request.headers[VERSION] === undefined,
      -32602,
    ),
  ),
  http(
    '241',
    'cancellations get 204',
    status((request, given) => notificationBody(request) && given === 202, 204),
  ),
  http(
    '242',
    'responses get 202',
    answer(
      (request) => request.method === 'POST' && 'result' in parsed(request),
      () => ({ status: 202 }),
    ),
  ),
  http(
    '242',
    'an empty batch gets 202',
    answer(
      (request) => request.body === '[]',
      () => ({ status: 202 }),
    ),
  ),
  http('245', 'buffering is left to the proxy', {
    head: (given, headers) => ({
      status: given,
      headers:
        headers['x-accel-buffering'] === undefined ? headers : { ...headers, 'x-accel-buffering': 'yes' },
    }),
  }),
  http(
    '253',
    'Mcp-Name of prompts is not compared',
    forgives('mcp-name', (message) => message.method === 'prompts/get', nameIn),
  ),
  http(
    '253',
    'Mcp-Name of resources is not compared',
    forgives('mcp-name', (message) => message.method === 'resources/read', nameIn),
  ),
  http(
    '253',
    'a missing Mcp-Name is accepted',
    forgives('mcp-name', (message, value) => value === undefined && nameIn(message) !== '', nameIn),
  ),
  http(
    '253',
    'a missing Mcp-Method is accepted',
    forgives(
      'mcp-method',
      (_message, value) => value === undefined,
      (message) => String(message.method),
    ),
  ),
  http(
    '253',
    'the Mcp-Method of calls is not compared',
    forgives(
      'mcp-method',
      (message) => message.method === 'tools/call',
      (message) => String(message.method),
    ),
  ),
  http(
    '253',
    'broken base64 is accepted',
    forgives('mcp-name', (_message, value) => value === '=?base64?%%%?=', nameIn),
  ),
  http('253', 'a mismatch is a bad parameter', {
    head: (given, headers, request) =>
      given === 400 && modern(request) && request.headers['mcp-method'] !== parsed(request).method
        ? {
            status: 400,
            headers: JSON_HEADERS,
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: parsed(request).id,
              error: { code: -32602, message: 'x' },
            }),
          }
        : { status: given, headers },
  }),
  http(
    '254',
    'names of prompts are not decoded',
    refuses(
      (request, message) =>
        message.method === 'prompts/get' && String(request.headers['mcp-name']).startsWith('=?base64?'),
    ),
  ),
  http(
    '254',
    'names of resources are not decoded',
    refuses(
      (request, message) =>
        message.method === 'resources/read' && String(request.headers['mcp-name']).startsWith('=?base64?'),
    ),
  ),
  http(
    '254',
    'an encoded name is not compared',
    forgives(
      'mcp-name',
      (_message, value) => String(value).startsWith('=?base64?') && value !== '=?base64?%%%?=',
      nameIn,
    ),
  ),
  http(
    '255',
    'MCP-NAME is unknown',
    refuses((request) => request.names.includes('MCP-NAME')),
  ),
  http(
    '256',
    'names are compared without case',
    forgives(
      'mcp-name',
      (message, value) => String(value).toLowerCase() === nameIn(message).toLowerCase(),
      nameIn,
    ),
  ),
  http(
    '256',
    'methods are compared without case',
    forgives(
      'mcp-method',
      (message, value) => String(value).toLowerCase() === String(message.method).toLowerCase(),
      (message) => String(message.method),
    ),
  ),
  http('264', 'texts are not compared', {
    request: (request) => {
      const args = paramsOf(parsed(request)).arguments;
      return isRecord(args) && typeof args.region === 'string'
        ? set(request, 'mcp-param-region', args.region)
        : request;
    },
  }),
  http('264', 'missing parameter headers are accepted', {
    request: (request) => {
      const args = paramsOf(parsed(request)).arguments;
      return isRecord(args) &&
        typeof args.shard === 'number' &&
        request.headers['mcp-param-shard'] === undefined
        ? set(request, 'mcp-param-shard', String(args.shard))
        : request;
    },
  }),
  http(
    '264',
    'encoded parameters are not decoded',
    refuses((request) => String(request.headers['mcp-param-region']).startsWith('=?base64?')),
  ),
  http(
    '266',
    'a header is expected for null',
    refuses((request, message) => {
      const args = paramsOf(message).arguments;
      return isRecord(args) && args.shard === null && request.headers['mcp-param-shard'] === undefined;
    }),
  ),
  http(
    '404',
    'sessions need Mcp-Method',
    refuses(
      (request, message) =>
        message.method === 'tools/list' &&
        !(PROTOCOL in metaIn(message)) &&
        request.headers['mcp-method'] === undefined,
    ),
  ),
  http(
    '062',
    'a call without capabilities gets 200',
    status(
      (request, given) =>
        given === 400 &&
        parsed(request).method === 'tools/call' &&
        !('io.modelcontextprotocol/clientCapabilities' in metaIn(parsed(request))),
      200,
    ),
  ),
  http(
    '074',
    'a missing capability gets 403',
    status(
      (request, given) =>
        given === 400 &&
        JSON.stringify(metaIn(parsed(request))['io.modelcontextprotocol/clientCapabilities'] ?? null) !==
          'null' &&
        parsed(request).method === 'tools/call',
      403,
    ),
  ),
  http(
    '017',
    'batches of notifications are accepted',
    answer(
      (request) => request.body.startsWith('[{') && !request.body.includes('"id"'),
      () => ({ status: 202 }),
    ),
    4,
  ),
  http(
    '017',
    'an empty batch is accepted',
    answer(
      (request) => request.body === '[]',
      () => ({ status: 202 }),
    ),
    3,
  ),
  http(
    '016',
    'a batch of notifications gets 200',
    answer(
      (request) => request.body.startsWith('[{') && !request.body.includes('"id"'),
      () => ({ status: 200, headers: JSON_HEADERS, body: '[]' }),
    ),
    2,
  ),
  http(
    '014',
    'only the first of a batch is answered',
    {
      request: (request) => {
        if (!request.body.startsWith('[')) return request;
        const [one]: unknown[] = JSON.parse(request.body);
        return { ...request, body: JSON.stringify([one]) };
      },
    },
    2,
  ),
  http(
    '222',
    'event ids of other sessions work',
    {
      ...remembers,
      request: (request) =>
        request.headers['last-event-id'] === undefined
          ? request
          : { status: 200, headers: { 'content-type': 'text/event-stream' }, body: lastAnswer },
      event: (block) => {
        if (block.includes('"result"')) lastAnswer += `${block}\n\n`;
        return block;
      },
    },
    4,
  ),
];

let lastAnswer = '';
