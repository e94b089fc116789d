/**
 * A contender's server in a process of its own: `host.mjs MODULE JSON`. Tells its address, what it has used, and what
 * its memory holds; MODULE exports `serve(serving)`.
 */
import { answerQuestions } from './messenger.mjs';
import { profile, profileName } from './profiling.mjs';

const [module = '', serving = '{}'] = process.argv.slice(2);

/** @typedef {{ url?: string, actions?: Record<string, (data: never) => unknown> }} Served */

/** @type {Promise<Served | undefined>} */
const served = import(new URL(module, import.meta.url).href).then(({ serve }) => serve(JSON.parse(serving)));
served.catch((error) => {
  console.error(error);
  process.exit(1);
});

answerQuestions({
  ready: async () => ({ url: (await served)?.url }),
  profile: (/** @type {{ on: boolean }} */ { on }) =>
    profile(profileName(module, JSON.parse(serving).mode), on),
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { cpuUs: user + system };
  },
  /** Bytes that are still reachable. */
  heap: async () => {
    if (globalThis.gc === undefined) throw new Error('Started without --expose-gc');
    for (let round = 0; round < 4; round += 1) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heapUsed, external, rss };
  },
  act: async (/** @type {{ name: string, data: never }} */ { name, data }) => {
    const action = (await served)?.actions?.[name];
    if (action === undefined) throw new Error(`${module} has no action ${name}`);
    return action(data);
  },
});
