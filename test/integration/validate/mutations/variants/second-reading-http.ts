/** Variants written from a second reading of the specification, before the checks were read: over HTTP. */

import { isRecord } from '../../../../../src/jsonrpc/message.js';
import type { HttpAnswer, HttpMutation, HttpRequest, Mutation } from '../harness.js';
import {
  answer,
  http,
  JSON_HEADERS,
  notificationBody,
  parsed,
  SESSION,
  status,
  VERSION,
} from './http-pieces.js';
import { m } from './pieces.js';

const drop = (request: HttpRequest, ...names: readonly string[]): HttpRequest => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !names.includes(name))),
});
const asks = (request: HttpRequest, method: string): boolean => parsed(request).method === method;
const welcomes = (fits: (origin: string, request: HttpRequest) => boolean): HttpMutation => ({
  request: (request) =>
    request.headers.origin !== undefined && fits(request.headers.origin, request)
      ? drop(request, 'origin')
      : request,
});
const refusal = (id: unknown, code: number, given: number): HttpAnswer => ({
  status: given,
  headers: JSON_HEADERS,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused' } }),
});
const types = (fits: (request: HttpRequest) => boolean, type: string): HttpMutation => ({
  head: (given, headers, request) => ({
    status: given,
    headers: fits(request) ? { ...headers, 'content-type': type } : headers,
  }),
});
const issues = (make: () => string): HttpMutation => ({
  head: (given, headers) => ({
    status: given,
    headers: headers[SESSION] === undefined ? headers : { ...headers, [SESSION]: make() },
  }),
});

/** Writes what comes for one stream to all open GET streams of other sessions, too. */
function broadcasts(method: string): HttpMutation {
  const streams = new Map<(text: string) => void, string>();
  return {
    onStream: (request, write) => {
      if (request.method === 'GET') streams.set(write, request.headers[SESSION] ?? '');
    },
    event: (block, request) => {
      if (block.includes(`"${method}"`))
        for (const [write, session] of streams)
          if (session !== (request.headers[SESSION] ?? '')) write(`${block.replace(/^id: .*\n?/m, '')}\n\n`);
      return block;
    },
  };
}

/** Remembers the events of each session, and changes what a resumed stream brings. */
function replays(choose: (before: readonly string[], lastEventId: string) => string): HttpMutation {
  const events = new Map<string, string[]>();
  return {
    event: (block, request) => {
      const session = request.headers[SESSION] ?? '';
      events.set(session, [...(events.get(session) ?? []), block]);
      return block;
    },
    opening: (request) => {
      const last = request.headers['last-event-id'];
      return last === undefined ? '' : choose(events.get(request.headers[SESSION] ?? '') ?? [], last);
    },
  };
}

let counted = 0;
const next = (): number => {
  counted += 1;
  return counted;
};
const ended = new Set<string>();

