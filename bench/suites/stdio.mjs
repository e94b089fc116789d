/** Servers over stdio: with 64 requests in flight, then with one. */
import { moduleOf, serversOverStdio } from '../contenders/index.mjs';
import { startModule } from '../processes.mjs';
import { fewIn, LOAD_METRICS, openLoad, orStop, profileOf, runWith } from '../suite.mjs';
import { echoWork } from '../wire/requests.mjs';

const IN_FLIGHT = 64;

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'stdio',
  title: 'stdio server',
  about: `Calls of the echo tool over pipes, ${IN_FLIGHT} in flight, then one at a time.`,
  metrics: LOAD_METRICS,
  cases: (settings) => [
    {
      id: 'pipelined',
      title: `stdio server, ${IN_FLIGHT} in flight`,
      contenders: fewIn(settings, serversOverStdio()),
      chart: 'perSecond',
      targets: [
        { metric: 'perSecond', title: 'calls/s as a share of the limit', against: {}, atLeast: 0.65 },
      ],
    },
  ],
  open: async (contender, _case, settings) => {
    const load = startModule('load', './load/worker.mjs', []);
    const stop = () => load.stop();
    return orStop(stop, async () => {
      const module = moduleOf(contender, 'stdio');
      await load.ask('stdio', { module, serving: {}, validates: contender !== 'limit' });
      const run = runWith(load, [echoWork()]);
      const usage = () => load.ask('usage');
      return openLoad({ run, usage, profile: profileOf(load), stop }, IN_FLIGHT, settings);
    });
  },
};
