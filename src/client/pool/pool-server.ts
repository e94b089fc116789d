import type { Client } from '../client.js';
import type { StateName } from '../connection/machine.js';

export interface ServerStatus {
  readonly name: string;
  readonly state: StateName;
  /** Who the server says it is, once it was reached. */
  readonly server: Client['server'];
  readonly revision: string | undefined;
  /** Why it is not ready, or why it could not be listed. */
  readonly error: unknown;
}

/** One server of a pool. */
export class PoolServer {
  readonly name: string;
  /** Stands before the names of everything it has. */
  readonly prefix: string;
  readonly client: Client;
  /** Why it could not be listed. */
  #error: unknown;
  #reached = false;

  constructor(name: string, prefix: string, client: Client) {
    this.name = name;
    this.prefix = prefix;
    this.client = client;
    this.#reached = client.state === 'ready';
    client.on('state', ({ state }) => {
      if (state !== 'ready') return;
      this.#reached = true;
      this.#error = undefined;
    });
  }

  get status(): ServerStatus {
    const { name, client } = this;
    return {
      name,
      state: client.state,
      server: this.#reached ? client.server : undefined,
      revision: this.#reached ? client.revision : undefined,
      error: client.error ?? this.#error,
    };
  }

  /** Remembers why it failed. */
  async attempt<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }
}
