/** One function an attack: each is bounded, stays on this machine, and needs no credentials. */
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * @typedef {{ origin: string, inspector: string }} Place
 * @typedef {(place: Place) => Promise<unknown>} Attack
 */

const STATELESS = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const HUGE = 'x'.repeat(3_900_000);
const FLOOD = Array.from({ length: 400_000 }, (_, index) => index.toString(36));
/** How long streams are held, and how long answers are waited for. */
const HOLD_MS = 2_000;

/** @type {readonly (readonly [string, Attack])[]} */
export const ATTACKS = [
  ['listen to 400,000 URIs', ({ origin }) => stateless(origin, 'subscriptions/listen', listening(FLOOD))],
  ['hold listen streams of 3.9 MB', ({ origin }) => many(6, () => hold(origin, listening([HUGE])))],
  [
    'open sessions with 3.9 MB',
    ({ origin }) => many(4, () => initialize(origin, { experimental: { HUGE } })),
  ],
  ['open sessions without end', ({ origin }) => many(100, () => initialize(origin, {}))],
  [
    'open sessions of many parts',
    ({ origin }) => initialize(origin, { experimental: { list: parts(200_000) } }),
  ],
  ['subscribe without end', ({ origin }) => inSession(origin, subscriptions)],
  [
    'subscribe to 3.9 MB',
    ({ origin }) => inSession(origin, (call) => call('resources/subscribe', { uri: HUGE })),
  ],
  ['batches of slow calls', ({ origin }) => inSession(origin, batches, '2025-03-26')],
  ['pipelined slow calls', ({ origin }) => pipeline(origin)],
  ['slow calls with large arguments', ({ origin }) => many(20, () => slowCall(origin))],
  ['calls that ask and are never answered', ({ origin }) => many(30, () => asking(origin))],
  ['a request state of others', ({ origin }) => forgedState(origin)],
  ['lists of the hostile server', ({ origin }) => stateless(origin, 'tools/list', {})],
  ['unknown tools and spellings', ({ origin }) => spellings(origin)],
  ['deep and broken JSON', ({ origin }) => brokenJson(origin)],
  ['targets that nobody expects', ({ origin, inspector }) => targets([origin, new URL(inspector).origin])],
  ['the inspector without its token', ({ inspector }) => strangers(inspector)],
  ['one-byte chunks', ({ origin }) => oneByteChunks(origin)],
  ['requests that never end', ({ origin }) => many(20, () => halfRequest(origin))],
  ['old HTTP+SSE connections', ({ origin }) => many(20, () => legacy(origin))],
  ['clients that vanish', ({ origin }) => many(20, () => vanish(origin))],
  ['cross-site and foreign hosts', ({ origin }) => foreign(origin)],
];

/**
 * @param {number} count
 * @param {() => Promise<unknown>} attack
 */
function many(count, attack) {
  return Promise.allSettled(Array.from({ length: count }, attack));
}

/** @param {readonly string[]} uris */
function listening(uris) {
  return { notifications: { resourceSubscriptions: uris } };
}

/** @param {number} count */
function parts(count) {
  return Array.from({ length: count }, () => ({}));
}

/**
 * @param {string} origin
 * @param {{ method?: string, path?: string, headers?: Record<string, string>, body?: string }} call
 * @param {number} [holdMs] leaves after this time, whatever has come
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, text: string }>}
 */
function post(origin, { method = 'POST', path = '/mcp', headers = {}, body = '' }, holdMs = 10_000) {
  const { hostname, port } = new URL(origin);
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = send({ hostname, port, path, method, agent: false, headers: all }, (incoming) => {
      let text = '';
      const settle = () => {
        clearTimeout(timer);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      };
      incoming.setEncoding('utf8').on('data', (chunk) => {
        text = `${text}${chunk}`.slice(0, 100_000);
      });
      incoming.on('end', settle).on('error', settle).on('close', settle);
    });
    const timer = setTimeout(() => outgoing.destroy(), holdMs);
    outgoing.on('error', reject).on('close', () => clearTimeout(timer));
    outgoing.end(body);
  });
}

/**
 * @param {string} origin
 * @param {string} method
 * @param {Record<string, unknown>} params
 * @param {{ holdMs?: number, capabilities?: object }} [options]
 */
function stateless(origin, method, params, { holdMs = 10_000, capabilities = {} } = {}) {
  const _meta = { [`${PREFIX}protocolVersion`]: STATELESS, [`${PREFIX}clientCapabilities`]: capabilities };
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  const headers = { 'mcp-protocol-version': STATELESS, 'mcp-method': method, ...name };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  return post(origin, { headers, body }, holdMs);
}

/**
 * @param {string} origin
 * @param {Record<string, unknown>} params
 */
function hold(origin, params) {
  return stateless(origin, 'subscriptions/listen', params, { holdMs: HOLD_MS });
}

/**
 * @param {string} origin
 * @param {object} capabilities
 * @param {string} [version]
 */
function initialize(origin, capabilities, version = '2025-11-25') {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'attacker', version: '1' } };
  return post(origin, { body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }) });
}

/**
 * @typedef {(method: string, params?: object) => Promise<unknown>} Call
 * @param {string} origin
 * @param {(call: Call, headers: Record<string, string>, origin: string) => Promise<unknown>} attack
 * @param {string} [version]
 */
async function inSession(origin, attack, version = '2025-11-25') {
  const { headers: answered } = await initialize(origin, {}, version);
  const headers = { 'mcp-session-id': String(answered['mcp-session-id']) };
  let id = 0;
  /** @type {Call} */
  const call = (method, params = {}) => {
    id += 1;
    return post(origin, { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }, HOLD_MS);
  };
  await attack(call, headers, origin);
}

