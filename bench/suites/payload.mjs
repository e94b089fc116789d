/** Large results, and long lists. */
import { moduleOf, serversOverHttp, serversOverStdio } from '../contenders/index.mjs';
import { startModule } from '../processes.mjs';
import { fewIn, orStop, runWith } from '../suite.mjs';
import { blobWork, listWork } from '../wire/requests.mjs';

const CONNECTIONS = 4;
const TOOLS = 1000;
/** Every server has `echo` and `blob`. */
const OTHERS = 2;
const MB = 1024 * 1024;
/** What is told in a short run. */
const IN_QUICK = ['http-10mb', 'list'];

/** @type {Record<string, { transport: 'http' | 'stdio', work: import('../wire/requests.mjs').Work, tools: number, megabytes: number }>} */
const CASES = {
  'http-1mb': { transport: 'http', work: blobWork(MB), tools: 0, megabytes: 1 },
  'http-10mb': { transport: 'http', work: blobWork(10 * MB), tools: 0, megabytes: 10 },
  'stdio-10mb': { transport: 'stdio', work: blobWork(10 * MB), tools: 0, megabytes: 10 },
  list: { transport: 'http', work: listWork(TOOLS), tools: TOOLS - OTHERS, megabytes: 0 },
};

/** @param {import('../suite.mjs').Settings} settings */
const overHttp = (settings) =>
  fewIn(settings, serversOverHttp('sessions')).filter((id) => id !== 'mcp-lite-json');

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'payload',
  title: 'large payloads',
  about: `Results of 1 and 10 MB and a list of ${TOOLS} tools, over ${CONNECTIONS} connections with sessions or that many in flight. The limit sends the list as prepared bytes.`,
  metrics: [
    { id: 'perSecond', title: 'answers/s', unit: '/s', digits: 1 },
    { id: 'megabytesPerSecond', title: 'MB/s', unit: '/s', digits: 0 },
    { id: 'cpuMs', title: 'CPU per answer', unit: 'ms', digits: 2 },
    { id: 'p50Ms', title: 'p50', unit: 'ms', digits: 1 },
    { id: 'p99Ms', title: 'p99', unit: 'ms', digits: 1 },
  ],
  cases: (settings) =>
    [
      {
        id: 'http-1mb',
        title: 'result of 1 MB over HTTP',
        contenders: overHttp(settings),
        rounds: 1,
        turns: 4,
      },
      {
        id: 'http-10mb',
        title: 'result of 10 MB over HTTP',
        contenders: overHttp(settings),
        rounds: 1,
        turns: 4,
      },
      {
        id: 'stdio-10mb',
        title: 'result of 10 MB over stdio',
        contenders: fewIn(settings, serversOverStdio()),
        rounds: 1,
        turns: 4,
      },
      {
        id: 'list',
        title: `tools/list of ${TOOLS} tools over HTTP`,
        contenders: overHttp(settings),
        chart: 'perSecond',
        targets: [
          { metric: 'perSecond', title: 'lists/s as a share of prepared bytes', against: {}, atLeast: 0.7 },
        ],
      },
    ].filter(({ id }) => !settings.few || IN_QUICK.includes(id)),
  open: async (contender, { id }, { warmMs, windowMs }) => {
    const { transport, work, tools, megabytes } = /** @type {(typeof CASES)[string]} */ (CASES[id]);
    const serving = { mode: 'sessions', tools };
    const load = startModule('load', './load/worker.mjs', []);
    const server =
      transport === 'http'
        ? startModule('measured', './host.mjs', [moduleOf(contender, 'http'), JSON.stringify(serving)])
        : undefined;
    const stop = () => Promise.all([load.stop(), server?.stop()]);
    const usage = () => /** @type {Promise<{ cpuUs: number }>} */ ((server ?? load).ask('usage'));
    const run = runWith(load, [work]);
    return orStop(stop, async () => {
      if (server === undefined) {
        await load.ask('stdio', { module: moduleOf(contender, 'stdio'), serving, validates: false });
      } else {
        const { url } = /** @type {{ url: string }} */ (await server.ask('ready'));
        await load.ask('http', { url, mode: 'sessions', connections: CONNECTIONS, validates: false });
      }
      return {
        warmUp: { milliseconds: warmMs, run: (milliseconds) => run(CONNECTIONS, milliseconds) },
        turn: async () => {
          await run(CONNECTIONS, windowMs / 5);
          const before = await usage();
          const { perSecond, calls, p50Ms, p99Ms } = await run(CONNECTIONS, windowMs);
          const cpuMs = ((await usage()).cpuUs - before.cpuUs) / calls / 1000;
          const rate = megabytes === 0 ? {} : { megabytesPerSecond: perSecond * megabytes };
          return { perSecond, ...rate, cpuMs, p50Ms, p99Ms };
        },
        close: stop,
      };
    });
  },
};
