/** The author's side of a server: register things, add middleware, serve. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller, CallFilter, Middleware } from '../middleware/compose.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { LogLevel } from '../protocol/model/logging.js';
import { type Revision, selectRevisions } from '../protocol/revisions/index.js';
import { type ResultStamp, writeResult } from '../protocol/revisions/results.js';
import type { AnySchema } from '../protocol/schema/infer.js';
import type { NodeHandler } from '../transports/http/node.js';
import { createMemoryPair } from '../transports/memory.js';
import type { StdioServerTransportOptions } from '../transports/stdio/server.js';
import type { Transport } from '../transports/transport.js';
import { Connection, type ConnectionIdentity } from './connection.js';
import type { Context } from './context.js';
import { Dispatcher, type Route } from './dispatcher.js';
import type { ServerHost, ServerLimits, ServerStats } from './host.js';
import { type HttpHandle, type HttpServeOptions, HttpService } from './http/service.js';
import { Hub, type ListKind } from './hub.js';
import { StateSealer } from './input-state.js';
import {
  DEFAULT_LIMITS,
  DEFAULT_LIST_CACHE,
  DEFAULT_PAGE_SIZE,
  DEFAULT_READ_CACHE,
  DEFAULT_STATE_TTL_MS,
  type ServerOptions,
  STATE_KEYS_VARIABLE,
} from './options.js';
import { type PromptDefinition, PromptEntry, type PromptHandler } from './prompts.js';
import { Registry } from './registry.js';
import {
  type ResourceDefinition,
  ResourceEntry,
  type ResourceHandler,
  type VariablesOf,
} from './resources.js';
import { type Catalogue, protocolRoutes } from './routes.js';
import { type ToolDefinition, ToolEntry, type ToolHandler } from './tools.js';
import { isUriTemplate } from './uri-template.js';

/** Something registered; `remove` takes it away again while the server runs. */
export interface Registration {
  remove(): boolean;
}

export interface StdioServeOptions extends StdioServerTransportOptions {
  /** Whether the process ends after its client has gone, whatever else still runs. */
  readonly exit?: boolean;
}

/** Time for what still runs after the client has gone. */
const EXIT_GRACE_MS = 2000;

export type NotificationHandler = (params: JsonObject, caller: Caller) => void | Promise<void>;

export function createServer(options: ServerOptions): Server {
  return new Server(options);
}