/** @param {Call} call */
async function subscriptions(call) {
  for (let round = 0; round < 15; round += 1)
    await many(100, () => call('resources/subscribe', { uri: `demo://${round}/${Math.random()}` }));
}

/**
 * @param {Call} _call
 * @param {Record<string, string>} headers
 * @param {string} origin
 */
function batches(_call, headers, origin) {
  return many(20, () => {
    const batch = Array.from({ length: 100 }, () => ({
      jsonrpc: '2.0',
      id: Math.random(),
      method: 'tools/call',
      params: { name: 'good__wait', arguments: { seconds: 2 } },
    }));
    return post(origin, { headers, body: JSON.stringify(batch) }, HOLD_MS);
  });
}

/** @param {string} origin */
function slowCall(origin) {
  const params = { name: 'good__wait', arguments: { seconds: 2 }, extra: 'x'.repeat(2_000_000) };
  return stateless(origin, 'tools/call', params, { holdMs: HOLD_MS });
}

/** @param {string} origin */
function asking(origin) {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  return stateless(
    origin,
    'tools/call',
    { name: 'good__ask_form', arguments: {} },
    { holdMs: HOLD_MS, capabilities },
  );
}

/** @param {string} origin */
function forgedState(origin) {
  const params = { name: 'good__ask_form', arguments: {}, inputResponses: {} };
  return many(20, () =>
    stateless(origin, 'tools/call', { ...params, requestState: `p1.AAAA.${'A'.repeat(100_000)}` }),
  );
}

/** @param {string} origin */
function spellings(origin) {
  const names = ['', '../echo', 'good__', '__proto__', 'constructor', 'x'.repeat(5000)];
  return Promise.allSettled([
    ...names.map((name) => stateless(origin, 'tools/call', { name, arguments: {} })),
    ...['file:///public/../secret', 'FILE://x', 'demo://%2e%2e/', 'javascript:alert(1)'].map((uri) =>
      stateless(origin, 'resources/read', { uri }),
    ),
  ]);
}

/** @param {string} origin */
function brokenJson(origin) {
  const bodies = [
    '[',
    '{',
    '['.repeat(100_000),
    `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    '\0',
    '"',
    '[]',
  ];
  return Promise.allSettled(bodies.map((body) => post(origin, { body })));
}

/**
 * Writes bytes as they are, waits a moment, and leaves.
 *
 * @param {string} origin
 * @param {string | readonly string[]} bytes
 * @param {number} [holdMs]
 */
function raw(origin, bytes, holdMs = 500) {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const leave = setTimeout(() => socket.destroy(), holdMs);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearTimeout(leave);
        resolve(undefined);
      });
    socket.resume();
    for (const piece of typeof bytes === 'string' ? [bytes] : bytes)
      socket.write(Buffer.from(piece, 'latin1'));
  });
}

/** @param {readonly string[]} origins */
function targets(origins) {
  const shapes = [
    '//',
    '/%',
    '*',
    'http://[',
    'http://evil.example/mcp',
    '/t//',
    '/%00',
    '/\\',
    '/mcp?%',
    `/${'a'.repeat(9000)}`,
  ];
  return Promise.allSettled(
    origins.flatMap((origin) =>
      shapes.flatMap((target) =>
        ['GET', 'POST', 'OPTIONS', 'CONNECT', 'TRACE'].map((method) =>
          raw(
            origin,
            `${method} ${target} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nConnection: close\r\n\r\n`,
          ),
        ),
      ),
    ),
  );
}

/** @param {string} inspector */
function strangers(inspector) {
  const { origin } = new URL(inspector);
  const paths = [
    '/',
    '/?token=',
    '/t//',
    '/t/wrong/',
    '/t/wrong/api/servers.add',
    '/api/events',
    '/t/%/api/events',
  ];
  return Promise.allSettled(
    paths.flatMap((path) => ['GET', 'POST'].map((method) => post(origin, { method, path }))),
  );
}

/** @param {string} origin */
function pipeline(origin) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'good__wait',
      arguments: { seconds: 2 },
      _meta: { [`${PREFIX}protocolVersion`]: STATELESS, [`${PREFIX}clientCapabilities`]: {} },
    },
  });
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${STATELESS}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: good__wait',
    `Content-Length: ${body.length}`,
  ];
  return many(4, () => raw(origin, `${head.join('\r\n')}\r\n\r\n${body}`.repeat(2000), HOLD_MS));
}

/** @param {string} origin */
function oneByteChunks(origin) {
  const head =
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  return many(4, () => raw(origin, [head, '1\r\nx\r\n'.repeat(200_000)], HOLD_MS));
}

/** @param {string} origin */
function halfRequest(origin) {
  return raw(
    origin,
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    HOLD_MS,
  );
}

/** @param {string} origin */
function legacy(origin) {
  const opened = post(
    origin,
    { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } },
    HOLD_MS,
  );
  const posted = pause(100).then(() => post(origin, { path: '/messages?sessionId=x', body: '{}' }));
  return Promise.allSettled([opened, posted]);
}

/** @param {string} origin */
function vanish(origin) {
  return stateless(
    origin,
    'tools/call',
    { name: 'good__count', arguments: { to: 50, delayMs: 100 } },
    { holdMs: 200 },
  );
}

/** @param {string} origin */
function foreign(origin) {
  const shapes = [
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
    { 'content-type': 'text/plain' },
  ];
  return Promise.allSettled(shapes.map((headers) => post(origin, { headers, body: '{}' })));
}
