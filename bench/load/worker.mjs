/** The load in a process of its own. It is asked to open connections to a server, or a server itself, and to use them. */
import { answerQuestions } from '../messenger.mjs';
import { startModule } from '../processes.mjs';
import { HttpLoad } from './http-load.mjs';
import { StdioLoad } from './stdio-load.mjs';

/** @typedef {import('../wire/requests.mjs').Work} Work */

/** @type {HttpLoad | StdioLoad | undefined} */
let load;
/** @type {ReturnType<typeof startModule> | undefined} */
let server;

answerQuestions({
  http: async (
    /** @type {{ url: string, mode: import('../workload.mjs').Mode, connections: number, validates: boolean }} */
    { url, mode, connections, validates },
  ) => {
    const http = new HttpLoad(url, mode);
    await http.open(connections);
    if (validates) await http.checkValidation();
    load = http;
  },
  /** Starts a contender on its own core, with its streams here. */
  stdio: async (
    /** @type {{ module: string, serving: import('../workload.mjs').Serving, validates: boolean, nodeOptions?: string[] }} */
    { module, serving, validates, nodeOptions = [] },
  ) => {
    server = startModule('measured', './host.mjs', [module, JSON.stringify(serving)], {
      stdio: ['pipe', 'pipe'],
      ownGroup: false,
      nodeOptions,
    });
    const { stdin, stdout } = server.child;
    if (stdin === null || stdout === null) throw new Error('No pipes');
    const stdio = new StdioLoad(stdin, stdout);
    await stdio.open();
    if (validates) await stdio.checkValidation();
    load = stdio;
  },
  end: () => server?.stop(),
  usage: () => server?.ask('usage'),
  heap: () => server?.ask('heap'),
  run: (
    /** @type {{ work: Work, concurrency: number, milliseconds: number, most?: number }} */
    { work, concurrency, milliseconds, most },
  ) => {
    if (load === undefined) throw new Error('Nothing is open');
    return load.run(work, concurrency, milliseconds, most);
  },
});
