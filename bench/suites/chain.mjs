/** Programs between client and server: what they add to a call, and how many calls pass them. */

import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/cluster/free-port.mjs';
import { moduleOf } from '../contenders/index.mjs';
import { PROXIES, proxiesOf } from '../contenders/proxies.mjs';
import { listening } from '../listening.mjs';
import { pinned, processUsage } from '../machine.mjs';
import { start, startModule } from '../processes.mjs';
import { fewIn } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';

/** @typedef {import('../suite.mjs').LoadResult} LoadResult */
/** @typedef {import('../suite.mjs').Settings} Settings */
/** @typedef {ReturnType<typeof startModule>} Module */

const CONCURRENCY = 8;
/** Slow enough for every contender to keep up: what is measured is the way, not a queue of our making. */
const EVERY_MS = 20;
const SERVER = fileURLToPath(new URL('../load/stdio-server.mjs', import.meta.url));
const works = [echoWork()];

/**
 * @param {string} against
 * @returns {import('../suite.mjs').Target[]}
 */
const latencyTargets = (against) => [
  { metric: 'added50Ms', title: `added to ${against}, p50 in ms`, atMost: 0.3 },
  { metric: 'added99Ms', title: `added to ${against}, p99 in ms`, atMost: 1 },
];

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'chain',
  title: 'chain and proxies',
  about:
    `The same bare server behind each, reached over ${CONCURRENCY} connections that share a session: at full speed, ` +
    `and at a pace of ${1000 / EVERY_MS} calls/s each, from which the latency of the server without a proxy is taken off.`,
  metrics: [
    { id: 'perSecond', title: 'calls/s', unit: '/s', digits: 0 },
    { id: 'cpuUs', title: 'CPU per call', unit: 'µs', digits: 1 },
    { id: 'p50Ms', title: 'p50', unit: 'ms', digits: 2 },
    { id: 'p99Ms', title: 'p99', unit: 'ms', digits: 2 },
    { id: 'added50Ms', title: 'added p50', unit: 'ms', digits: 2 },
    { id: 'added99Ms', title: 'added p99', unit: 'ms', digits: 2 },
  ],
  cases: (settings) => [
    {
      id: 'http-to-stdio',
      title: `HTTP in front of a stdio server, ${CONCURRENCY} connections`,
      contenders: fewIn(settings, proxiesOf('httpToStdio'), ['mcp-proxy']),
      chart: 'perSecond',
      targets: [
        { metric: 'perSecond', title: 'calls/s as a share of the limit', against: {}, atLeast: 0.6 },
        ...latencyTargets('stdio'),
      ],
    },
    {
      id: 'stdio-to-http',
      title: `stdio in front of an HTTP server, ${CONCURRENCY} in flight`,
      contenders: fewIn(settings, proxiesOf('stdioToHttp'), ['mcp-remote']),
      chart: 'perSecond',
      targets: [
        { metric: 'perSecond', title: 'calls/s as a share of the limit', against: {}, atLeast: 0.7 },
        ...latencyTargets('HTTP'),
      ],
    },
  ],
  measure: (contender, { id }, settings) =>
    id === 'http-to-stdio' ? throughHttp(contender, settings) : throughStdio(contender, settings),
};

/**
 * @param {string} contender
 * @param {Settings} settings
 */
async function throughHttp(contender, settings) {
  const { httpToStdio, stateless = false } = PROXIES[contender] ?? {};
  const direct = await pacedAlone(
    (load) => load.ask('stdio', { module: moduleOf('limit', 'stdio'), serving: {}, validates: false }),
    settings,
  );
  const port = await freePort();
  const server = [...pinned('load'), process.execPath, SERVER];
  const proxy = start('measured', httpToStdio?.(port, server) ?? []);
  proxy.child.stdout?.resume();
  const load = startModule('load', './load/worker.mjs', []);
  try {
    await listening(port, proxy);
    const mode = stateless ? 'stateless' : 'sessions';
    const url = `http://127.0.0.1:${port}/mcp`;
    await load.ask('http', { url, mode, connections: CONCURRENCY, sessions: 1, validates: false });
    return await measureProxy(load, async () => processUsage(proxy.child.pid), direct, settings);
  } finally {
    await Promise.all([load.stop(), proxy.stop()]);
  }
}

/**
 * @param {string} contender
 * @param {Settings} settings
 */
async function throughStdio(contender, settings) {
  const direct = await withServer('measured', (url) => {
    const http = { url, mode: 'stateless', connections: CONCURRENCY, validates: false };
    return pacedAlone((load) => load.ask('http', http), settings);
  });
  // Behind the proxy, the server stays out of its way.
  return withServer('load', async (url) => {
    const load = startModule('load', './load/worker.mjs', []);
    try {
      await load.ask('command', { command: PROXIES[contender]?.stdioToHttp?.(url) });
      return await measureProxy(load, () => load.ask('usage'), direct, settings);
    } finally {
      await load.stop();
    }
  });
}

/**
 * @template T
 * @param {import('../machine.mjs').Role} role
 * @param {(url: string) => Promise<T>} use
 */
async function withServer(role, use) {
  const server = startModule(role, './host.mjs', [moduleOf('limit', 'http'), '{"mode":"sessions"}']);
  try {
    const { url } = /** @type {{ url: string }} */ (await server.ask('ready'));
    return await use(url);
  } finally {
    await server.stop();
  }
}

/**
 * The server by itself, at the pace at which it is then asked through a proxy.
 *
 * @param {(load: Module) => Promise<unknown>} open
 * @param {Settings} settings
 */
async function pacedAlone(open, settings) {
  const load = startModule('load', './load/worker.mjs', []);
  try {
    await open(load);
    await load.ask('run', { works, concurrency: CONCURRENCY, milliseconds: settings.warmMs / 2, most: 5000 });
    return await paced(load, settings.windowMs / 2);
  } finally {
    await load.stop();
  }
}

/**
 * @param {Module} load
 * @param {number} milliseconds
 * @returns {Promise<LoadResult>}
 */
function paced(load, milliseconds) {
  return load.ask('run', { works, concurrency: CONCURRENCY, milliseconds, everyMs: EVERY_MS });
}

/**
 * @param {Module} load
 * @param {() => Promise<{ cpuUs: number } | undefined>} usage
 * @param {LoadResult} direct
 * @param {Settings} settings
 */
async function measureProxy(load, usage, direct, settings) {
  const { warmMs, warmCalls, windowMs } = settings;
  const concurrency = CONCURRENCY;
  await load.ask('run', { works, concurrency, milliseconds: warmMs, most: warmCalls });
  const before = await usage();
  /** @type {LoadResult} */
  const full = await load.ask('run', { works, concurrency, milliseconds: windowMs });
  const after = await usage();
  const { p50Ms, p99Ms } = await paced(load, windowMs);
  const cpu =
    before === undefined || after === undefined ? {} : { cpuUs: (after.cpuUs - before.cpuUs) / full.calls };
  return {
    perSecond: full.perSecond,
    ...cpu,
    p50Ms: full.p50Ms,
    p99Ms: full.p99Ms,
    added50Ms: p50Ms - direct.p50Ms,
    added99Ms: p99Ms - direct.p99Ms,
  };
}
