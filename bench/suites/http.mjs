/** Servers over HTTP: calls/s with 64 connections, latency with one. */
import { contender as find, moduleOf, serversOverHttp } from '../contenders/index.mjs';
import { startModule } from '../processes.mjs';
import { fewIn, LOAD_METRICS, openLoad, orStop, profileOf, runWith } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';

/** @typedef {import('../workload.mjs').Mode} Mode */

const CONNECTIONS = 64;

/** @type {{ mode: Mode, title: string, atLeast: number }[]} */
const MODES = [
  { mode: 'stateless', title: 'HTTP server, stateless, handshake era', atLeast: 0.8 },
  { mode: 'sessions', title: 'HTTP server, with sessions', atLeast: 0.8 },
  { mode: 'modern', title: 'HTTP server, 2026-07-28', atLeast: 0.75 },
];

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'http',
  title: 'HTTP server',
  about: `Calls of the echo tool over ${CONNECTIONS} connections that are kept alive, then over one alone.`,
  metrics: LOAD_METRICS,
  cases: (settings) =>
    MODES.map(({ mode, title, atLeast }) => ({
      id: mode,
      title,
      // Close to their targets: more turns, so that what the machine does in one of them matters less.
      turns: settings.quick ? settings.turns : settings.turns * 2,
      contenders: fewIn(settings, serversOverHttp(mode), ['sdk-v2', 'mcp-lite']),
      chart: 'perSecond',
      targets: [{ metric: 'perSecond', title: 'calls/s as a share of the limit', against: {}, atLeast }],
    })),
  open: async (contender, { id: mode }, settings) => {
    const serving = JSON.stringify({ mode });
    const server = startModule('measured', './host.mjs', [moduleOf(contender, 'http'), serving]);
    const load = startModule('load', './load/worker.mjs', []);
    const stop = () => Promise.all([load.stop(), server.stop()]);
    return orStop(stop, async () => {
      const { url } = await server.ask('ready');
      const { accept } = find(contender);
      const validates = contender !== 'limit';
      await load.ask('http', { url, mode, accept, connections: CONNECTIONS, validates });
      const run = runWith(load, [echoWork()]);
      const usage = () => server.ask('usage');
      return openLoad({ run, usage, profile: profileOf(server), stop }, CONNECTIONS, settings);
    });
  },
};
