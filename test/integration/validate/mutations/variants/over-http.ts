import type { HttpMutation, HttpRequest, Mutation } from '../harness.js';
import {
  answer,
  http,
  issued,
  JSON_HEADERS,
  notificationBody,
  parsed,
  remembers,
  SESSION,
  set,
  status,
  VERSION,
} from './http-pieces.js';

const drop = (request: HttpRequest, ...names: readonly string[]): HttpRequest => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !names.includes(name))),
});
const origin = (fits: (origin: string, request: HttpRequest) => boolean): HttpMutation => ({
  request: (request) => (fits(String(request.headers.origin), request) ? drop(request, 'origin') : request),
});
const streams = new Set<(text: string) => void>();
const broadcasts = (fits: (block: string) => boolean): HttpMutation => ({
  onStream: (request, write) => {
    if (request.method === 'GET') streams.add(write);
  },
  event: (block, request) => {
    if (request.method === 'POST' && fits(block))
      for (const write of streams) write(`${block.replace(/^id: .*\n?/m, '')}\n\n`);
    return block;
  },
});
let ids = 0;
const newId = (make: () => string): HttpMutation => ({
  head: (given, headers) => ({
    status: given,
    headers: headers[SESSION] === undefined ? headers : { ...headers, [SESSION]: make() },
  }),
});

export const HTTP_VARIANTS: readonly Mutation[] = [
  http(
    '194',
    'GET is served to any Origin',
    origin((_origin, { method }) => method === 'GET'),
    4,
  ),
  http(
    '194',
    'DELETE is served to any Origin',
    origin((_origin, { method }) => method === 'DELETE'),
    3,
  ),
  http(
    '194',
    'an Origin that begins like ours is served',
    origin((value) => value.startsWith('http://127.0.0.1')),
    4,
  ),
  http(
    '194',
    'an Origin with https is served',
    origin((value) => value.startsWith('https:')),
  ),
  http(
    '194',
    'any Origin is served once there is a session',
    origin((_origin, { headers }) => headers[SESSION] !== undefined),
    4,
  ),
  http(
    '195',
    'GET of a foreign Origin gets 400',
    status(({ method }, given) => method === 'GET' && given === 403, 400),
    4,
  ),
  http(
    '195',
    'a foreign Origin gets 401',
    status((_request, given) => given === 403, 401),
    5,
  ),
  http(
    '200',
    'responses get 200',
    status((request, given) => !('method' in parsed(request)) && given === 202, 200),
    4,
  ),
  http(
    '200',
    'initialized gets 204',
    status((request, given) => parsed(request).method === 'notifications/initialized' && given === 202, 204),
    3,
  ),
  http(
    '200',
    'cancellations get 200',
    status((request, given) => parsed(request).method === 'notifications/cancelled' && given === 202, 200),
    4,
  ),
  http(
    '200',
    'notifications get a body of JSON',
    {
      head: (given, headers, request) =>
        given === 202 && notificationBody(request)
          ? { status: 202, headers: JSON_HEADERS, body: '{"ok":true}' }
          : { status: given, headers },
    },
    2,
  ),
  http(
    '201',
    'notifications without jsonrpc get 202',
    answer(
      (request) => !('jsonrpc' in parsed(request)) && 'method' in parsed(request),
      () => ({ status: 202 }),
    ),
    4,
  ),
  http(
    '201',
    'messages without a method get 202',
    answer(
      (request) => !('id' in parsed(request)) && request.method === 'POST' && !('method' in parsed(request)),
      () => ({ status: 202 }),
    ),
    3,
  ),
  http(
    '202',
    'calls are answered as text',
    {
      head: (given, headers, request) => ({
        status: given,
        headers:
          parsed(request).method === 'tools/list' ? { ...headers, 'content-type': 'text/plain' } : headers,
      }),
    },
    4,
  ),
  http('202', 'prompts are answered without a type', {
    head: (given, headers, request) => ({
      status: given,
      headers:
        parsed(request).method === 'prompts/list'
          ? Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type'))
          : headers,
    }),
  }),
  http(
    '205',
    'GET gets 404',
    answer(
      ({ method }) => method === 'GET',
      () => ({ status: 404 }),
    ),
    4,
  ),
  http(
    '205',
    'GET gets JSON',
    answer(
      ({ method }) => method === 'GET',
      () => ({ status: 200, headers: JSON_HEADERS, body: '{}' }),
    ),
    3,
  ),
  http(
    '206',
    'responses go to GET as well',
    broadcasts((block) => block.includes('"result"')),
    4,
  ),
  http(
    '207',
    'progress goes to GET as well',
    broadcasts((block) => block.includes('notifications/progress')),
    4,
  ),
  http(
    '210',
    'a session id with a tab',
    newId(() => `tab\tbed-${crypto.randomUUID()}`),
    4,
  ),
  http(
    '226',
    'session ids are times',
    newId(() => `session-${Date.now()}-${String(ids++).padStart(4, '0')}`),
    4,
  ),
  http(
    '226',
    'short session ids',
    newId(() => Math.random().toString(36).slice(2, 8)),
    3,
  ),
  http(
    '212',
    'GET without a session is served',
    {
      ...remembers,
      request: (request) =>
        request.method === 'GET' && request.headers[SESSION] === undefined
          ? set(request, SESSION, issued)
          : request,
    },
    4,
  ),
  http(
    '212',
    'POST without a session is served',
    {
      ...remembers,
      request: (request) =>
        request.method === 'POST' &&
        request.headers[SESSION] === undefined &&
        parsed(request).method === 'ping'
          ? set(request, SESSION, issued)
          : request,
    },
    4,
  ),
  http(
    '213',
    'unknown sessions are served',
    {
      ...remembers,
      request: (request) =>
        /^plumb|~$/.test(String(request.headers[SESSION])) ? set(request, SESSION, issued) : request,
    },
    4,
  ),
  http(
    '213',
    'ended sessions can still be listened to',
    {
      request: (request) =>
        request.method === 'GET'
          ? { status: 200, headers: { 'content-type': 'text/event-stream' } }
          : request,
    },
    4,
  ),
  http(
    '213',
    'a terminated session gets 410',
    status((_request, given) => given === 404, 410),
    3,
  ),
  http(
    '216',
    'DELETE gets 404',
    answer(
      ({ method }) => method === 'DELETE',
      () => ({ status: 404 }),
    ),
    4,
  ),
  http(
    '219',
    'versions that are no date are accepted',
    {
      request: (request) =>
        /^\d/.test(String(request.headers[VERSION])) ? request : set(request, VERSION, '2025-11-25'),
    },
    4,
  ),
  http(
    '219',
    'future versions are accepted',
    {
      request: (request) =>
        String(request.headers[VERSION]) > '2026-12' ? set(request, VERSION, '2025-11-25') : request,
    },
    4,
  ),
  http(
    '219',
    'a bad version gets 404',
    status((request, given) => given === 400 && /^1/.test(String(request.headers[VERSION])), 404),
    3,
  ),
  http(
    '221',
    'every stream counts its events from 1',
    { event: (block) => block.replace(/^id: .+$/m, (line) => `id: ${line.length % 7}`) },
    4,
  ),
];
