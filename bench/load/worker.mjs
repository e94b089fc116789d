/** The load in a process of its own. It is asked to open connections to a server, or a server itself, and to use them. */
import { processUsage } from '../machine.mjs';
import { answerQuestions } from '../messenger.mjs';
import { start, startModule } from '../processes.mjs';
import { signalProfile } from '../profiling.mjs';
import { HttpLoad } from './http-load.mjs';
import { Listeners } from './listeners.mjs';
import { StdioLoad } from './stdio-load.mjs';

/** @type {HttpLoad | StdioLoad | undefined} */
let load;
/** @type {ReturnType<typeof startModule> | undefined} */
let server;
/** @type {import('node:child_process').ChildProcess | undefined} */
let child;
const listeners = new Listeners();

/**
 * @param {boolean} validates
 * @param {string} [version]
 */
async function openStdio(validates, version) {
  if (!child?.stdin || !child.stdout) throw new Error('No pipes');
  const stdio = new StdioLoad(child.stdin, child.stdout);
  await stdio.open(version);
  if (validates) await stdio.checkValidation();
  load = stdio;
}

answerQuestions({
  http: async (/** @type {import('./http-load.mjs').HttpTarget & { validates: boolean }} */ target) => {
    // Connections of an earlier target would weigh on the server.
    if (load instanceof HttpLoad) load.close();
    const http = new HttpLoad(target);
    await http.open();
    if (target.validates) await http.checkValidation();
    load = http;
  },
  /** Starts a contender, on its own core unless told otherwise, with its streams here. */
  stdio: async (
    /** @type {{ module: string, serving: import('../workload.mjs').Serving, validates: boolean, nodeOptions?: string[], role?: import('../machine.mjs').Role }} */
    { module, serving, validates, nodeOptions = [], role = 'measured' },
  ) => {
    server = startModule(role, './host.mjs', [module, JSON.stringify(serving)], {
      stdio: ['pipe', 'pipe'],
      ownGroup: false,
      nodeOptions,
    });
    child = server.child;
    await openStdio(validates);
  },
  /** The same with any program. */
  command: async (/** @type {{ command: string[], version: string }} */ { command, version }) => {
    child = start('measured', command, { stdio: ['pipe', 'pipe', 'pipe'], ownGroup: false }).child;
    await openStdio(false, version);
  },
  listen: (/** @type {{ url: string, count: number }} */ { url, count }) => listeners.open(url, count),
  hear: () => listeners.hearAll(),
  ping: () => undefined,
  profile: (/** @type {{ on: boolean }} */ { on }) =>
    server?.ask('profile', { on }) ?? signalProfile(child?.pid),
  usage: () => server?.ask('usage') ?? processUsage(child?.pid),
  heap: () => server?.ask('heap'),
  run: (/** @type {import('./http-load.mjs').Running} */ running) => {
    if (load === undefined) throw new Error('Nothing is open');
    return load.run(running);
  },
});
