/** A contender's client in a process of its own: `client-host.mjs MODULE`. Here the client is what is measured. */
import { answerQuestions } from '../messenger.mjs';
import { profile, profileName } from '../profiling.mjs';
import { ECHO_ARGUMENTS, echo } from '../workload.mjs';
import { Latencies, sumUp } from './latencies.mjs';

/**
 * @typedef {object} BenchClient
 * @property {() => Promise<string | undefined>} call  the text that `echo` gave
 * @property {() => unknown} close
 */

/**
 * What a contender's client module exports.
 *
 * @typedef {object} ClientModule
 * @property {() => Promise<BenchClient>} connectMemory
 * @property {(command: string, args: string[]) => Promise<BenchClient>} connectStdio
 * @property {(url: string) => Promise<BenchClient>} connectHttp
 */

const EXPECTED = echo(ECHO_ARGUMENTS);
const CALLS_BETWEEN_LOOKS = 100;

/** @type {BenchClient | undefined} */
let client;
let transport = '';

/**
 * Calls until the time is over, each lane one at a time.
 *
 * @param {BenchClient} opened
 * @param {number} concurrency
 * @param {number} milliseconds
 */
export async function drive(opened, concurrency, milliseconds) {
  const latencies = new Latencies();
  const before = process.cpuUsage();
  const started = performance.now();
  const deadline = started + milliseconds;
  const lane = async () => {
    let sent = performance.now();
    while (sent < deadline) {
      const text = await opened.call();
      if (text !== EXPECTED) throw new Error(`echo gave ${text}`);
      const now = performance.now();
      latencies.add(now - sent);
      sent = now;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return sumUp(latencies, performance.now() - started, before);
}

const [module] = process.argv.slice(2);
if (process.send !== undefined && module !== undefined) {
  /** @type {Promise<ClientModule>} */
  const contender = import(new URL(module, import.meta.url).href);
  answerQuestions({
    profile: (/** @type {{ on: boolean }} */ { on }) => profile(profileName(module, transport), on),
    memory: async () => {
      transport = 'memory';
      client = await (await contender).connectMemory();
    },
    stdio: async (/** @type {{ command: string[] }} */ { command: [command = '', ...args] }) => {
      transport = 'stdio';
      client = await (await contender).connectStdio(command, args);
    },
    http: async (/** @type {{ url: string }} */ { url }) => {
      transport = 'http';
      client = await (await contender).connectHttp(url);
    },
    /** One call after the other, with nothing around them but a look at the clock now and then. */
    alone: async (/** @type {{ milliseconds: number }} */ { milliseconds }) => {
      if (client === undefined) throw new Error('No client is open');
      const before = process.cpuUsage();
      const started = performance.now();
      let calls = 0;
      while (performance.now() - started < milliseconds) {
        for (let call = 0; call < CALLS_BETWEEN_LOOKS; call += 1) {
          if ((await client.call()) !== EXPECTED) throw new Error('echo gave something else');
        }
        calls += CALLS_BETWEEN_LOOKS;
      }
      const wallMs = performance.now() - started;
      const { user, system } = process.cpuUsage(before);
      return { calls, wallMs, cpuUs: user + system };
    },
    run: (/** @type {{ concurrency: number, milliseconds: number }} */ { concurrency, milliseconds }) => {
      if (client === undefined) throw new Error('No client is open');
      return drive(client, concurrency, milliseconds);
    },
  });
}