export class Server {
  readonly stats: ServerStats = { malformed: 0, faults: 0, lost: 0 };
  readonly #options: ServerOptions;
  readonly #info: Implementation;
  readonly #revisions: readonly Revision[];
  readonly #hub = new Hub();
  readonly #catalogue: Catalogue;
  readonly #dispatcher: Dispatcher;
  readonly #stamp: ResultStamp;
  readonly #connections = new Set<Connection>();
  readonly #notificationHandlers = new Map<string, Set<NotificationHandler>>();
  readonly #host: ServerHost;
  #closing!: () => void;
  readonly #closed: Promise<void> = new Promise((resolve) => {
    this.#closing = resolve;
  });
  #capabilities: ServerCapabilities | undefined;
  readonly #services = new Set<HttpService>();
  /** What `fetch` and `node` serve, made on first use. */
  #mount: HttpService | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#info = implementationOf(options);
    this.#revisions = selectRevisions(options.revisions);
    this.#stamp = { serverInfo: this.#info, cache: DEFAULT_READ_CACHE };
    this.#catalogue = {
      tools: new Registry('tool', () => this.#changed('tools')),
      resources: new Registry('resource', () => this.#changed('resources')),
      templates: new Registry('resource template', () => this.#changed('resources')),
      prompts: new Registry('prompt', () => this.#changed('prompts')),
    };
    const onError = guarded(options.onError ?? reportError);
    this.#dispatcher = new Dispatcher({
      stamp: this.#stamp,
      sealer: createSealer(options),
      exposeErrors: options.exposeErrors ?? false,
      logs: () => this.capabilities.logging !== undefined,
      onError,
    });
    const routes = protocolRoutes({
      catalogue: this.#catalogue,
      dispatcher: this.#dispatcher,
      hub: this.#hub,
      pageSize: options.pageSize ?? DEFAULT_PAGE_SIZE,
      listCache: { ...DEFAULT_LIST_CACHE, ...options.cache },
      closing: this.#closed,
      capabilities: () => this.capabilities,
      discover: () => this.#discover(),
    });
    for (const [method, route] of Object.entries(routes)) this.#dispatcher.route(method, route);
    this.#host = this.#createHost(onError, { ...DEFAULT_LIMITS, ...options.limits });
  }

  /** Adds a tool. Arguments and results are typed by the schemas. */
  tool<
    const Input extends AnySchema = { readonly type: 'object' },
    const Output extends AnySchema | undefined = undefined,
  >(
    name: string,
    definition: Omit<ToolDefinition, 'input' | 'output'> & {
      readonly input?: Input;
      readonly output?: Output;
    },
    handler: ToolHandler<Input, Output>,
  ): Registration {
    const { tools } = this.#catalogue;
    const entry = new ToolEntry(
      name,
      definition as ToolDefinition,
      handler as ToolHandler<AnySchema, AnySchema | undefined>,
    );
    tools.add(name, entry);
    return { remove: () => tools.remove(name, entry) };
  }

  /** Adds a resource at a URI, or a family of them behind an RFC 6570 template such as `file:///{+path}`. */
  resource<const Uri extends string>(
    uri: Uri,
    definition: ResourceDefinition,
    handler: ResourceHandler<VariablesOf<Uri>>,
  ): Registration {
    const registry = isUriTemplate(uri) ? this.#catalogue.templates : this.#catalogue.resources;
    const entry = new ResourceEntry(
      uri,
      definition,
      handler as ResourceHandler<Record<string, string | string[]>>,
    );
    registry.add(uri, entry);
    return { remove: () => registry.remove(uri, entry) };
  }

  prompt<const Input extends AnySchema = { readonly type: 'object' }>(
    name: string,
    definition: Omit<PromptDefinition, 'input'> & { readonly input?: Input },
    handler: PromptHandler<Input>,
  ): Registration {
    const { prompts } = this.#catalogue;
    const entry = new PromptEntry(name, definition as PromptDefinition, handler as PromptHandler<AnySchema>);
    prompts.add(name, entry);
    return { remove: () => prompts.remove(name, entry) };
  }

  /** Serves a method of your own (an extension), in every revision. */
  method(
    name: string,
    handler: (params: JsonObject, ctx: Context) => JsonObject | Promise<JsonObject>,
  ): Registration {
    if (this.#dispatcher.hasRoute(name)) throw new Error(`The method "${name}" is already served`);
    const route: Route = { custom: true, handle: handler };
    this.#dispatcher.route(name, route);
    return { remove: () => this.#dispatcher.removeRoute(name, route) };
  }

  /** Hears client notifications that have no effect on the server itself, e.g. `notifications/roots/list_changed`. */
  onNotification(method: string, handler: NotificationHandler): Registration {
    const handlers = this.#notificationHandlers.get(method) ?? new Set();
    handlers.add(handler);
    this.#notificationHandlers.set(method, handlers);
    return { remove: () => handlers.delete(handler) };
  }

  /** Wraps calls in both directions; the first one added is outermost. */
  use(middleware: Middleware): this;
  use(filter: string | CallFilter, middleware: Middleware): this;
  use(filter: string | CallFilter | Middleware, middleware?: Middleware): this {
    if (typeof filter === 'function') this.#dispatcher.use({ filter: {}, middleware: filter });
    else if (middleware !== undefined) {
      this.#dispatcher.use({ filter: typeof filter === 'string' ? { method: filter } : filter, middleware });
    }
    return this;
  }

  /** Tells subscribers that a resource has changed. */
  resourceUpdated(uri: string): void {
    this.#hub.resourceUpdated(uri);
  }

  /** Tells clients to fetch a list again. Adding and removing does this by itself. */
  listChanged(kind: ListKind): void {
    this.#hub.listChanged(kind);
  }

  /** Logs to every handshake client whose level admits it. Inside a call, use `ctx.log`. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.capabilities.logging === undefined) return;
    this.#hub.log(level, logger === undefined ? { level, data } : { level, logger, data });
  }

  /** What is declared to clients, from what is registered and what the options add. */
  get capabilities(): ServerCapabilities {
    this.#capabilities ??= this.#deriveCapabilities();
    return this.#capabilities;
  }

  /** Serves a client on a transport until either side closes it. */
  async connect(transport: Transport, identity?: ConnectionIdentity): Promise<void> {
    const closed = (): boolean => this.#connections.delete(connection);
    const connection = new Connection(this.#host, transport, closed, identity);
    this.#connections.add(connection);
    try {
      await transport.start(connection);
    } catch (error) {
      this.#connections.delete(connection);
      throw error;
    }
  }

  /** The client's end of a new in-memory connection to this server: `connect(server)`. */
  transport(): Transport {
    const [ours, theirs] = createMemoryPair();
    // An in-memory start cannot fail.
    void this.connect(ours);
    return theirs;
  }

  /**
   * Serves one client on stdin and stdout. Resolves when it has gone. Timers or sockets of your own do not keep
   * the process: a server whose client was killed must not stay behind; `exit: false` leaves that to you.
   */
  async stdio(options: StdioServeOptions = {}): Promise<void> {
    const { createStdioServerTransport } = await import('../transports/stdio/server.js');
    const { exit = true, ...transportOptions } = options;
    const transport = createStdioServerTransport(transportOptions);
    await new Promise<void>((resolve, reject) => {
      const connection = new Connection(this.#host, transport, () => {
        this.#connections.delete(connection);
        resolve();
      });
      this.#connections.add(connection);
      transport.start(connection).catch(reject);
    });
    if (exit) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
  }

  /** Listens for HTTP on Node; other runtimes use `fetch`. */
  http(options: HttpServeOptions = {}): Promise<HttpHandle> {
    const service = this.#createHttp({ ...this.#options.http, ...options });
    return service.listen();
  }

  /** Serves a web Request, for Deno, Bun, Workers and Hono. Bound: it can be passed on by itself. */
  readonly fetch = (request: Request): Promise<Response> => this.#mounted().fetch(request);

  /** Serves a Node request, for node:http, Express and Fastify. Bound: it can be passed on by itself. */
  readonly node: NodeHandler = (request, response) => this.#mounted().node(request, response);

  /** Ends listen streams properly, lets running HTTP calls finish within the limit, then closes every connection. */
  async close(graceMs?: number): Promise<void> {
    this.#closing();
    // Streams that end answer in microtasks; let those answers be written first.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await Promise.all([...this.#services].map((service) => service.close(graceMs)));
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  #mounted(): HttpService {
    this.#mount ??= this.#createHttp(this.#options.http ?? {});
    return this.#mount;
  }

  #createHttp(options: HttpServeOptions): HttpService {
    const service = new HttpService(this.#host, options, (transport, identity) =>
      this.connect(transport, identity),
    );
    this.#services.add(service);
    return service;
  }

  #createHost(onError: ServerHost['onError'], limits: ServerLimits): ServerHost {
    const handshakeRevisions = this.#revisions.filter((revision) => revision.lifecycle === 'handshake');
    const statelessRevisions = this.#revisions.filter((revision) => revision.lifecycle === 'stateless');
    const isHandshakeMethod = (method: string): boolean =>
      handshakeRevisions.some((revision) => revision.clientRequests.has(method)) ||
      this.#dispatcher.isCustom(method);
    return {
      handshakeRevisions,
      statelessRevisions,
      newestRevision: this.#revisions.at(-1) as Revision,
      serverInfo: this.#info,
      instructions: this.#options.instructions,
      dispatcher: this.#dispatcher,
      hub: this.#hub,
      limits,
      stats: this.stats,
      capabilities: () => this.capabilities,
      isHandshakeMethod,
      isStatelessMethod: (method) =>
        statelessRevisions.some((revision) => revision.clientRequests.has(method)) &&
        !isHandshakeMethod(method),
      writeResult: (revision, method, result) => writeResult(revision, method, result, this.#stamp),
      notified: (method, params, caller) => this.#notified(method, params, caller),
      mirroredParameters: (tool) => this.#catalogue.tools.get(tool)?.mirrored,
      requiredScopes: (tool) => this.#catalogue.tools.get(tool)?.scopes,
      onError,
      countLost: () => {
        this.stats.lost += 1;
      },
    };
  }

  #notified(method: string, params: JsonObject, caller: Caller): void {
    this.#dispatcher.notification(method, params, { caller, signal: NEVER.signal }, (current) => {
      for (const handler of this.#notificationHandlers.get(method) ?? []) {
        try {
          const handled = handler(current, caller);
          if (handled instanceof Promise) handled.catch((error) => this.#host.onError(error, method));
        } catch (error) {
          this.#host.onError(error, method);
        }
      }
    });
  }

  #changed(kind: ListKind): void {
    this.#capabilities = undefined;
    this.#hub.listChanged(kind);
  }

  #deriveCapabilities(): ServerCapabilities {
    const { tools, resources, templates, prompts } = this.#catalogue;
    const added = this.#options.capabilities ?? {};
    const capabilities: ServerCapabilities = { ...added };
    if (this.#options.logging !== false) capabilities.logging = {};
    // Once declared, a capability is kept: a client that was told of a change must be able to fetch the empty list.
    if (tools.version > 0 || added.tools !== undefined)
      capabilities.tools = { listChanged: true, ...added.tools };
    if (prompts.version > 0 || added.prompts !== undefined)
      capabilities.prompts = { listChanged: true, ...added.prompts };
    if (resources.version + templates.version > 0 || added.resources !== undefined) {
      capabilities.resources = { subscribe: true, listChanged: true, ...added.resources };
    }
    const completing = [...prompts.entries(), ...templates.entries()].some(
      (entry) => Object.keys(entry.complete).length > 0,
    );
    if (completing) capabilities.completions = {};
    return capabilities;
  }

  #discover(): JsonObject {
    const { instructions } = this.#options;
    return {
      // Newest first: a client takes the first one it knows.
      supportedVersions: this.#revisions.map(({ version }) => version).reverse(),
      capabilities: this.capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      ...DEFAULT_LIST_CACHE,
      ...this.#options.cache,
    };
  }
}

