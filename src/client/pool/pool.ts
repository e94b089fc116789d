/** Many servers behind one face: connected at the same time, each failing for itself, their tools in one list. */

import { ToolIndex } from '../../middleware/tool-index.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { McpError } from '../../protocol/errors.js';
import { isForModels } from '../../protocol/model/apps.js';
import type { GetPromptResult, Prompt } from '../../protocol/model/prompts.js';
import type { ReadResourceResult, Resource } from '../../protocol/model/resources.js';
import type { CallToolResult, Tool } from '../../protocol/model/tools.js';
import type { AnySchema, InferOutput } from '../../protocol/schema/infer.js';
import type { Client } from '../client.js';
import { connect } from '../connect.js';
import type { StateChange } from '../connection/driver.js';
import type { CallToolOptions } from '../features/tools.js';
import type { CallOptions, ConnectOptions } from '../options.js';
import { PoolCatalogue } from './catalogue.js';
import { PoolServer, type ServerStatus } from './pool-server.js';
import { qualifiedName, serverPrefix } from './qualified-name.js';
import { namedTargets, type ServersConfig } from './servers-config.js';
import { type Detail, detailOf, type SearchDetails, searchable } from './tool-details.js';

/** A tool under the name that it has in the pool. */
export interface PoolTool extends Tool {
  readonly server: string;
  /** What the server itself calls it. */
  readonly originalName: string;
}

export interface PoolPrompt extends Prompt {
  readonly server: string;
  readonly originalName: string;
}

export interface PoolResource extends Resource {
  readonly server: string;
}

/** Options of `connectAll`: those of `connect` for every server, and some of its own. */
export interface PoolOptions extends Omit<ConnectOptions, 'lazy'> {
  /** Options for one server, over those for all. */
  readonly perServer?: ((name: string) => Omit<ConnectOptions, 'lazy'>) | undefined;
  /** How long to wait for the slowest, in milliseconds; those still on their way then join later. Default: no limit. */
  readonly wait?: Duration | undefined;
}

export interface SearchOptions<D extends Detail = Detail> {
  /** How much of each tool to return: less is cheaper for a model that is still searching. */
  readonly detail: D;
  /** Default: 10. */
  readonly limit?: number | undefined;
}

const DEFAULT_SEARCH_LIMIT = 10;

/**
 * Connects to all servers of an `mcpServers` map at the same time. Resolves when each of them is ready or has failed
 * once; those that failed are tried again in the background.
 */
export async function connectAll(config: ServersConfig, options: PoolOptions = {}): Promise<Pool> {
  const { perServer, wait, ...shared } = options;
  const targets = namedTargets(config);
  const servers = await Promise.all(
    targets.map(async ({ name, target, options: own }) => {
      const client = await connect(target, { ...shared, ...own, ...perServer?.(name), lazy: true });
      const server = new PoolServer(name, serverPrefix(name), client);
      await firstOutcome(server, wait);
      return server;
    }),
  );
  return new Pool(servers);
}

/** Many servers with one list of tools; `connectAll` makes it. */
export class Pool {
  readonly servers: ReadonlyMap<string, PoolServer>;
  readonly tools: PoolCatalogue<Tool, PoolTool>;
  readonly prompts: PoolCatalogue<Prompt, PoolPrompt>;
  readonly resources: PoolCatalogue<Resource, PoolResource>;

  constructor(servers: readonly PoolServer[]) {
    this.servers = new Map(servers.map((server) => [server.name, server]));
    this.tools = new PoolCatalogue(servers, {
      fetch: ({ client }) => ifDeclared(client.capabilities.tools, () => client.tools.list()),
      qualify: (tool, server) => ({ ...tool, ...qualified(tool.name, server) }),
    });
    this.prompts = new PoolCatalogue(servers, {
      fetch: ({ client }) => ifDeclared(client.capabilities.prompts, () => client.prompts.list()),
      qualify: (prompt, server) => ({ ...prompt, ...qualified(prompt.name, server) }),
    });
    this.resources = new PoolCatalogue(servers, {
      fetch: ({ client }) => ifDeclared(client.capabilities.resources, () => client.resources.list()),
      qualify: (resource, { name }) => ({ ...resource, server: name }),
    });
    for (const server of servers) {
      server.client.on('toolsChanged', () => this.tools.forget(server));
      server.client.on('promptsChanged', () => this.prompts.forget(server));
      server.client.on('resourcesChanged', () => this.resources.forget(server));
    }
  }

