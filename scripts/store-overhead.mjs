/**
 * What sharing costs: calls a second of one node with the store in memory and on Redis, in turns within one run, and
 * what a session occupies in Redis. `node scripts/store-overhead.mjs [--seconds N] [--fsync always]`; needs dist/.
 */
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { startRedis } from './cluster/redis.mjs';
import { isMain } from './run.mjs';

const CONCURRENT = 32;
const SESSIONS = 5_000;
const READS = 4;
const EVENTS = 8;
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

/** Loaded when it is needed: whoever imports this file may have to build first. */
async function load() {
  /** @type {typeof import('plumb-mcp/server')} */
  const { createServer } = await import(new URL('../dist/server/index.js', import.meta.url).href);
  /** @type {typeof import('plumb-mcp/store')} */
  const { createMemoryStore, createRedisStore } = await import(
    new URL('../dist/store/index.js', import.meta.url).href
  );
  return { createServer, createMemoryStore, createRedisStore };
}

/**
 * @param {import('plumb-mcp/store').Store} store
 * @param {Tool} tool
 * @param {number} milliseconds
 */
async function callsPerSecond(store, tool, milliseconds) {
  const { createServer } = await load();
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
  const run = (end) =>
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
  await run(performance.now() + milliseconds / 4);
  calls = 0;
  const started = performance.now();
  await run(started + milliseconds);
  const rate = (calls / (performance.now() - started)) * 1000;
  await server.close({ drain: 0 });
  return rate;
}

/** @typedef {'plain' | 'stream'} Tool  a call answered with JSON, and one that is told of progress first */

/**
 * Calls a second of handshake sessions over HTTP: medians of rounds that take turns.
 *
 * @param {{ seconds?: number, rounds?: number, tool?: Tool, fsync?: 'always' | 'everysec' }} [options]
 * @returns {Promise<{ memory: number, redis: number }>}
 */
export async function measureStoreOverhead({
  seconds = 3,
  rounds = 3,
  tool = 'plain',
  fsync = 'everysec',
} = {}) {
  const { createMemoryStore, createRedisStore } = await load();
  const redis = await startRedis(fsync);
  /** @type {{ memory: number[], redis: number[] }} */
  const rates = { memory: [], redis: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      const memory = createMemoryStore();
      rates.memory.push(await callsPerSecond(memory, tool, seconds * 1000));
      await memory.close();
      const shared = await createRedisStore(redis.url);
      rates.redis.push(await callsPerSecond(shared, tool, seconds * 1000));
      await shared.close();
    }
  } finally {
    await redis.stop();
  }
  return { memory: median(rates.memory), redis: median(rates.redis) };
}

/**
 * Bytes that Redis says it uses, for each of some thousand sessions, and for their events; and what it takes of its
 * time to read the one and append the other.
 */
async function measureSizes() {
  const { createRedisStore } = await load();
  const redis = await startRedis('everysec');
  const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  const cpuSeconds = async () => {
    const text = await redis.info('cpu');
    return ['used_cpu_user', 'used_cpu_sys'].reduce(
      (sum, field) => sum + Number(new RegExp(`${field}:([\\d.]+)`).exec(text)?.[1]),
      0,
    );
  };
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
  const empty = await usedMemory();
  const ids = Array.from({ length: SESSIONS }, () => crypto.randomUUID());
  await inParallel(ids, (id) => store.sessions.create(id, record));
  const withSessions = await usedMemory();
  const beforeReading = await cpuSeconds();
  for (let round = 0; round < READS; round += 1) await inParallel(ids, (id) => store.sessions.get(id));
  const read = (await cpuSeconds()) - beforeReading;
  const event = JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 1, progress: 1, total: 5, message: 'Step 1 of 5' },
  });
  const append = (/** @type {string} */ id) => store.events.append(id, 'p000000000000', event);
  await inParallel(ids, append);
  const withFirst = await usedMemory();
  const beforeAppending = await cpuSeconds();
  for (let more = 1; more < EVENTS; more += 1) await inParallel(ids, append);
  const appended = (await cpuSeconds()) - beforeAppending;
  const withEvents = await usedMemory();
  await store.close();
  await redis.stop();
  return {
    session: (withSessions - empty) / SESSIONS,
    firstEvent: (withFirst - withSessions) / SESSIONS,
    furtherEvent: (withEvents - withFirst) / SESSIONS / (EVENTS - 1),
    eventCharacters: event.length,
    readMicroseconds: (read / SESSIONS / READS) * 1e6,
    appendMicroseconds: (appended / SESSIONS / (EVENTS - 1)) * 1e6,
  };
}

/**
 * As many at a time as a busy node has.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => unknown} work
 */
async function inParallel(items, work) {
  for (let at = 0; at < items.length; at += CONCURRENT) {
    await Promise.all(items.slice(at, at + CONCURRENT).map(work));
  }
}

/** @param {number[]} numbers */
function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function main() {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '3' }, fsync: { type: 'string', default: 'everysec' } },
  });
  const fsync = values.fsync === 'always' ? 'always' : 'everysec';
  for (const tool of /** @type {const} */ (['plain', 'stream'])) {
    const { memory, redis } = await measureStoreOverhead({ seconds: Number(values.seconds), tool, fsync });
    console.log(
      `${tool.padEnd(8)} memory ${memory.toFixed()} calls/s, Redis ${redis.toFixed()} calls/s: ${(redis / memory).toFixed(2)}`,
    );
  }
  const sizes = await measureSizes();
  console.log(`session  ${sizes.session.toFixed()} bytes in Redis, with two subscriptions`);
  console.log(
    `events   ${sizes.firstEvent.toFixed()} bytes for the first of a session, ` +
      `${sizes.furtherEvent.toFixed()} for each of the next ${EVENTS - 1}, of ${sizes.eventCharacters} characters`,
  );
  console.log(
    `CPU      ${sizes.readMicroseconds.toFixed(1)} µs of Redis to read a session, ` +
      `${sizes.appendMicroseconds.toFixed(1)} µs to append an event`,
  );
  process.exit(0);
}

if (isMain(import.meta)) await main();
