/**
 * `npm run soak`: many calls over HTTP, in every revision, with streams, sessions and clients that vanish, against
 * a server in a process of its own. Its memory is sampled after garbage collection; exits 1 when it is not flat.
 *
 *   npm run soak                   200,000 calls, at most 4.5 minutes
 *   npm run soak -- 50000 60       this many calls, at most this many seconds
 *   npm run soak -- --hostile      attacks on a chain for 10 minutes (--minutes N); see hostile/soak.mjs
 */
import { fork } from 'node:child_process';
import { Agent, request as send } from 'node:http';
import { build } from './build.mjs';

const STATELESS = '2026-07-28';
const HANDSHAKE = ['2025-03-26', '2025-06-18', '2025-11-25'];
const WORKERS = 32;
const SAMPLES = 12;
/** Idle sessions and their streams are gone after this time. */
const SESSION_IDLE_MS = 3000;
/** Growth that the engine causes by itself: code that is compiled late, mostly. A leak of a few bytes a call is more. */
const TOLERATED_BYTES = 0.5 * 1024 * 1024;

/**
 * @typedef {{ heap: number, external: number, open: Record<string, number> }} Sample
 * @typedef {{ status: number, headers: import('node:http').IncomingHttpHeaders, text: string }} Answer
 */

/** The server under load. */
async function serve() {
  const { createServer } = await import('plumb-mcp/server');
  const stores = new URL('../dist/store/index.js', import.meta.url).href;
  /** @type {typeof import('../src/store/index.js')} */
  const { createMemoryStore } = await import(stores);
  const server = createServer({ name: 'soak', version: '1.0.0', onError: (error) => console.error(error) });
  const text = /** @type {const} */ ({ type: 'object', properties: { text: { type: 'string' } } });
  server.tool('echo', { input: text }, ({ text }) => String(text));
  server.tool('later', { input: text }, async ({ text }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return String(text);
  });
  server.tool('progress', {}, async (_args, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step, 3, 'x'.repeat(100));
    return 'done';
  });
  server.tool('roots', {}, async (_args, ctx) => `${(await ctx.roots()).length}`);
  server.tool('wait', {}, (_args, ctx) => {
    ctx.progress(1);
    return new Promise((resolve) =>
      ctx.signal.addEventListener('abort', () => resolve('gone'), { once: true }),
    );
  });
  server.resource('soak://fixed', {}, () => 'fixed');
  const store = createMemoryStore({ sessionIdle: SESSION_IDLE_MS });
  const handle = await server.http({ store, keepAlive: 200 });
  process.on('message', async () => {
    const open = handle.open();
    // Twice: what finalizers release is collected by the next one.
    for (const _round of [1, 2]) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ heap: heapUsed, external, open: { ...open } });
    server.listChanged('tools');
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ url: handle.url });
}

/**
 * @param {number} total calls
 * @param {number} seconds
 */
async function soak(total, seconds) {
  const built = await build();
  if (!built.ok) {
    console.error(built.output);
    return 1;
  }
  const child = fork(new URL(import.meta.url), ['--serve'], { execArgv: ['--expose-gc'] });
  /** @returns {Promise<any>} */
  const heard = () => new Promise((resolve) => child.once('message', resolve));
  const { url } = await heard();
  const client = new Client(url);
  const deadline = performance.now() + seconds * 1000;
  /** @type {Sample[]} */
  const samples = [];
  let done = 0;
  const started = performance.now();
  for (let round = 1; round <= SAMPLES && performance.now() < deadline; round += 1) {
    const goal = Math.round((total * round) / SAMPLES);
    await Promise.all(
      Array.from({ length: WORKERS }, async () => {
        while (done < goal && performance.now() < deadline) await client.next((calls) => (done += calls));
      }),
    );
    // Sessions that were left expire, so that every sample sees the same.
    await new Promise((resolve) => setTimeout(resolve, SESSION_IDLE_MS + 1000));
    child.send('sample');
    const sample = await heard();
    samples.push(sample);
    console.log(line(done, sample, samples[0]));
  }
  child.disconnect();
  client.close();
  const rate = Math.round(done / ((performance.now() - started) / 1000));
  return judge(samples, client.failures, `${done} calls, ${rate} a second`);
}

