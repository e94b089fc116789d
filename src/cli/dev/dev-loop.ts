/**
 * One server that is being written: started again behind its chain when its sources change, while clients stay
 * connected. Calls that run on the old process may finish there; new ones wait for the new process. Whatever belongs to
 * an earlier generation when the next one begins is dropped.
 */

import type { Chain } from '../../chain/index.js';
import { readSurface, type Surface } from '../../chain/lock/surface.js';
import type { Destinations } from '../../chain/targets.js';
import { ServerUnavailableError } from '../../chain/unavailable.js';
import { messageOf } from '../../client/errors.js';
import { type Client, connect } from '../../client/index.js';
import type { StdioTarget } from '../../client/target.js';
import type { Middleware } from '../../middleware/compose.js';
import { ProtocolError } from '../../protocol/errors.js';
import { compareSurfaces, type SurfaceChange } from '../../testing/contract/surface-change.js';
import { type LintFinding, lintTools } from '../../testing/lint/lint.js';

/** The name under which the loop looks at its own chain. */
export const DEV_CLIENT = 'plumb-dev';

export type DevEvent =
  | { readonly type: 'restarting'; readonly paths: readonly string[] }
  | {
      readonly type: 'ready';
      readonly afterMs: number;
      readonly surface: Surface;
      /** Undefined for the first start. */
      readonly changes: readonly SurfaceChange[] | undefined;
      readonly findings: readonly LintFinding[];
    }
  | { readonly type: 'failed'; readonly message: string; readonly stderr: string };

export interface DevLoopOptions {
  readonly target: StdioTarget;
  /** From the server to what stands behind the chain: recorded by an inspector, for instance. */
  readonly prepare: (servers: Destinations) => Destinations;
  readonly initTimeout: number;
  readonly report: (event: DevEvent) => void;
  /** Lines of a server that runs; what one writes that does not start is in its `failed` event. */
  readonly stderr: (line: string) => void;
  /** What clients get while the server does not start. */
  readonly describe: (stderr: string) => string;
}

const SERVER = 'server';
/** What is kept of the stderr of a process for the report of its end. */
const MAX_STDERR = 64 * 1024;
/** Of a call, each after a change. */
const MAX_ATTEMPTS = 5;
/** The old process may still hold a port for a moment. */
const PORT_RETRIES = 3;

export class DevLoop {
  readonly #options: DevLoopOptions;
  #chain: Chain | undefined;
  #client: Client | undefined;
  #generation = 0;
  #words = '';
  #surface: Surface | undefined;
  #state: 'starting' | 'ready' | 'failed' = 'starting';
  readonly #waiting = new Set<() => void>();
  #replacing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: DevLoopOptions) {
    this.#options = options;
  }

  /** What stands behind the chain now. */
  get destinations(): Destinations {
    const generation = this.#generation;
    const { target, prepare, initTimeout } = this.#options;
    const onStderr = (line: string): void => {
      if (generation !== this.#generation) return;
      if (this.#state === 'ready') this.#options.stderr(line);
      else this.#words = `${this.#words}${line}\n`.slice(-MAX_STDERR);
    };
    // A server of the same words would be kept; and a program may want to know that it was restarted.
    const env = { ...target.env, PLUMB_DEV_RESTARTS: String(generation) };
    return prepare({ [SERVER]: { ...target, env, onStderr, initTimeout, isolate: 'shared' } });
  }

  /**
   * Calls that found no server are made again once it is there: they were waiting for a process that the next change
   * replaced. While it does not start, clients get the reason: they may be writing it.
   */
  readonly middleware: Middleware = async ({ caller }, next) => {
    // The loop's own calls decide whether the server has started.
    if (caller.client?.name === DEV_CLIENT) return next();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await (attempt === 1 ? next() : next.again());
      } catch (error) {
        if (!(error instanceof ServerUnavailableError) || error.sent) throw error;
        await this.#settled();
        if (this.#state === 'failed') {
          const message = `The server does not start: ${this.#options.describe(this.#words)}`;
          throw new ProtocolError('internal_error', message, { cause: error });
        }
        if (attempt === MAX_ATTEMPTS || this.#closed) throw error;
      }
    }
  };

  /** Starts the server for the first time. */
  begin(chain: Chain): void {
    this.#chain = chain;
    void this.#observe(this.#generation, 0);
  }

  restart(paths: readonly string[]): void {
    if (this.#closed) return;
    this.#generation += 1;
    this.#words = '';
    this.#state = 'starting';
    const generation = this.#generation;
    this.#options.report({ type: 'restarting', paths });
    this.#replacing = this.#replacing.then(async () => {
      if (generation !== this.#generation) return;
      await this.#chain?.replace(this.destinations);
      if (generation === this.#generation) void this.#observe(generation, 0);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#generation += 1;
    this.#wake();
    await this.#client?.close();
  }

  /** Looks at the server as a client does, which starts it. */
  async #observe(generation: number, attempt: number): Promise<void> {
    const started = performance.now();
    try {
      const surface = await readSurface(await this.#connected());
      if (generation !== this.#generation) return;
      this.#becameReady();
      const changes = this.#surface === undefined ? undefined : compareSurfaces(this.#surface, surface);
      this.#surface = surface;
      const afterMs = Math.round(performance.now() - started);
      this.#options.report({ type: 'ready', afterMs, surface, changes, findings: lintOf(surface, changes) });
    } catch (error) {
      if (generation !== this.#generation || this.#closed) return;
      if (attempt < PORT_RETRIES && this.#words.includes('EADDRINUSE')) {
        this.#words = '';
        await this.#chain?.replace({});
        await this.#chain?.replace(this.destinations);
        return this.#observe(generation, attempt + 1);
      }
      this.#enter('failed');
      this.#options.report({ type: 'failed', message: messageOf(error), stderr: this.#words });
    }
  }

  /** Resolves when the server has started, or has failed to. */
  async #settled(): Promise<void> {
    while (this.#state === 'starting' && !this.#closed)
      await new Promise<void>((resolve) => void this.#waiting.add(resolve));
  }

  #enter(state: 'ready' | 'failed'): void {
    this.#state = state;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #becameReady(): void {
    this.#enter('ready');
    for (const line of this.#words.split('\n')) if (line !== '') this.#options.stderr(line);
    this.#words = '';
  }

  async #connected(): Promise<Client> {
    const chain = this.#chain;
    if (chain === undefined) throw new Error('The chain of the server is not there yet');
    this.#client ??= await connect(chain, { name: DEV_CLIENT, cache: false });
    return this.#client;
  }
}

/** Of the tools that are new or changed; of all of them at the first start. */
function lintOf(surface: Surface, changes: readonly SurfaceChange[] | undefined): LintFinding[] {
  const names = new Set(changes?.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])));
  const tools = surface.lists.tools ?? [];
  const concerned = changes === undefined ? tools : tools.filter(({ name }) => names.has(String(name)));
  // What single providers refuse is for plumb lint: it would be there after every change.
  return concerned.length === 0 ? [] : [...lintTools(concerned, []).findings];
}
