/** What sharing costs: the same server with its sessions in memory and on Redis. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/cluster/free-port.mjs';
import { moduleOf } from '../contenders/index.mjs';
import { listening } from '../listening.mjs';
import { start, startModule } from '../processes.mjs';
import { LOAD_METRICS, openLoad, orStop, profileOf, runWith } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';

const CONNECTIONS = 64;
const hasRedis = () => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'store',
  title: 'shared store',
  about:
    `Calls over ${CONNECTIONS} connections, each with a session, which is kept in memory or on a Redis of this machine ` +
    'that writes to disk every second. A call that reports progress has each of its events written to the store before it is sent. Left out where there is no redis-server.',
  metrics: LOAD_METRICS,
  cases: () =>
    !hasRedis()
      ? []
      : [
          { id: 'plain', title: 'calls, by store', contenders: ['plumb', 'plumb-redis'], rounds: 1 },
          {
            id: 'progress',
            title: 'calls with progress, by store',
            contenders: ['plumb', 'plumb-redis'],
            rounds: 1,
          },
        ],
  open: async (contender, { id }, settings) => {
    const redis = contender === 'plumb-redis' ? await startRedis() : undefined;
    const serving = { progress: id === 'progress', redis: redis?.url };
    const module = moduleOf(contender, 'store');
    const server = startModule('measured', './host.mjs', [module, JSON.stringify(serving)]);
    const load = startModule('load', './load/worker.mjs', []);
    const stop = async () => {
      await Promise.all([load.stop(), server.stop()]);
      await redis?.stop();
    };
    return orStop(stop, async () => {
      const { url } = /** @type {{ url: string }} */ (await server.ask('ready'));
      await load.ask('http', { url, mode: 'sessions', connections: CONNECTIONS, validates: true });
      const { method, params } = echoWork();
      const work = { method, params: { ...params, _meta: { progressToken: 1 } } };
      const run = runWith(load, [work]);
      const usage = () => /** @type {Promise<{ cpuUs: number }>} */ (server.ask('usage'));
      return openLoad({ run, usage, profile: profileOf(server), stop }, CONNECTIONS, settings);
    });
  },
};

async function startRedis() {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'plumb-bench-redis-'));
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
  const redis = start('load', ['redis-server', ...where, ...durable]);
  redis.child.stdout?.resume();
  const stop = async () => {
    await redis.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await listening(port, redis);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, stop };
}