/** Traffic of every kind, in a fixed mixture. */
class Client {
  /** @type {Map<string, number>} */
  failures = new Map();
  #url;
  #agent = new Agent({ keepAlive: true, maxSockets: WORKERS * 2 });
  #turn = 0;

  /** @param {string} url */
  constructor(url) {
    this.#url = new URL(url);
  }

  close() {
    this.#agent.destroy();
  }

  /**
   * A few calls that belong together.
   *
   * @param {(calls: number) => unknown} count
   */
  async next(count) {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      if (turn % 10 === 0) count(await this.#session(turn));
      else if (turn % 25 === 1) count(await this.#vanish());
      else if (turn % 4 === 1) count(await this.#streamed());
      else count(await this.#plain(turn));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    }
  }

  /** @param {number} turn */
  async #plain(turn) {
    const name = turn % 2 === 0 ? 'echo' : 'later';
    const answer = await this.#stateless('tools/call', { name, arguments: { text: `turn ${turn}` } });
    expect(
      answer.status === 200 && answer.text.includes(`turn ${turn}`),
      `${name} answered ${answer.status}`,
    );
    return 1;
  }

  async #streamed() {
    const answer = await this.#stateless(
      'tools/call',
      { name: 'progress', arguments: {} },
      { progressToken: 1 },
    );
    expect(answer.text.split('event: message').length === 5, 'a stream is not complete');
    return 1;
  }

  /** A stateless stream that its client leaves. */
  async #vanish() {
    const call = statelessCall('tools/call', { name: 'wait', arguments: {} }, { progressToken: 1 });
    const listen = statelessCall('subscriptions/listen', { notifications: { toolsListChanged: true } }, {});
    for (const { headers, body } of [call, listen]) await this.#send('POST', headers, body, 'event: message');
    return 2;
  }

  /** @param {number} turn */
  async #session(turn) {
    const version = HANDSHAKE[turn % HANDSHAKE.length] ?? STATELESS;
    const clientInfo = { name: 'soak', version: '1' };
    const params = { protocolVersion: version, capabilities: { roots: {} }, clientInfo };
    const opened = await this.#post({}, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const headers = {
      'mcp-session-id': String(opened.headers['mcp-session-id']),
      ...(version >= '2025-06-18' ? { 'mcp-protocol-version': version } : {}),
    };
    await this.#post(headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.#post(headers, request(1, 'resources/subscribe', { uri: 'soak://fixed' }));
    for (let id = 2; id < 6; id += 1) {
      const answer = await this.#post(
        headers,
        request(id, 'tools/call', { name: 'echo', arguments: { text: 'hi' } }),
      );
      expect(answer.text.includes('"hi"'), `echo answered ${answer.status}`);
    }
    const streamed = request(6, 'tools/call', { name: 'progress', _meta: { progressToken: 1 } });
    expect(
      (await this.#post(headers, streamed)).text.includes('done'),
      'a stream of a session is not complete',
    );
    // Leaves while it is asked something, and comes back for the question.
    const asked = await this.#send(
      'POST',
      headers,
      request(7, 'tools/call', { name: 'roots' }),
      'roots/list',
    );
    const last = /^id: (\S+)$/m.exec(asked.text)?.[1];
    if (last !== undefined) {
      await this.#send(
        'GET',
        { ...headers, accept: 'text/event-stream', 'last-event-id': last },
        undefined,
        '\n',
      );
    }
    // Some say goodbye, some do not.
    if (turn % 20 === 0) await this.#send('DELETE', headers);
    return 8;
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {object} [meta]
   */
  #stateless(method, params, meta = {}) {
    const { headers, body } = statelessCall(method, params, meta);
    return this.#send('POST', headers, body);
  }

  /**
   * @param {Record<string, string>} headers
   * @param {object} body
   */
  #post(headers, body) {
    return this.#send('POST', headers, body);
  }

  /**
   * @param {string} method
   * @param {Record<string, string>} headers
   * @param {object} [body]
   * @param {string} [until] leaves as soon as this has come
   * @returns {Promise<Answer>}
   */
  #send(method, headers, body, until) {
    return new Promise((resolve, reject) => {
      const all = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      };
      const outgoing = send(this.#url, { method, agent: this.#agent, headers: all }, (incoming) => {
        let text = '';
        const settle = () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk) => {
          text += chunk;
          if (until === undefined || !text.includes(until)) return;
          settle();
          outgoing.destroy();
        });
        incoming.on('end', settle);
        incoming.on('error', settle);
      });
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/**
 * @param {readonly Sample[]} samples
 * @param {ReadonlyMap<string, number>} failures
 * @param {string} summary
 */