/** Notifications are not cancelled. */
const NEVER = new AbortController();

function implementationOf(options: ServerOptions): Implementation {
  const { name, version, title, description, websiteUrl, icons } = options;
  const info: Implementation = { name, version };
  if (title !== undefined) info.title = title;
  if (description !== undefined) info.description = description;
  if (websiteUrl !== undefined) info.websiteUrl = websiteUrl;
  if (icons !== undefined) info.icons = icons;
  return info;
}

function createSealer({ requestState }: ServerOptions): StateSealer {
  return new StateSealer({
    keys: requestState?.keys ?? keysFromEnvironment(),
    ttlMs: requestState?.ttlMs ?? DEFAULT_STATE_TTL_MS,
    now: requestState?.now ?? Date.now,
  });
}

function keysFromEnvironment(): readonly string[] {
  const value = typeof process === 'undefined' ? undefined : process.env[STATE_KEYS_VARIABLE];
  return value === undefined ? [] : value.split(',').filter((key) => key !== '');
}

/** Whoever is told of errors must not cause one: it would end the connection, or the process. */
function guarded(onError: ServerHost['onError']): ServerHost['onError'] {
  return (error, method) => {
    try {
      onError(error, method);
    } catch (failure) {
      reportError(failure, method);
    }
  };
}

function reportError(error: unknown, method: string): void {
  console.error(`plumb: a handler of ${method} failed:`, error);
}