export const SECOND_READING_HTTP: readonly Mutation[] = [
  m('005', 'numeric ids come back as texts', {
    transport: 'http',
    revision: 4,
    out: (message) => (typeof message.id === 'number' ? { ...message, id: String(message.id) } : message),
  }),
  m('005', 'the id 0 comes back as null', {
    transport: 'http',
    revision: 3,
    out: (message) => (message.id === 0 ? { ...message, id: null } : message),
  }),
  m('093', 'progress without a token', {
    transport: 'http',
    revision: 4,
    out: (message) =>
      message.method === 'notifications/progress' && isRecord(message.params)
        ? { ...message, params: { progress: message.params.progress } }
        : message,
  }),
  http('014', 'the members of a batch share one answer', {
    request: (request) => {
      const body: unknown = JSON.parse(request.body || 'null');
      return Array.isArray(body) && body.length > 1 && body.every((item) => isRecord(item) && 'id' in item)
        ? { ...request, body: JSON.stringify([body[0]]) }
        : request;
    },
  }),
  http('016', 'a batch of responses gets 200', {
    head: (given, headers, request) => ({
      status: request.body.startsWith('[') && request.body.includes('"result"') ? 200 : given,
      headers,
    }),
  }),
  http(
    '017',
    'a batch is served over HTTP',
    {
      request: (request) => {
        if (!request.body.startsWith('[')) return request;
        const body: unknown = JSON.parse(request.body);
        return Array.isArray(body) && isRecord(body[0])
          ? { ...request, body: JSON.stringify(body[0]) }
          : request;
      },
    },
    4,
  ),
  http(
    '194',
    'the Origin null is served',
    welcomes((origin) => origin === 'null'),
    4,
  ),
  http(
    '194',
    'an Origin of a subdomain of localhost is served',
    {
      ...welcomes((origin) => /^https?:\/\/(localhost|127\.0\.0\.1)\./.test(origin)),
    },
    4,
  ),
  http(
    '194',
    'initialize of any Origin is served',
    welcomes((_origin, request) => asks(request, 'initialize')),
    4,
  ),
  http(
    '195',
    'DELETE of a foreign Origin gets 405',
    {
      ...status((request, given) => given === 403 && request.method === 'DELETE', 405),
    },
    4,
  ),
  http(
    '200',
    'responses get a body',
    {
      head: (given, headers, request) =>
        given === 202 && 'result' in parsed(request)
          ? { status: 202, headers: { ...headers, ...JSON_HEADERS }, body: '{}' }
          : { status: given, headers },
    },
    4,
  ),
  http(
    '200',
    'cancellations get 204',
    {
      ...status((request) => asks(request, 'notifications/cancelled'), 204),
    },
    2,
  ),
  http(
    '202',
    'streams are announced as JSON',
    {
      head: (given, headers) => ({
        status: given,
        headers: headers['content-type']?.startsWith('text/event-stream')
          ? { ...headers, 'content-type': 'application/json' }
          : headers,
      }),
    },
    4,
  ),
  http(
    '202',
    'pings are answered as text',
    types((request) => asks(request, 'ping'), 'text/plain'),
    3,
  ),
  http(
    '205',
    'GET gets 400',
    answer(
      ({ method }) => method === 'GET',
      () => ({ status: 400 }),
    ),
    2,
  ),
  http(
    '205',
    'GET gets 202',
    answer(
      ({ method }) => method === 'GET',
      () => ({ status: 202 }),
    ),
    4,
  ),
  http(
    '206',
    'pings are answered on the GET stream',
    {
      ...answersElsewhere('ping'),
    },
    2,
  ),
  http('207', 'log messages go to other sessions', broadcasts('notifications/message'), 4),
  http('207', 'questions go to other sessions', broadcasts('elicitation/create'), 4),
  http('207', 'progress goes to other sessions', broadcasts('notifications/progress'), 3),
  http(
    '210',
    'a session id with an umlaut',
    issues(() => `sess\u00fcon-${next()}`),
    4,
  ),
  http(
    '212',
    'a missing session id gets 500',
    {
      ...status((request, given) => given === 400 && request.headers[SESSION] === undefined, 500),
    },
    4,
  ),
  http(
    '213',
    'an unknown session gets 400',
    {
      ...status((_request, given) => given === 404, 400),
    },
    2,
  ),
  http(
    '213',
    'an ended session can be ended again',
    {
      request: (request) => {
        const session = request.headers[SESSION] ?? '';
        if (request.method !== 'DELETE') return request;
        if (ended.has(session)) return { status: 200 };
        ended.add(session);
        return request;
      },
    },
    4,
  ),
  http(
    '213',
    'an ended session accepts notifications',
    {
      request: (request) => {
        const session = request.headers[SESSION] ?? '';
        if (request.method === 'DELETE') ended.add(session);
        return ended.has(session) && notificationBody(request) ? { status: 202 } : request;
      },
    },
    3,
  ),
  http(
    '216',
    'DELETE gets 501',
    answer(
      ({ method }) => method === 'DELETE',
      () => ({ status: 501 }),
    ),
    3,
  ),
  http(
    '219',
    'GET takes any version',
    {
      request: (request) => (request.method === 'GET' ? drop(request, VERSION) : request),
    },
    4,
  ),
  http(
    '219',
    'a bad version is a bad parameter',
    {
      head: (given, headers, request) =>
        given === 400 && request.headers[VERSION] !== undefined
          ? { ...refusal(null, -32602, 200) }
          : { status: given, headers },
    },
    3,
  ),
  http(
    '220',
    'calls need the version header',
    {
      request: (request) =>
        request.method === 'POST' && !asks(request, 'initialize') && request.headers[VERSION] === undefined
          ? { status: 400 }
          : request,
    },
    3,
  ),
  http(
    '222',
    'a resumed stream brings everything',
    {
      ...replays((before) => before.map((block) => `${block}\n\n`).join('')),
    },
    4,
  ),
  http(
    '222',
    'a resumed stream brings what came on another one',
    {
      ...replays((before, last) => {
        const stream = last.split(/[^0-9a-z]/i)[0] ?? '';
        const foreign = before.filter((block) => !block.includes(stream) && block.includes('data: {'));
        return foreign.map((block) => `${block}\n\n`).join('');
      }),
    },
    3,
  ),
  http(
    '226',
    'session ids are hashes of a counter',
    issues(() => `0000-0000-${(next()).toString(16)}`),
    2,
  ),
  http(
    '226',
    'session ids differ in their last digits',
    {
      ...issues(() => `6ba7b810-9dad-11d1-80b4-00c04fd4${(4000 + next()).toString(16)}`),
    },
    4,
  ),
  http(
    '227',
    'the priming event has no id',
    {
      event: (block) => (/^data: ?$/m.test(block) ? 'data: ' : block),
    },
    4,
  ),
  http('228', 'a priming event to the second revision', { opening: () => 'id: p1\ndata: \n\n' }, 2),
];

/** Answers a method with 202, and on the GET stream of the session. */
function answersElsewhere(method: string): HttpMutation {
  const streams = new Map<string, (text: string) => void>();
  return {
    onStream: (request, write) => {
      if (request.method === 'GET') streams.set(request.headers[SESSION] ?? '', write);
    },
    request: (request) => {
      const write = streams.get(request.headers[SESSION] ?? '');
      if (!asks(request, method) || write === undefined) return request;
      write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: parsed(request).id, result: {} })}\n\n`);
      return { status: 202 };
    },
  };
}