function judge(samples, failures, summary) {
  // The first quarter warms up: code is compiled, caches fill.
  const settled = samples.slice(Math.ceil(samples.length / 4)).map(({ heap, external }) => heap + external);
  const third = Math.max(Math.floor(settled.length / 3), 1);
  const growth = median(settled.slice(-third)) - median(settled.slice(0, third));
  const left = Object.entries(samples.at(-1)?.open ?? {}).filter(([, count]) => count > 0);
  const problems = [
    ...[...failures].map(([reason, count]) => `${count} times: ${reason}`),
    ...left.map(([what, count]) => `${count} ${what} left`),
  ];
  if (settled.length < 3) problems.push('too few samples to judge; give it more time');
  if (growth > TOLERATED_BYTES) problems.push(`the memory grew by ${megabytes(growth)} MB`);
  console.log(`${summary}; ${megabytes(growth)} MB from the first samples after warming up to the last`);
  console.log(problems.length === 0 ? 'flat' : problems.join('\n'));
  return problems.length === 0 ? 0 : 1;
}

/**
 * One point of the curve, as text and as a bar around the first sample.
 *
 * @param {number} calls
 * @param {Sample} sample
 * @param {Sample | undefined} first
 */
function line(calls, sample, first) {
  const used = sample.heap + sample.external;
  const base = first === undefined ? used : first.heap + first.external;
  const bar = '#'.repeat(Math.min(Math.max(Math.round((used / base) * 30), 1), 90));
  return `${String(calls).padStart(8)} calls  ${megabytes(used).padStart(7)} MB  ${bar}`;
}

/**
 * @param {string} method
 * @param {object} params
 * @param {object} meta
 */
function statelessCall(method, params, meta) {
  const prefix = 'io.modelcontextprotocol/';
  const envelope = { [`${prefix}protocolVersion`]: STATELESS, [`${prefix}clientCapabilities`]: {} };
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return {
    headers: { 'mcp-protocol-version': STATELESS, 'mcp-method': method, ...name },
    body: request(1, method, { ...params, _meta: { ...envelope, ...meta } }),
  };
}

/**
 * @param {number} id
 * @param {string} method
 * @param {object} params
 */
function request(id, method, params) {
  return { jsonrpc: '2.0', id, method, params };
}

/**
 * @param {boolean} holds
 * @param {string} problem
 */
function expect(holds, problem) {
  if (!holds) throw new Error(problem);
}

/** @param {readonly number[]} values */
function median(values) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return (bytes / 1024 / 1024).toFixed(2);
}

if (process.argv[2] === '--serve') await serve();
else if (process.argv[2] === '--hostile') {
  const { soakHostile } = await import('./hostile/soak.mjs');
  const given = process.argv.indexOf('--minutes');
  process.exitCode = await soakHostile(given === -1 ? 10 : Number(process.argv[given + 1]));
} else process.exitCode = await soak(Number(process.argv[2] ?? 200_000), Number(process.argv[3] ?? 270));
