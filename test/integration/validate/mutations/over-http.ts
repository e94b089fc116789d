import { isRecord } from '../../../../src/jsonrpc/message.js';
import type { HttpAnswer, HttpRequest, Mutation } from './harness.js';

const JSON_HEADERS = { 'content-type': 'application/json' };
const SESSION = 'mcp-session-id';
let counter = 100;
/** Of progress, the newest first. */
let tokens: readonly string[] = [];

function parsed(request: HttpRequest): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(request.body);
    return isRecord(message) ? message : {};
  } catch {
    return {};
  }
}

const over = (id: string, name: string, http: Mutation['http'], rest: Partial<Mutation> = {}): Mutation => ({
  id,
  name,
  transport: 'http',
  ...(http === undefined ? {} : { http }),
  ...rest,
});

/** Another status wherever the server gave this one. */
const status = (from: number, to: number): Mutation['http'] => ({
  head: (given, headers): HttpAnswer => ({ status: given === from ? to : given, headers }),
});

/** Serves a request as if this header had been right. */
const forgiving = (
  header: string,
  value: (message: Record<string, unknown>) => string | undefined,
): Mutation['http'] => ({
  request: (request) => {
    const message = parsed(request);
    const right = value(message);
    return right === undefined ? request : { ...request, headers: { ...request.headers, [header]: right } };
  },
});

const versionOf = (message: Record<string, unknown>): string | undefined => {
  const params = isRecord(message.params) ? message.params : {};
  const version = isRecord(params._meta)
    ? params._meta['io.modelcontextprotocol/protocolVersion']
    : undefined;
  return typeof version === 'string' ? version : undefined;
};
const methodOf = (message: Record<string, unknown>): string | undefined =>
  versionOf(message) !== undefined && typeof message.method === 'string' ? message.method : undefined;
const nameOf = (message: Record<string, unknown>): string | undefined =>
  message.method === 'tools/call' && isRecord(message.params) && versionOf(message) !== undefined
    ? String(message.params.name)
    : undefined;

const refuse = (
  fits: (request: HttpRequest, message: Record<string, unknown>) => boolean,
  answer: (message: Record<string, unknown>) => HttpAnswer,
): Mutation['http'] => ({
  request: (request) => {
    const message = parsed(request);
    return fits(request, message) ? answer(message) : request;
  },
});

const failure =
  (code: number, http = 400) =>
  (message: Record<string, unknown>): HttpAnswer => ({
    status: http,
    headers: JSON_HEADERS,
    body: JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error: { code, message: 'refused' } }),
  });

