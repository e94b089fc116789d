/**
 * What sharing costs: calls a second of one node with the store in memory and on Redis, in turns within one run, and
 * what a session occupies in Redis. `node scripts/store-overhead.mjs [--seconds N]`
 */
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { startRedis } from './cluster/redis.mjs';

/** @type {typeof import('plumb-mcp/server')} */
const { createServer } = await import(new URL('../dist/server/index.js', import.meta.url).href);
/** @type {typeof import('plumb-mcp/store')} */
const { createMemoryStore, createRedisStore } = await import(
  new URL('../dist/store/index.js', import.meta.url).href
);

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } });
const CONCURRENT = 32;
const SESSIONS = 5_000;
const REVISION = '2025-11-25';

const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {unknown} body
 * @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders, text: string }>}
 */
function post(url, headers, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      },
      (incoming) => {
        let received = '';
        incoming.setEncoding('utf8').on('data', (chunk) => {
          received += chunk;
        });
        incoming.on('end', () => resolve({ headers: incoming.headers, text: received }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

/** @param {string} url */
async function openSession(url) {
  const params = {
    protocolVersion: REVISION,
    capabilities: {},
    clientInfo: { name: 'overhead', version: '1' },
  };
  const opened = await post(url, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'mcp-protocol-version': REVISION };
}

/**
 * @param {import('plumb-mcp/store').Store} store
 * @param {string} tool
 * @param {number} milliseconds
 */
async function callsPerSecond(store, tool, milliseconds) {
  const server = createServer({ name: 'overhead', version: '1', http: { store } });
  server.tool('plain', {}, () => 'answer');
  server.tool('stream', {}, (_args, ctx) => {
    ctx.progress(1, 2);
    return 'answer';
  });
  const { url } = await server.http({ port: 0 });
  const sessions = await Promise.all(Array.from({ length: CONCURRENT }, () => openSession(url)));
  let calls = 0;
  /** @param {number} end */
  const load = (end) =>
    Promise.all(
      sessions.map(async (headers, index) => {
        for (let id = 1; performance.now() < end; id += 1) {
          const params = { name: tool, arguments: {}, _meta: { progressToken: id } };
          const { text } = await post(url, headers, { jsonrpc: '2.0', id, method: 'tools/call', params });
          if (!text.includes('answer')) throw new Error(`Call ${id} of session ${index} gave ${text}`);
          calls += 1;
        }
      }),
    );
  await load(performance.now() + milliseconds / 4);
  calls = 0;
  const started = performance.now();
  await load(started + milliseconds);
  const rate = (calls / (performance.now() - started)) * 1000;
  await server.close(0);
  return rate;
}

const redis = await startRedis(process.env.PLUMB_FSYNC ?? 'everysec');
const milliseconds = Number(values.seconds) * 1000;

for (const tool of ['plain', 'stream']) {
  /** @type {{ memory: number[], redis: number[] }} */
  const rates = { memory: [], redis: [] };
  for (let round = 0; round < 3; round += 1) {
    const memory = createMemoryStore();
    rates.memory.push(await callsPerSecond(memory, tool, milliseconds));
    await memory.close();
    const shared = await createRedisStore(redis.url);
    rates.redis.push(await callsPerSecond(shared, tool, milliseconds));
    await shared.close();
  }
  const [memory, shared] = [median(rates.memory), median(rates.redis)];
  const ratio = (shared / memory).toFixed(2);
  console.log(
    `${tool.padEnd(8)} memory ${Math.round(memory)} calls/s, Redis ${Math.round(shared)} calls/s: ${ratio}`,
  );
}

const store = await createRedisStore(redis.url, { prefix: 'size' });
const record = {
  version: REVISION,
  clientInfo: { name: 'some-client', title: 'Some client', version: '1.2.3' },
  capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
  principal: 'https://login.example.com 0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  logLevel: 'info',
  ready: true,
  subscriptions: ['file:///projects/plumb/readme.md', 'file:///projects/plumb/todo.md'],
};
const before = await usedMemory();
const ids = Array.from({ length: SESSIONS }, () => crypto.randomUUID());
for (const id of ids) await store.sessions.create(id, record);
const withSessions = await usedMemory();
console.log(
  `session  ${Math.round((withSessions - before) / SESSIONS)} bytes in Redis, with two subscriptions`,
);
const event = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: 1, total: 5, message: 'Step 1 of 5' },
});
for (const id of ids) for (let n = 0; n < 8; n += 1) await store.events.append(id, 'p000000000000', event);
const bytes = (await usedMemory()) - withSessions;
console.log(
  `events   ${Math.round(bytes / SESSIONS / 8)} bytes each of ${event.length} characters, eight a session`,
);
await store.close();
await redis.stop();
process.exit(0);

async function usedMemory() {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

/** @param {number[]} numbers */
function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
