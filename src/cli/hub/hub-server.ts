/** One server of the hub: one process for all clients, or one for each where it must; ended when it is idle. */

import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { type Chain, type ChainOptions, createChain, type Destination } from '../../chain/index.js';
import type { Health } from '../../chain/upstream.js';
import { refuse } from '../../client/errors.js';
import type { Middleware } from '../../middleware/compose.js';
import { ObservedTransport, type TransportObserver } from '../../transports/observed.js';
import { createStdioServerTransport } from '../../transports/stdio/server.js';

export interface HubServerOptions {
  readonly name: string;
  readonly destination: Destination;
  /** What is started in its place: with its stderr in the log, and its traffic in the inspector. */
  readonly prepare: (destination: Destination) => Destination;
  /** Each client gets a process of its own. */
  readonly perClient: boolean;
  /** How long it runs on after its last client, in milliseconds. */
  readonly idleMs: number;
  readonly chain: Pick<ChainOptions, 'onError' | 'onServerEvent'>;
  readonly note: (text: string) => void;
  /** It has ended, and is forgotten. */
  readonly ended: () => void;
}

export interface HubServerStatus extends Omit<Health, 'name'> {
  readonly name: string;
  readonly clients: number;
  readonly perClient: boolean;
}

/** What the inspector needs to show a server of the hub. */
export interface ServerWatch {
  observer(): TransportObserver;
  shows(upstream: string): void;
}

export class HubServer {
  readonly #options: HubServerOptions;
  readonly #chain: Chain;
  readonly #clients = new Map<Socket, ObservedTransport>();
  #watch: ServerWatch | undefined;
  #destination: Destination;
  #perClient: boolean;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HubServerOptions) {
    this.#options = options;
    this.#destination = options.destination;
    this.#perClient = options.perClient;
    this.#chain = createChain({ ...options.chain, replaceable: true })
      .use({ ask: this.#roots })
      .to(this.#servers());
  }

  get status(): HubServerStatus {
    const [health] = this.#chain.health;
    const { state = 'idle', connections = 0, revision, lastError } = health ?? {};
    const { name } = this.#options;
    return {
      name,
      state,
      connections,
      revision,
      lastError,
      clients: this.#clients.size,
      perClient: this.#perClient,
    };
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Its entry was written again. */
  update(destination: Destination, perClient: boolean): void {
    if (isDeepStrictEqual(destination, this.#destination) && (this.#perClient || !perClient)) return;
    this.#destination = destination;
    this.#perClient ||= perClient;
    this.#replace();
  }

  /** From now on the inspector shows what its clients say, also those that are connected already. */
  watch(watch: ServerWatch): void {
    if (this.#watch !== undefined) return;
    this.#watch = watch;
    watch.shows(this.#options.name);
    for (const transport of this.#clients.values()) transport.observe(watch.observer());
  }

  /** Serves a client on this socket until either side ends it. */
  serve(socket: Socket): void {
    clearTimeout(this.#idle);
    const transport = new ObservedTransport(
      createStdioServerTransport({ input: socket, output: socket, protectStdout: false }),
      this.#watch?.observer(),
    );
    this.#clients.set(socket, transport);
    this.#chain.connect(transport).catch((error: unknown) => {
      this.#options.note(`could not serve a client: ${String(error)}`);
      socket.destroy();
    });
    socket.once('close', () => this.#left(socket));
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closing ??= this.#chain.close({ drain: 0 }).finally(() => {
      for (const socket of this.#clients.keys()) socket.destroy();
      this.#options.ended();
    });
    await this.#closing;
  }

  #left(socket: Socket): void {
    if (!this.#clients.delete(socket) || this.#clients.size > 0 || this.isClosing) return;
    this.#idle = setTimeout(() => {
      this.#options.note('ends because it is idle');
      void this.close();
    }, this.#options.idleMs);
  }

  /** Roots are the folders of one client: a server that asks for them cannot be shared. */
  readonly #roots: Middleware = ({ method }, next) => {
    if (method !== 'roots/list' || this.#perClient) return next();
    this.#perClient = true;
    this.#options.note('asks for the roots of its client, and so runs once for each client');
    setImmediate(() => this.#replace());
    return refuse('This server is being started again for each of its clients');
  };

  #replace(): void {
    this.#chain
      .replace(this.#servers())
      .catch((error: unknown) => this.#options.note(`could not be replaced: ${String(error)}`));
  }

  #servers(): Record<string, Destination> {
    const isolate = this.#perClient ? ('session' as const) : ('shared' as const);
    const given = this.#options.prepare(this.#destination);
    const destination =
      typeof given === 'string' || given instanceof URL ? { url: given, isolate } : { ...given, isolate };
    return { [this.#options.name]: destination as Destination };
  }
}
