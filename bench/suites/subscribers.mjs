/** One change, told to everyone who listens. */
import { moduleOf } from '../contenders/index.mjs';
import { startModule } from '../processes.mjs';
import { eachTime, fewIn } from '../suite.mjs';

const CHANGES = 3;
const COUNTS = [1000, 10_000];
const CONTENDERS = ['limit', 'plumb', 'sdk-v2'];
const OPEN_MS = 120_000;

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'subscribers',
  title: 'many subscribers',
  about: `A change of the tool list, sent to listening clients of 2026-07-28: from the change until the last client has received it, median of ${CHANGES} changes.`,
  metrics: [
    { id: 'allMs', title: 'until all know', unit: 'ms', digits: 1 },
    { id: 'eachUs', title: 'time per listener', unit: 'µs', digits: 1 },
    { id: 'cpuUs', title: 'CPU per listener', unit: 'µs', digits: 1 },
    { id: 'streamKb', title: 'heap per listener', unit: 'KB', digits: 1 },
  ],
  cases: (settings) =>
    COUNTS.slice(0, settings.quick ? 1 : undefined).map((count, index) => ({
      id: `listen-${count}`,
      title: `one change to ${count.toLocaleString('en-US')} listeners`,
      contenders: fewIn(settings, CONTENDERS, []),
      rounds: 1,
      turns: 1,
      targets:
        index === 0
          ? []
          : [
              {
                metric: 'eachUs',
                title: `time per listener as a multiple of that with ${COUNTS[0]?.toLocaleString('en-US')}`,
                against: { case: `listen-${COUNTS[0]}` },
                atMost: 1.5,
              },
            ],
    })),
  open: (contender, { id }) =>
    eachTime(async () => {
      const count = Number(id.split('-')[1]);
      const server = startModule('measured', './host.mjs', [moduleOf(contender, 'listen')], {
        nodeOptions: ['--expose-gc'],
      });
      const load = startModule('load', './load/worker.mjs', []);
      try {
        const { url } = /** @type {{ url: string }} */ (await server.ask('ready'));
        const heap = async () => {
          const { heapUsed, external } = /** @type {{ heapUsed: number, external: number }} */ (
            await server.ask('heap')
          );
          return heapUsed + external;
        };
        const before = await heap();
        await load.ask('listen', { url, count }, OPEN_MS);
        const streamKb = ((await heap()) - before) / count / 1024;
        /** @type {{ allMs: number, cpuUs: number }[]} */
        const told = [];
        for (let change = 0; change < CHANGES; change += 1) told.push(await tell(server, load));
        const { allMs, cpuUs } = /** @type {(typeof told)[number]} */ (
          told.sort((left, right) => left.allMs - right.allMs)[Math.floor(CHANGES / 2)]
        );
        return { allMs, eachUs: (allMs * 1000) / count, cpuUs: cpuUs / count, streamKb };
      } finally {
        await Promise.all([load.stop(), server.stop()]);
      }
    }),
};

/**
 * @param {ReturnType<typeof startModule>} server
 * @param {ReturnType<typeof startModule>} load
 */
async function tell(server, load) {
  const usage = () => /** @type {Promise<{ cpuUs: number }>} */ (server.ask('usage'));
  const before = await usage();
  const heard = /** @type {Promise<{ atMs: number }>} */ (load.ask('hear'));
  // Whoever fails first is told.
  heard.catch(() => {});
  // An answer means that the load waits by now: it reads its questions in order.
  await load.ask('ping');
  const changedAt = performance.timeOrigin + performance.now();
  await server.ask('act', { name: 'change' });
  const { atMs } = await heard;
  return { allMs: atMs - changedAt, cpuUs: (await usage()).cpuUs - before.cpuUs };
}
