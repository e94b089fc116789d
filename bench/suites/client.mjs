/** Clients, against answers that cost next to nothing: over memory, stdio and HTTP. */
import { fileURLToPath } from 'node:url';
import { clientsOver, moduleOf } from '../contenders/index.mjs';
import { pinned } from '../machine.mjs';
import { startModule } from '../processes.mjs';
import { fewIn, LOAD_METRICS, openLoad, orStop, profileOf } from '../suite.mjs';

const IN_FLIGHT = 64;
const RESPONDER = fileURLToPath(new URL('../load/stdio-responder.mjs', import.meta.url));
const HTTP_RESPONDER = new URL('../load/http-responder.mjs', import.meta.url).href;

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'client',
  title: 'client',
  about: `Calls of a client to a server with prepared answers: one at a time over memory, ${IN_FLIGHT} in flight elsewhere.`,
  metrics: [{ id: 'callUs', title: 'time per call', unit: 'µs', digits: 2 }, ...LOAD_METRICS],
  cases: (settings) => [
    {
      id: 'memory',
      title: 'client over memory, one call at a time',
      contenders: fewIn(settings, clientsOver('memory')),
      targets: [{ metric: 'callUs', title: 'µs per call', atMost: 3 }],
    },
    {
      id: 'stdio',
      title: `client over stdio, ${IN_FLIGHT} in flight`,
      contenders: fewIn(settings, clientsOver('stdio')),
      chart: 'perSecond',
      targets: [{ metric: 'perSecond', title: 'calls/s as a share of the limit', against: {}, atLeast: 0.8 }],
    },
    {
      id: 'http',
      title: `client over HTTP, ${IN_FLIGHT} in flight`,
      contenders: fewIn(settings, clientsOver('http')),
      chart: 'perSecond',
      targets: [{ metric: 'perSecond', title: 'calls/s as a share of the limit', against: {}, atLeast: 0.7 }],
    },
  ],
  open: async (contender, { id: transport }, settings) => {
    const client = startModule('measured', './load/client-host.mjs', [moduleOf(contender, 'client')]);
    const server = transport === 'http' ? startModule('load', './host.mjs', [HTTP_RESPONDER]) : undefined;
    const stop = () => Promise.all([client.stop(), server?.stop()]);
    return orStop(stop, async () => {
      const command = [...pinned('load'), process.execPath, RESPONDER];
      await client.ask(transport, { command, ...(await server?.ask('ready')) });
      const profile = profileOf(client);
      if (transport === 'memory') return openMemory(client, profile, stop, settings);
      const run = (/** @type {number} */ concurrency, /** @type {number} */ milliseconds) =>
        client.ask('run', { concurrency, milliseconds });
      return openLoad({ run, profile, stop }, IN_FLIGHT, settings);
    });
  },
};

/**
 * @param {ReturnType<typeof startModule>} client
 * @param {(on: boolean) => Promise<unknown>} profile
 * @param {() => Promise<unknown>} stop
 * @param {import('../suite.mjs').Settings} settings
 * @returns {Promise<import('../suite.mjs').Opened>}
 */
async function openMemory(client, profile, stop, { warmMs, windowMs }) {
  const run = (/** @type {number} */ milliseconds) =>
    /** @type {Promise<{ calls: number, wallMs: number, cpuUs: number }>} */ (
      client.ask('alone', { milliseconds })
    );
  return {
    warmUp: { milliseconds: warmMs, run },
    begin: () => profile(true),
    turn: async () => {
      const { calls, wallMs, cpuUs } = await run(windowMs);
      return { callUs: (wallMs / calls) * 1000, perSecond: (calls / wallMs) * 1000, cpuUs: cpuUs / calls };
    },
    close: async () => {
      await profile(false);
      await stop();
    },
  };
}
