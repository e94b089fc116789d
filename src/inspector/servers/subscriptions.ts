/** The resources whose updates are wanted, whatever becomes of the connection. */

import type { Subscription } from '../../client/features/resources.js';
import type { Client } from '../../client/index.js';

export class Subscriptions {
  readonly #updated: (uri: string) => void;
  readonly #open = new Map<string, Subscription>();
  /** The client that they are with. */
  #client: Client | undefined;

  constructor(updated: (uri: string) => void) {
    this.#updated = updated;
  }

  get uris(): string[] {
    return [...this.#open.keys()];
  }

  async add(client: Client, uri: string): Promise<void> {
    if (this.#open.has(uri)) return;
    this.#client = client;
    this.#open.set(uri, await this.#subscribe(client, uri));
  }

  async remove(uri: string): Promise<void> {
    const subscription = this.#open.get(uri);
    this.#open.delete(uri);
    await subscription?.close();
  }

  /** A client brings its subscriptions over to a new connection by itself; a new client knows of none. */
  async renew(client: Client, lost: (uri: string, cause: unknown) => void): Promise<void> {
    if (client === this.#client) return;
    this.#client = client;
    for (const uri of this.uris) {
      try {
        this.#open.set(uri, await this.#subscribe(client, uri));
      } catch (cause) {
        this.#open.delete(uri);
        lost(uri, cause);
      }
    }
  }

  #subscribe(client: Client, uri: string): Promise<Subscription> {
    return client.resources.subscribe(uri, ({ uri: changed }) => this.#updated(changed));
  }
}
