/** Whether calls get slower when there is more of something that they have nothing to do with. */
import { moduleOf } from '../contenders/index.mjs';
import { startModule } from '../processes.mjs';
import { orStop, runWith } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';
import { fillerNames } from '../workload.mjs';

const CONNECTIONS = 64;
/** Calls go to this many different tools, or to as many as there are. */
const CALLED_TOOLS = 64;
const POINTS = [1, 10, 100, 1000, 10_000];
const SHORT_POINTS = [1, 10_000];

/** A curve counts as flat when its last point is no more than this below its first. */
const FLAT = 0.8;

/** @param {number} count */
const isEnd = (count) => count === POINTS.at(0) || count === POINTS.at(-1);

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'growth',
  title: 'growth',
  about: `Calls/s over ${CONNECTIONS} connections with more and more sessions, and with more and more tools.`,
  curve: true,
  metrics: [
    { id: 'perSecond', title: 'calls/s', unit: '/s', digits: 0 },
    { id: 'cpuUs', title: 'CPU per call', unit: 'µs', digits: 1 },
  ],
  cases: ({ quick }) =>
    ['sessions', 'tools'].flatMap((kind) =>
      (quick ? SHORT_POINTS : POINTS).map((count) => ({
        id: `${kind}-${count}`,
        title: `${count.toLocaleString('en-US')} ${count === 1 ? kind.slice(0, -1) : kind}`,
        contenders: ['limit', 'plumb'],
        turns: quick ? 1 : 6,
        // The first and the last point are compared, and therefore measured more often, and next to each other.
        ...(isEnd(count) ? { rounds: 2, group: `${kind}, ends` } : { rounds: 1, group: `${kind}, between` }),
        targets:
          count === POINTS.at(-1)
            ? [
                {
                  metric: 'perSecond',
                  title: 'calls/s as a share of those with one',
                  against: { case: `${kind}-1` },
                  atLeast: FLAT,
                },
              ]
            : [],
      })),
    ),
  open: async (contender, { id }, { warmMs, windowMs }) => {
    const [kind, count] = [id.split('-')[0], Number(id.split('-')[1])];
    const tools = kind === 'tools' ? count : 0;
    const mode = kind === 'tools' ? 'stateless' : 'sessions';
    // Every point of the curve has the same limit.
    const limits = kind === 'sessions' ? { sessions: POINTS.at(-1) } : {};
    const serving = JSON.stringify({ mode, tools, ...limits });
    const server = startModule('measured', './host.mjs', [moduleOf(contender, 'http'), serving], {
      nodeOptions: ['--expose-gc'],
    });
    const load = startModule('load', './load/worker.mjs', []);
    const stop = () => Promise.all([load.stop(), server.stop()]);
    const usage = () => /** @type {Promise<{ cpuUs: number }>} */ (server.ask('usage'));
    const works = tools === 0 ? [echoWork()] : someOf(fillerNames(tools)).map((name) => echoWork(name));
    const run = runWith(load, works);
    return orStop(stop, async () => {
      const { url } = /** @type {{ url: string }} */ (await server.ask('ready'));
      const sessions = kind === 'sessions' ? count : CONNECTIONS;
      await load.ask('http', { url, mode, connections: CONNECTIONS, sessions, validates: false });
      // After a full collection, which many tools bring about at the start, Node takes 1 µs for each tick instead of
      // a tenth of it, with one tool as with many.
      await server.ask('heap');
      return {
        warmUp: { milliseconds: warmMs, run: (milliseconds) => run(CONNECTIONS, milliseconds) },
        turn: async () => {
          await run(CONNECTIONS, windowMs / 5);
          const before = await usage();
          // Long enough to come to every one of the sessions.
          const { perSecond, calls } = await run(CONNECTIONS, windowMs * 4);
          return { perSecond, cpuUs: ((await usage()).cpuUs - before.cpuUs) / calls };
        },
        close: stop,
      };
    });
  },
};

/** Spread evenly over the whole. @param {string[]} names */
function someOf(names) {
  const step = Math.max(names.length / CALLED_TOOLS, 1);
  return Array.from(
    { length: Math.min(CALLED_TOOLS, names.length) },
    (_, index) => names[Math.floor(index * step)],
  );
}