  /** The client of one server. */
  client(server: string): Client {
    const found = this.servers.get(server);
    if (found !== undefined) return found.client;
    throw unknown('server', server, `there are: ${[...this.servers.keys()].join(', ') || 'none'}`);
  }

  status(): ServerStatus[] {
    return [...this.servers.values()].map(({ status }) => status);
  }

  /** Runs the handler whenever the connection to one of the servers begins, stands, is lost or ends. */
  on(event: 'state', handler: (server: string, change: StateChange) => unknown): () => void {
    const offs = [...this.servers.values()].map(({ name, client }) =>
      client.on(event, (change) => handler(name, change)),
    );
    return () => {
      for (const off of offs) off();
    };
  }

  /** Calls a tool by its name in the pool. */
  call(
    name: string,
    args?: object,
    options?: CallOptions & { readonly output?: undefined },
  ): Promise<CallToolResult>;
  call<const Output extends AnySchema>(
    name: string,
    args: object,
    options: CallToolOptions<Output> & { readonly output: Output },
  ): Promise<InferOutput<Output>>;
  async call(name: string, args: object = {}, options: CallToolOptions = {}): Promise<unknown> {
    const tool = await this.tools.find(name);
    if (tool === undefined) throw unknown('tool', name, 'see pool.tools.list() or pool.search()');
    const { output, ...rest } = options;
    const { tools } = this.client(tool.server);
    if (output === undefined) return tools.call(tool.originalName, args, rest);
    return tools.call(tool.originalName, args, { ...rest, output });
  }

  /** Gets a prompt by its name in the pool. */
  async prompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options: CallOptions = {},
  ): Promise<GetPromptResult> {
    const prompt = await this.prompts.find(name);
    if (prompt === undefined) throw unknown('prompt', name, 'see pool.prompts.list()');
    return this.client(prompt.server).prompts.get(prompt.originalName, args, options);
  }

  /** Reads a resource of one server: URIs mean something to their own server only. */
  read(server: string, uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.client(server).resources.read(uri, options);
  }

  /** The tools of all servers that match the query best, in the requested detail. Tools for apps alone are not found. */
  search(query: string): Promise<SearchDetails['summary'][]>;
  search<D extends Detail>(query: string, options: SearchOptions<D>): Promise<SearchDetails[D][]>;
  async search(
    query: string,
    { detail, limit = DEFAULT_SEARCH_LIMIT }: SearchOptions = { detail: 'summary' },
  ): Promise<SearchDetails[Detail][]> {
    const tools = (await this.tools.list()).toArray().filter(isForModels);
    return new ToolIndex(tools, searchable).find(query, limit).map(({ item }) => detailOf(item, detail));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.servers.values()].map(({ client }) => client.close()));
  }
}

function qualified(
  originalName: string,
  { name: server, prefix }: PoolServer,
): Pick<PoolTool, 'name' | 'server' | 'originalName'> {
  return { name: qualifiedName(prefix, originalName), server, originalName };
}

async function ifDeclared<T>(capability: unknown, list: () => Promise<T[]>): Promise<T[]> {
  return capability === undefined ? [] : list();
}

/** Resolves when the server is ready, its first attempt has failed, or the time to wait for it is over. */
function firstOutcome({ client }: PoolServer, wait: Duration | undefined): Promise<void> {
  return new Promise((resolve) => {
    const decided = (): boolean => ['ready', 'backoff', 'closed'].includes(client.state);
    if (decided()) return resolve();
    const decide = (): void => {
      off();
      clearTimeout(timer);
      resolve();
    };
    const off = client.on('state', () => decided() && decide());
    const timer = wait === undefined ? undefined : setTimeout(decide, milliseconds(wait));
  });
}

function unknown(what: string, name: string, next: string): McpError<'unknown_name'> {
  return new McpError('unknown_name', `The pool has no ${what} ${JSON.stringify(name)}; ${next}`);
}