export const OVER_HTTP: readonly Mutation[] = [
  over('062', 'missing _meta gets status 200', status(400, 200)),
  over('074', 'a missing capability gets status 200', status(400, 200)),
  over(
    '191',
    'the endpoint event is called url',
    { event: (block) => block.replace('event: endpoint', 'event: url\ndata: /x\n\nevent: endpoint') },
    { transport: 'sse', revision: 1 },
  ),
  over(
    '193',
    'messages come as event rpc',
    { event: (block) => block.replace('event: message', 'event: rpc') },
    { transport: 'sse', revision: 1 },
  ),
  over(
    '194',
    'any Origin is served',
    {
      request: (request) => ({
        ...request,
        headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== 'origin')),
      }),
    },
    { revision: 3 },
  ),
  over('195', 'a foreign Origin gets 400', status(403, 400)),
  over(
    '197',
    'the endpoint fails',
    refuse((_request, message) => message.method === 'ping', failure(-32603, 500)),
    { revision: 4 },
  ),
  over('200', 'notifications get 200', status(202, 200), { revision: 4 }),
  over(
    '200',
    'notifications get a body',
    {
      head: (given, headers) =>
        given === 202 ? { status: 202, headers: JSON_HEADERS, body: '{}' } : { status: given, headers },
    },
    { revision: 4 },
  ),
  over(
    '201',
    'malformed notifications get 202',
    { request: (request) => (request.body.includes('"method":17') ? { status: 202 } : request) },
    { revision: 4 },
  ),
  over(
    '202',
    'requests get text/plain',
    {
      head: (given, headers) => ({ status: given, headers: { ...headers, 'content-type': 'text/plain' } }),
      request: (request) => request,
    },
    { revision: 4 },
  ),
  over(
    '205',
    'GET gets a web page',
    {
      request: (request) =>
        request.method === 'GET'
          ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Hello' }
          : request,
    },
    { revision: 4 },
  ),
  over(
    '206',
    'responses on the GET stream',
    {
      opening: (request) =>
        request.method === 'GET' ? 'event: message\ndata: {"jsonrpc":"2.0","id":"x","result":{}}\n\n' : '',
    },
    { revision: 3 },
  ),
  over('208', 'streams stay open', { endless: true }, { revision: 4 }),
  over('244', 'streams stay open', { endless: true }),
  over('245', 'buffering is not switched off', {
    head: (given, headers) => ({
      status: given,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'x-accel-buffering')),
    }),
  }),
  over(
    '210',
    'session ids with a space',
    {
      head: (given, headers) => ({
        status: given,
        headers:
          headers[SESSION] === undefined ? headers : { ...headers, [SESSION]: `a b ${headers[SESSION]}` },
      }),
    },
    { revision: 4 },
  ),
  over(
    '226',
    'session ids that count',
    {
      head: (given, headers) => ({
        status: given,
        headers:
          headers[SESSION] === undefined
            ? headers
            : { ...headers, [SESSION]: `session-0000000-${++counter}` },
      }),
    },
    { revision: 4 },
  ),
  over(
    '212',
    'a missing session id gets 404',
    {
      head: (given, headers, request) => ({
        status: given === 400 && request.headers[SESSION] === undefined ? 404 : given,
        headers,
      }),
    },
    { revision: 4 },
  ),
  over('213', 'a terminated session gets 400', status(404, 400), { revision: 4 }),
  over(
    '216',
    'DELETE gets 500',
    { request: (request) => (request.method === 'DELETE' ? { status: 500 } : request) },
    { revision: 4 },
  ),
  over(
    '218',
    'initialize needs the version header',
    refuse(
      (request, message) =>
        message.method === 'initialize' && request.headers['mcp-protocol-version'] === undefined,
      failure(-32600),
    ),
    { revision: 4 },
  ),
  over(
    '219',
    'any version header is accepted',
    {
      request: (request) =>
        request.headers['mcp-protocol-version'] === '1999-01-01'
          ? { ...request, headers: { ...request.headers, 'mcp-protocol-version': '2025-11-25' } }
          : request,
    },
    { revision: 4 },
  ),
  over(
    '220',
    'the version header is required',
    refuse(
      (request, message) =>
        message.method === 'ping' && request.headers['mcp-protocol-version'] === undefined,
      failure(-32600),
    ),
    { revision: 4 },
  ),
  over('221', 'event ids repeat', { event: (block) => block.replace(/^id: .+$/m, 'id: 1') }, { revision: 4 }),
  over(
    '227',
    'no priming event',
    { event: (block) => (/^data: ?$/m.test(block) ? undefined : block) },
    { revision: 4 },
  ),
  over(
    '228',
    'a priming event to the third revision',
    {
      event: (block) =>
        /^id: /m.test(block)
          ? `id: prime-${++counter}\ndata: \n\n${block}`
          : `id: prime-${++counter}\ndata: \n\n${block}`,
    },
    { revision: 3 },
  ),
  over(
    '209',
    'a lost connection cancels',
    {
      request: (request) =>
        request.headers['last-event-id'] === undefined
          ? request
          : { status: 200, headers: { 'content-type': 'text/event-stream' } },
    },
    { revision: 4 },
  ),
  over('236', 'a session id is issued', {
    head: (given, headers) => ({ status: given, headers: { ...headers, [SESSION]: 'new-session' } }),
  }),
  over('237', 'unknown methods get 200', status(404, 200)),
  over('238', 'an unsupported version gets 200', status(400, 200)),
  over('239', 'a contradicting version header is accepted', forgiving('mcp-protocol-version', versionOf)),
  over('240', 'a missing version header is accepted', forgiving('mcp-protocol-version', versionOf)),
  over('241', 'notifications get 200', status(202, 200)),
  over('242', 'batches are served', {
    request: (request) =>
      request.body.startsWith('[') ? { status: 200, headers: JSON_HEADERS, body: '[]' } : request,
  }),
  over('249', 'errors lose the id', undefined, {
    out: (message) =>
      'error' in message
        ? Object.fromEntries(Object.entries(message).filter(([name]) => name !== 'id'))
        : message,
  }),
  over('253', 'Mcp-Method is not compared', forgiving('mcp-method', methodOf)),
  over('253', 'Mcp-Name is not compared', forgiving('mcp-name', nameOf)),
  over(
    '254',
    'the sentinel is not decoded',
    refuse((request) => String(request.headers['mcp-name']).startsWith('=?base64?'), failure(-32020)),
  ),
  over(
    '255',
    'header names in capitals are unknown',
    refuse((request) => request.names.includes('MCP-METHOD'), failure(-32020)),
  ),
  over('256', 'header values are compared without case', {
    request: (request) =>
      request.headers['mcp-method'] === 'TOOLS/LIST'
        ? { ...request, headers: { ...request.headers, 'mcp-method': 'tools/list' } }
        : request,
  }),
  over('264', 'parameters are not compared', {
    request: (request) => {
      const message = parsed(request);
      const params = isRecord(message.params) ? message.params : {};
      if (params.name !== 'route' || !isRecord(params.arguments) || params.arguments.shard === undefined)
        return request;
      return {
        ...request,
        headers: { ...request.headers, 'mcp-param-shard': String(params.arguments.shard) },
      };
    },
  }),
  over(
    '265',
    'integers are compared as text',
    refuse((request) => request.headers['mcp-param-shard'] === '42.0', failure(-32020)),
  ),
  over(
    '266',
    'headers are expected for absent arguments',
    refuse(
      (request, message) =>
        isRecord(message.params) &&
        message.params.name === 'route' &&
        request.headers['mcp-param-shard'] === undefined,
      failure(-32020),
    ),
  ),
  over(
    '269',
    'unknown parameter headers are refused',
    refuse((request) => request.headers['mcp-param-plumb-unknown'] !== undefined, failure(-32020)),
  ),
  over(
    '404',
    'mirrored headers are expected of old clients',
    refuse(
      (request, message) => message.method === 'ping' && request.headers['mcp-method'] === undefined,
      failure(-32020),
    ),
  ),
  over('405', 'stateless requests end sessions', endsSessions()),
  over(
    '403',
    'the old era is not served',
    refuse((_request, message) => message.method === 'ping', failure(-32601, 404)),
  ),
  over('096', 'progress on another stream', {
    event: (block) => {
      const token = /"progressToken":("[^"]+"|\d+)/.exec(block)?.[1];
      if (token === undefined) return block;
      if (token !== tokens[0]) tokens = [token, ...tokens];
      return block.replace(`"progressToken":${token}`, `"progressToken":${tokens[1] ?? token}`);
    },
  }),
  over('243', 'streams go on after the response', {
    event: (block) =>
      block.includes('"result"')
        ? `${block}\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"zz","progress":1}}`
        : block,
  }),
];

/** Every request of the stateless era ends the sessions that there are. */
function endsSessions(): Mutation['http'] {
  const open = new Set<string>();
  const ended = new Set<string>();
  return refuse(
    (request, message) => {
      const session = request.headers['mcp-session-id'];
      if (versionOf(message) !== undefined) {
        for (const known of open) ended.add(known);
      } else if (session !== undefined) open.add(session);
      return session !== undefined && ended.has(session);
    },
    failure(-32000, 404),
  );
}
