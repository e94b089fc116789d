/** The servers that are inspected. */

import { findRevision } from '../../protocol/revisions/index.js';
import type {
  AddServer,
  EditServer,
  FoundConfig,
  InspectedServerSettings,
  ServerId,
  ServerSource,
  ServerView,
} from '../api.js';
import { CommandError, invalid, notFound } from '../failure.js';
import type { ClientConfigs } from './configs.js';
import type { InspectorRooms } from './rooms.js';
import type { SavedServers } from './saved-servers.js';
import { InspectedServer } from './server.js';
import { withSecret } from './settings.js';
import { type InspectedTarget, nameOf, unmasked } from './target.js';

const MAX_SERVERS = 200;

export class Servers {
  readonly #rooms: InspectorRooms;
  readonly #configs: ClientConfigs;
  readonly #saved: SavedServers;
  #servers = new Map<ServerId, InspectedServer>();
  #last = 0;

  constructor(rooms: InspectorRooms, configs: ClientConfigs, saved: SavedServers) {
    this.#rooms = rooms;
    this.#configs = configs;
    this.#saved = saved;
  }

  /** The servers of earlier runs, not connected. */
  restore(): void {
    for (const { name, target, pinned, settings } of this.#saved.load()) {
      this.create(target, { kind: 'saved' }, name, pinned, settings);
    }
  }

  views(): ServerView[] {
    return [...this.#servers.values()].map((server) => server.view());
  }

  all(): InspectedServer[] {
    return [...this.#servers.values()];
  }

  get(id: ServerId): InspectedServer {
    const server = this.#servers.get(id);
    if (server === undefined) throw notFound('server');
    return server;
  }

  /** What a page asks for. */
  async add(given: AddServer): Promise<ServerView> {
    const { target, source, name } = this.#resolve(given);
    const { revision = null, settings } = given;
    const server = this.create(target, source, given.name ?? name, revision, settings);
    this.#save();
    if (given.connect !== false) await server.connect();
    return server.view();
  }

  create(
    target: InspectedTarget,
    source: ServerSource,
    name: string = nameOf(target),
    pinned: string | null = null,
    settings: InspectedServerSettings = {},
  ): InspectedServer {
    if (this.#servers.size >= MAX_SERVERS) {
      throw new CommandError(429, 'too_many_servers', 'Too many servers; remove some of them first');
    }
    assertRevision(pinned);
    this.#last += 1;
    const id = `server-${this.#last}`;
    this.#rooms.auth.seat(id, target, settings.oauth);
    const server = new InspectedServer(
      { id, name: this.#unique(name), target, source, pinned, settings },
      this.#rooms,
    );
    this.#servers.set(id, server);
    this.#rooms.emit({ type: 'server', server: server.view() });
    return server;
  }

  /** Changes a server. What the page sends back masked stays as it was. */
  async edit(given: EditServer): Promise<ServerView> {
    const server = this.get(given.server);
    const target = unmasked(this.#resolve(given).target, server.target);
    const pinned = given.revision ?? null;
    assertRevision(pinned);
    const settings = withSecret(given.settings ?? {}, server.settings);
    const name = given.name?.trim() || server.name;
    this.#rooms.auth.seat(server.id, target, settings.oauth);
    await server.change({ name: name === server.name ? name : this.#unique(name), target, pinned, settings });
    this.#save();
    return server.view();
  }

  duplicate(id: ServerId): ServerView {
    const { name, target, pinned, settings } = this.get(id);
    const copy = this.create(target, { kind: 'page' }, name, pinned, settings);
    this.#save();
    return copy.view();
  }

  order(ids: readonly ServerId[]): void {
    const rank = (id: ServerId): number => (ids.includes(id) ? ids.indexOf(id) : ids.length);
    this.#servers = new Map([...this.#servers].toSorted(([one], [other]) => rank(one) - rank(other)));
    this.#rooms.emit({ type: 'serverOrder', servers: [...this.#servers.keys()] });
    this.#save();
  }

  renamed(): void {
    this.#save();
  }

  async remove(id: ServerId): Promise<void> {
    const server = this.get(id);
    this.#servers.delete(id);
    this.#rooms.auth.leave(id);
    this.#save();
    await server.disconnect();
    server.retire();
    this.#rooms.emit({ type: 'serverRemoved', server: id });
  }

  /** Those of the command line come with it again; the others are kept. */
  #save(): void {
    this.#saved.save(this.all().filter(({ source }) => source.kind !== 'command line'));
  }

  /** What the clients of this machine have configured, and which of it is here already. */
  found(): readonly FoundConfig[] {
    return this.#configs.list().map((config) => ({
      ...config,
      servers: config.servers.map((entry) => {
        const added = entry.problem === undefined ? this.#addedFrom(config.path, entry.name) : undefined;
        return added === undefined ? entry : { ...entry, added };
      }),
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((server) => server.disconnect()));
  }

  #resolve(given: AddServer): { target: InspectedTarget; source: ServerSource; name?: string } {
    switch (given.kind) {
      case 'url':
        assertWebAddress(given.url);
        return {
          target: { kind: 'url', url: given.url, headers: given.headers ?? {} },
          source: { kind: 'page' },
        };
      case 'command': {
        if (given.command.trim() === '') throw invalid('The command is empty');
        const { command, args = [], cwd, env = {} } = given;
        return { target: { kind: 'command', command, args, cwd, env }, source: { kind: 'page' } };
      }
      case 'config': {
        const { target, client } = this.#configured(given.path, given.server);
        return { target, source: { kind: 'config', path: given.path, client }, name: given.server };
      }
    }
  }

  #configured(path: string, server: string): ReturnType<ClientConfigs['resolve']> {
    try {
      return this.#configs.resolve(path, server);
    } catch (error) {
      throw invalid(error instanceof Error ? error.message : String(error));
    }
  }

  /** By its address: a server that was kept from an earlier run no longer knows where it came from. */
  #addedFrom(path: string, name: string): ServerId | undefined {
    const wanted = JSON.stringify(this.#configured(path, name).target);
    return this.all().find(({ target }) => JSON.stringify(target) === wanted)?.id;
  }

  #unique(name: string): string {
    const taken = new Set(this.all().map((server) => server.name));
    if (!taken.has(name)) return name;
    for (let count = 2; ; count += 1) if (!taken.has(`${name} (${count})`)) return `${name} (${count})`;
  }
}

export function assertRevision(revision: string | null): void {
  if (revision === null || findRevision(revision) !== undefined) return;
  throw invalid(`Unknown protocol revision ${JSON.stringify(revision)}`);
}

/** `file:`, `javascript:` and the like are no servers. */
function assertWebAddress(text: string): void {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return;
  throw invalid(`${JSON.stringify(text.slice(0, 200))} is not an http or https address`);
}
