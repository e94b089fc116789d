/** What the servers of a pool have of one kind, each server's part fetched once and again after it has changed. */

import { Collection, type Named } from './collection.js';
import type { PoolServer } from './pool-server.js';

export interface CatalogueKind<T, Q extends Named> {
  fetch(server: PoolServer): Promise<readonly T[]>;
  qualify(item: T, server: PoolServer): Q;
}

export class PoolCatalogue<T, Q extends Named> implements AsyncIterable<Q> {
  readonly #kind: CatalogueKind<T, Q>;
  readonly #servers: Iterable<PoolServer>;
  readonly #parts = new Map<PoolServer, Promise<readonly Q[]>>();

  constructor(servers: Iterable<PoolServer>, kind: CatalogueKind<T, Q>) {
    this.#servers = servers;
    this.#kind = kind;
  }

  /**
   * Everything of the servers that are ready. A server that fails to list is omitted, and its status has the
   * reason.
   */
  async list(): Promise<Collection<Q>> {
    const ready = [...this.#servers].filter(({ client }) => client.state === 'ready');
    const parts = await Promise.all(ready.map((server) => this.#part(server).catch(() => [])));
    return new Collection(parts.flat());
  }

  async only(...names: readonly string[]): Promise<Collection<Q>> {
    return (await this.list()).only(...names);
  }

  async except(...names: readonly string[]): Promise<Collection<Q>> {
    return (await this.list()).except(...names);
  }

  async map<R>(change: (item: Q, index: number) => R): Promise<R[]> {
    return (await this.list()).map(change);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Q, void, undefined> {
    yield* await this.list();
  }

  /** The one of this name, also of a server that is away at the moment. */
  async find(name: string): Promise<Q | undefined> {
    for (const part of [...this.#parts.values()]) {
      const known = (await part.catch(() => [])).find((item) => item.name === name);
      if (known !== undefined) return known;
    }
    return (await this.list()).get(name);
  }

  /** What the server has may be out of date. */
  forget(server: PoolServer): void {
    this.#parts.delete(server);
  }

  #part(server: PoolServer): Promise<readonly Q[]> {
    const known = this.#parts.get(server);
    if (known !== undefined) return known;
    const part = this.#fetch(server);
    this.#parts.set(server, part);
    // A failure is not worth remembering.
    part.catch(() => {
      if (this.#parts.get(server) === part) this.#parts.delete(server);
    });
    return part;
  }

  async #fetch(server: PoolServer): Promise<readonly Q[]> {
    const items = await server.attempt(() => this.#kind.fetch(server));
    return items.map((item) => this.#kind.qualify(item, server));
  }
}
