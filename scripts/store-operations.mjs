/**
 * How often each kind of request goes to Redis: counted by Redis itself (MONITOR), a script as one operation.
 * `node scripts/store-operations.mjs`; needs dist/ and redis-server.
 */
import { createClient } from 'redis';
import { startRedis } from './cluster/redis.mjs';

/** @type {typeof import('plumb-mcp/server')} */
const { createServer } = await import(new URL('../dist/server/index.js', import.meta.url).href);
/** @type {typeof import('plumb-mcp/store')} */
const { createRedisStore } = await import(new URL('../dist/store/index.js', import.meta.url).href);

const TIMES = 20;
const EVENTS = 5;
const HANDSHAKE = '2025-11-25';
const STATELESS = '2026-07-28';
const FORM = {
  type: /** @type {const} */ ('object'),
  properties: { name: { type: /** @type {const} */ ('string') } },
};

const redis = await startRedis('everysec');
const store = await createRedisStore(redis.url, { lease: '10m' });
const server = createServer({ name: 'operations', version: '1', http: { store, keepAlive: '10m' } });
server.tool('plain', {}, () => 'answer');
server.tool('stream', {}, (_args, ctx) => {
  for (let step = 1; step <= EVENTS; step += 1) ctx.progress(step, EVENTS);
  return 'answer';
});
server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Who?', FORM)).action);
server.resource('test://note', { name: 'note' }, () => 'note');
const { url } = await server.http({ port: 0 });

/** Operations that Redis was asked for, without what scripts did on their own, and without the marks below. */
let operations = 0;
/** @type {Map<string, () => void>} */
const marks = new Map();
const [monitor, marker] = [createClient({ url: redis.url }), createClient({ url: redis.url })];
await Promise.all([monitor.connect(), marker.connect()]);
await monitor.monitor((line) => {
  const text = String(line);
  const mark = /"ECHO" "(mark-\d+)"/i.exec(text)?.[1];
  if (mark !== undefined) marks.get(mark)?.();
  // Connections are probed now and then, whatever goes over them.
  else if (!/\[\d+ lua\]|"ping"/i.test(text)) operations += 1;
});

/** Resolves when everything that was sent to Redis before has been counted. */
async function settle() {
  // What is sent after the answer of a request was written is part of its price.
  for (let before = -1; before !== operations; ) {
    before = operations;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const mark = `mark-${marks.size}`;
    const seen = new Promise((resolve) => marks.set(mark, () => resolve(undefined)));
    await marker.sendCommand(['ECHO', mark]);
    await seen;
  }
}

/**
 * @param {string} what
 * @param {(time: number) => Promise<unknown>} work
 */
async function count(what, work) {
  await settle();
  const before = operations;
  for (let time = 0; time < TIMES; time += 1) await work(time);
  await settle();
  console.log(`${what.padEnd(52)} ${((operations - before) / TIMES).toFixed(1)}`);
}

const JSON_TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** @param {Record<string, string>} headers @param {object} message */
function post(headers, message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return fetch(url, { method: 'POST', headers: { ...JSON_TYPES, ...headers }, body });
}

async function initialize() {
  const params = {
    protocolVersion: HANDSHAKE,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'counter', version: '1' },
  };
  const opened = await post({}, { id: 0, method: 'initialize', params });
  await opened.text();
  return {
    'mcp-session-id': String(opened.headers.get('mcp-session-id')),
    'mcp-protocol-version': HANDSHAKE,
  };
}

async function openSession() {
  const session = await initialize();
  await (await post(session, { method: 'notifications/initialized' })).text();
  return session;
}

let nextId = 1;
/** @param {Record<string, string>} session @param {string} name */
function call(session, name) {
  nextId += 1;
  const params = { name, arguments: {}, _meta: { progressToken: nextId } };
  return post(session, { id: nextId, method: 'tools/call', params });
}

/** @param {Record<string, string>} session */
async function answerQuestion(session) {
  const response = await call(session, 'ask');
  let text = '';
  let answered = false;
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    const id = /"id":"([0-9a-f-]{36})","method":"elicitation\/create"/.exec(text)?.[1];
    if (id === undefined || answered) continue;
    answered = true;
    const result = { action: 'accept', content: { name: 'Ada' } };
    await (await post(session, { id, result })).text();
  }
  if (!text.includes('accept')) throw new Error(`The question gave ${text}`);
}

/** @param {Record<string, string>} session */
async function openStream(session) {
  const closing = new AbortController();
  await fetch(url, { headers: { accept: 'text/event-stream', ...session }, signal: closing.signal });
  return closing;
}

const session = await openSession();
const sessions = await Promise.all(Array.from({ length: TIMES }, openSession));
const uri = 'test://note';
await count('initialize', initialize);
await count('initialize and notifications/initialized', openSession);
await count('call answered with JSON', async () => (await call(session, 'plain')).text());
await count(`call that streams ${EVENTS} events and its result`, async () =>
  (await call(session, 'stream')).text(),
);
await count('call that asks, with its answer', () => answerQuestion(session));
await count('subscribe', async () =>
  (await post(session, { id: 1, method: 'resources/subscribe', params: { uri } })).text(),
);
/** @type {AbortController[]} */
const streams = [];
await count('GET stream opened', async (time) => {
  streams.push(await openStream(sessions[time] ?? session));
});
await count('changed resource, nobody subscribed on a stream', async () => server.resourceUpdated(uri));
for (const subscriber of sessions)
  await (await post(subscriber, { id: 1, method: 'resources/subscribe', params: { uri } })).text();
await count(`changed resource, ${TIMES} sessions on one node`, async () => server.resourceUpdated(uri));
const stateless = { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call', 'mcp-name': 'plain' };
const meta = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'counter', version: '1' },
};
await count('stateless call', async () => {
  const params = { name: 'plain', arguments: {}, _meta: meta };
  const text = await (await post(stateless, { id: 1, method: 'tools/call', params })).text();
  if (!text.includes('answer')) throw new Error(`The stateless call gave ${text}`);
});
for (const stream of streams) stream.abort();
await count('DELETE', async (time) =>
  (await fetch(url, { method: 'DELETE', headers: sessions[time] ?? session })).text(),
);

await server.close({ drain: 0 });
await store.close();
monitor.destroy();
marker.destroy();
await redis.stop();
process.exit(0);
