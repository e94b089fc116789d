/** What stays in memory: for each session that does nothing, and after many calls. */
import { moduleOf, serversOverHttp } from '../contenders/index.mjs';
import { startModule } from '../processes.mjs';
import { eachTime, fewIn } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';

/** @typedef {{ heapUsed: number, external: number, rss: number }} Heap */
/** @typedef {ReturnType<typeof startModule>} Module */

const CONNECTIONS = 64;
const CALLS = 200_000;
/** FastMCP takes a second for each session. @type {Record<string, number>} */
const FEWER_SESSIONS = { fastmcp: 256 };
/** How long the calls may take: peers make as many as fit in, Plumb makes them all. */
const PEER_MS = 4000;
const OWN_MS = 30_000;
const KB = 1024;
const MB = KB * KB;

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'memory',
  title: 'memory',
  about:
    'Heap after garbage collection: with sessions that were opened and are idle, and before and after ' +
    `${CALLS.toLocaleString('en-US')} calls; peers make as many of them as fit into ${PEER_MS / 1000} seconds.`,
  metrics: [
    { id: 'sessionKb', title: 'heap per session', unit: 'KB', digits: 2 },
    { id: 'beforeMb', title: 'heap before', unit: 'MB', digits: 1 },
    { id: 'afterMb', title: 'heap after', unit: 'MB', digits: 1 },
    { id: 'grownMb', title: 'grown', unit: 'MB', digits: 2 },
    { id: 'calls', title: 'calls', unit: '', digits: 0 },
  ],
  cases: (settings) => [
    {
      id: 'sessions',
      title: 'idle sessions',
      contenders: fewIn(settings, serversOverHttp('sessions')).filter((id) => id !== 'mcp-lite-json'),
      rounds: 1,
      turns: 1,
      alone: true,
      targets: [{ metric: 'sessionKb', title: 'KB of heap', atMost: 2 }],
    },
    {
      id: 'calls',
      title: `after ${CALLS.toLocaleString('en-US')} calls`,
      contenders: fewIn(settings, serversOverHttp('sessions')).filter((id) => id !== 'mcp-lite-json'),
      rounds: 1,
      turns: 1,
      alone: true,
      targets: [{ metric: 'grownMb', title: 'MB that the heap grew', atMost: 1 }],
    },
  ],
  open: (contender, { id }, { quick }) =>
    eachTime(async () => {
      const options = [moduleOf(contender, 'http'), '{"mode":"sessions"}'];
      const server = startModule('measured', './host.mjs', options, { nodeOptions: ['--expose-gc'] });
      const load = startModule('load', './load/worker.mjs', []);
      try {
        const { url } = /** @type {{ url: string }} */ (await server.ask('ready'));
        const open = (/** @type {number} */ sessions) =>
          load.ask('http', { url, mode: 'sessions', connections: CONNECTIONS, sessions, validates: false });
        if (id === 'sessions') {
          return await idleSessions(server, open, FEWER_SESSIONS[contender] ?? (quick ? 512 : 2048));
        }
        await open(CONNECTIONS);
        const milliseconds = contender === 'limit' || contender === 'plumb' ? OWN_MS : PEER_MS;
        return await manyCalls(server, load, milliseconds, quick ? 0.1 : 1);
      } finally {
        await Promise.all([load.stop(), server.stop()]);
      }
    }),
};

/**
 * @param {Module} server
 * @param {(sessions: number) => Promise<unknown>} open
 * @param {number} count
 */
async function idleSessions(server, open, count) {
  // The first ones bring code and caches with them.
  await open(CONNECTIONS);
  const before = await heap(server);
  await open(count);
  return { sessionKb: ((await heap(server)) - before) / count / KB };
}

/**
 * @param {Module} server
 * @param {Module} load
 * @param {number} patienceMs
 * @param {number} scale
 */
async function manyCalls(server, load, patienceMs, scale) {
  const run = (/** @type {number} */ most, /** @type {number} */ milliseconds) =>
    load.ask('run', { works: [echoWork()], concurrency: CONNECTIONS, milliseconds, most });
  await run((CALLS * scale) / 10, (patienceMs * scale) / 4);
  const before = await heap(server);
  const { calls } = /** @type {{ calls: number }} */ (await run(CALLS * scale, patienceMs * scale));
  const after = await heap(server);
  return { beforeMb: before / MB, afterMb: after / MB, grownMb: (after - before) / MB, calls };
}

/** @param {Module} server */
async function heap(server) {
  const { heapUsed, external } = /** @type {Heap} */ (await server.ask('heap'));
  return heapUsed + external;
}
