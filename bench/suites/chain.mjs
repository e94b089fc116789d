/** Programs between client and server: what they add to a call, and how many calls pass them. */

import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/cluster/free-port.mjs';
import { moduleOf } from '../contenders/index.mjs';
import { PROXIES, proxiesOf } from '../contenders/proxies.mjs';
import { listening } from '../listening.mjs';
import { pinned, processUsage } from '../machine.mjs';
import { start, startModule } from '../processes.mjs';
import { profiled, signalProfile } from '../profiling.mjs';
import { fewIn, orStop, profileOf, runWith } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';
import { PROXIED_VERSION } from '../workload.mjs';

/** @typedef {import('../suite.mjs').Settings} Settings */
/** @typedef {ReturnType<typeof startModule>} Module */

const CONCURRENCY = 8;
/** Where the server is, with a proxy as without one: what is added must be the proxy, and nothing else must change. */
const SERVER_ROLE = 'load';
const SERVER = fileURLToPath(new URL('../load/stdio-server.mjs', import.meta.url));
const works = [echoWork()];
const version = PROXIED_VERSION;

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
    `The same bare server behind each, reached over ${CONCURRENCY} connections that share a session, or with that many in ` +
    'flight. Added is what a call takes longer than without a proxy, with as many at a time, and alone.',
  metrics: [
    { id: 'perSecond', title: 'calls/s', unit: '/s', digits: 0 },
    { id: 'cpuUs', title: 'CPU per call', unit: 'µs', digits: 1 },
    { id: 'p50Ms', title: 'p50', unit: 'ms', digits: 2 },
    { id: 'p99Ms', title: 'p99', unit: 'ms', digits: 2 },
    { id: 'added50Ms', title: 'added p50', unit: 'ms', digits: 2 },
    { id: 'added99Ms', title: 'added p99', unit: 'ms', digits: 2 },
    { id: 'addedAlone50Ms', title: 'added p50 alone', unit: 'ms', digits: 3 },
    { id: 'addedAlone99Ms', title: 'added p99 alone', unit: 'ms', digits: 3 },
  ],
  cases: (settings) => [
    {
      id: 'http-to-stdio',
      // Three programs on two cores: its turns differ more than those of others.
      turns: settings.quick ? settings.turns : settings.turns * 2,
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
  open: (contender, { id }, settings) =>
    id === 'http-to-stdio' ? openHttpToStdio(contender, settings) : openStdioToHttp(contender, settings),
};

/**
 * @param {string} contender
 * @param {Settings} settings
 */
async function openHttpToStdio(contender, settings) {
  const { httpToStdio, stateless = false } = PROXIES[contender] ?? {};
  const port = await freePort();
  const server = [...pinned(SERVER_ROLE), process.execPath, SERVER];
  const command = httpToStdio?.(port, server) ?? [];
  const proxy = start('measured', profiled(command, `${contender}-http-to-stdio`));
  proxy.child.stdout?.resume();
  const load = startModule('load', './load/worker.mjs', []);
  const direct = startModule('load', './load/worker.mjs', []);
  const stop = () => Promise.all([load.stop(), direct.stop(), proxy.stop()]);
  return orStop(stop, async () => {
    await listening(port, proxy);
    const mode = stateless ? 'stateless' : 'sessions';
    const url = `http://127.0.0.1:${port}/mcp`;
    await load.ask('http', { url, mode, version, connections: CONCURRENCY, sessions: 1, validates: false });
    const module = moduleOf('limit', 'stdio');
    await direct.ask('stdio', { module, serving: {}, validates: false, role: SERVER_ROLE });
    const { pid } = proxy.child;
    const usage = async () => processUsage(pid);
    return openProxy({ load, direct, usage, profile: () => signalProfile(pid), stop }, settings);
  });
}

/**
 * @param {string} contender
 * @param {Settings} settings
 */
async function openStdioToHttp(contender, settings) {
  const behind = startServer();
  const alone = startServer();
  const load = startModule('load', './load/worker.mjs', []);
  const direct = startModule('load', './load/worker.mjs', []);
  const stop = () => Promise.all([load, direct, behind, alone].map((module) => module.stop()));
  return orStop(stop, async () => {
    const { url } = await behind.ask('ready');
    const command = PROXIES[contender]?.stdioToHttp?.(url) ?? [];
    await load.ask('command', { command: profiled(command, `${contender}-stdio-to-http`), version });
    const { url: other } = await alone.ask('ready');
    await direct.ask('http', {
      url: other,
      mode: 'stateless',
      connections: CONCURRENCY,
      validates: false,
    });
    const usage = () => load.ask('usage');
    return openProxy({ load, direct, usage, profile: profileOf(load), stop }, settings);
  });
}

function startServer() {
  return startModule(SERVER_ROLE, './host.mjs', [moduleOf('limit', 'http'), '{"mode":"sessions"}']);
}

/**
 * A turn: many at a time and one alone, first without the proxy and then through it.
 *
 * @param {object} under
 * @param {Module} under.load  through the proxy
 * @param {Module} under.direct
 * @param {() => Promise<{ cpuUs: number } | undefined>} under.usage
 * @param {(on: boolean) => Promise<unknown>} under.profile
 * @param {() => Promise<unknown>} under.stop
 * @param {Settings} settings
 * @returns {Promise<import('../suite.mjs').Opened>}
 */
async function openProxy({ load, direct, usage, profile, stop }, { warmMs, windowMs }) {
  const [run, runDirect] = [runWith(load, works), runWith(direct, works)];
  const warmUp = {
    // Two programs have to get going, each of which waits for the other.
    milliseconds: warmMs * 2,
    run: async (/** @type {number} */ milliseconds) => {
      await runDirect(CONCURRENCY, milliseconds / 4);
      await run(CONCURRENCY, milliseconds);
    },
  };
  const turn = async () => {
    await runDirect(CONCURRENCY, windowMs / 5);
    const manyDirect = await runDirect(CONCURRENCY, windowMs);
    const oneDirect = await runDirect(1, windowMs);
    await run(CONCURRENCY, windowMs / 5);
    const before = await usage();
    const many = await run(CONCURRENCY, windowMs);
    const after = await usage();
    const one = await run(1, windowMs);
    const cpu =
      before === undefined || after === undefined ? {} : { cpuUs: (after.cpuUs - before.cpuUs) / many.calls };
    return {
      perSecond: many.perSecond,
      ...cpu,
      p50Ms: many.p50Ms,
      p99Ms: many.p99Ms,
      added50Ms: many.p50Ms - manyDirect.p50Ms,
      added99Ms: many.p99Ms - manyDirect.p99Ms,
      addedAlone50Ms: one.p50Ms - oneDirect.p50Ms,
      addedAlone99Ms: one.p99Ms - oneDirect.p99Ms,
    };
  };
  const close = async () => {
    await profile(false);
    await stop();
  };
  return { warmUp, begin: () => profile(true), turn, close };
}
