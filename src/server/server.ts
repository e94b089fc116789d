/** The author's side of a server: register things, add middleware, serve. */

import { apps } from '../extensions/apps/apps.js';
import type { Extension, ExtensionShape } from '../extensions/extension.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller, CallFilter, CallState, Middleware } from '../middleware/compose.js';
import type { Layer } from '../middleware/layer.js';
import type { AnyMiddleware, CallMethod, MethodPattern, TypedMiddleware } from '../middleware/typed-call.js';
import type { CloseOptions } from '../protocol/close-options.js';
import type { ListKind } from '../protocol/list-kind.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { AnySchema } from '../protocol/schema/infer.js';
import type { DescribedServer, ToolTypes } from '../protocol/tool-types.js';
import type { NodeHandler } from '../transports/http/server/node.js';
import type { Transport } from '../transports/transport.js';
import { type AppDefinition, appResource, appUri, linkedToApp } from './apps.js';
import type { AnyKeptValues, BucketSchemas, BucketValues, KeptValues } from './buckets/bucket.js';
import type { ConnectionIdentity } from './connection.js';
import { ServerCore } from './core.js';
import type { DefinedTools, TypesOf } from './define-tool.js';
import {
  type PromptRegistration,
  type Registration,
  type ResourceRegistration,
  registerEntry,
  type ToolRegistration,
} from './entry-registration.js';
import { type ExtensionImplementation, type ServedExtension, ServerExtensions } from './extensions.js';
import type { Introduction, ServerStats } from './host.js';
import type { HttpHandle, HttpServeOptions } from './http/service.js';
import { deriveCapabilities, implementationOf } from './introduction.js';
import type { MethodHandler, NotificationHandler } from './method-handler.js';
import type { StdioServeOptions } from './node-stdio.js';
import {
  assertServerOptions,
  cacheHints,
  DEFAULT_LIST_CACHE,
  DEFAULT_PAGE_SIZE,
  type ServerOptions,
} from './options.js';
import { assertLogLevel } from './peer.js';
import { type PromptDefinition, PromptEntry, type PromptHandler } from './prompts.js';
import { assertAllServable, assertHandler, assertTaskRuns } from './registration.js';
import { Registry } from './registry.js';
import {
  type ResourceDefinition,
  ResourceEntry,
  type ResourceHandler,
  type VariablesOf,
} from './resources.js';
import type { Route } from './route.js';
import { type Catalogue, protocolRoutes } from './routes.js';
import type { Session } from './session.js';
import type { ServedSkills, SkillsOptions } from './skills.js';
import { TaskSupport, type TaskSupportHost } from './task-support.js';
import { type AnyToolHandler, type ToolDefinition, ToolEntry, type ToolHandler } from './tools.js';
import { isUriTemplate, type TemplateVariables } from './uri-template.js';
import { middlewareEntries } from './use.js';

/**
 * Makes a server: `createServer({ name: 'weather', version: '1.0.0' })`; it serves with `stdio()`, `http()`, `fetch` or
 * `node`.
 */
export function createServer<
  State extends object = CallState,
  const Tools extends DefinedTools = DefinedTools,
  const Session extends BucketSchemas = BucketSchemas,
  const User extends BucketSchemas = BucketSchemas,
>(
  options: ServerOptions<State, Tools, Session, User>,
): Server<
  State,
  DefinedTools extends Tools ? ToolTypes : TypesOf<Tools>,
  { readonly session: BucketValues<Session>; readonly user: BucketValues<User> }
> {
  return new Server(options);
}

/** An MCP server; `createServer` makes it. */
export class Server<
  State extends object = CallState,
  Known extends ToolTypes = ToolTypes,
  Kept extends KeptValues = AnyKeptValues,
> implements DescribedServer<Known>
{
  /** For the compiler alone; there is no such property. */
  declare readonly '~tools'?: Known | undefined;
  readonly #options: ServerOptions<State>;
  readonly #info: Implementation;
  readonly #catalogue: Catalogue;
  readonly #core: ServerCore;
  readonly #notificationHandlers = new Map<string, Set<NotificationHandler>>();
  #extensions: ServerExtensions | undefined;
  #tasks: TaskSupport | undefined;
  #apps: Set<string> | undefined;
  #introduction: Introduction | undefined;
  /** From here on, what is registered is described at once. */
  #started = false;
  /** Everything registered so far can be served. */
  #checked = false;
  /** Serves a web Request, for Deno, Bun, Workers and Hono. Bound: it can be passed on by itself. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Serves a Node request, for node:http, Express and Fastify. Bound: it can be passed on by itself. */
  readonly node: NodeHandler;

  constructor(options: ServerOptions<State>) {
    assertServerOptions(options);
    this.#options = options;
    this.#info = implementationOf(options);
    this.#catalogue = {
      tools: new Registry('tool', () => this.#changed('tools')),
      resources: new Registry('resource', () => this.#changed('resources')),
      templates: new Registry('resource template', () => this.#changed('resources')),
      prompts: new Registry('prompt', () => this.#changed('prompts')),
    };
    const { tools } = this.#catalogue;
    this.#core = new ServerCore(options, {
      introduction: () => this.#introduce(),
      capabilitiesFor: (session) => this.#capabilitiesFor(session),
      notified: (method, params, caller) => this.#notified(method, params, caller),
      mirroredParameters: (tool) => tools.get(tool)?.mirrored,
      requiredScopes: (tool) => tools.get(tool)?.scopes,
      starting: () => this.#start(),
      prepare: () => {
        for (const tool of tools.entries()) tool.prepare();
      },
    });
    this.fetch = this.#core.fetch;
    this.node = this.#core.node;
    const { dispatcher, hub, closing, limits } = this.#core;
    const routes = protocolRoutes({
      catalogue: this.#catalogue,
      dispatcher,
      hub,
      pageSize: options.pageSize ?? DEFAULT_PAGE_SIZE,
      listCache: { ...DEFAULT_LIST_CACHE, ...cacheHints(options.cache) },
      closing,
      limits,
      capabilities: () => this.capabilities,
      honoured: (requested, ctx) => this.#extensions?.honoured(requested, ctx),
      discover: () => this.#core.discover(cacheHints(options.cache)),
    });
    this.#core.route(routes);
    for (const [name, { definition, handler }] of Object.entries(options.tools ?? {}))
      this.#addTool(name, definition, handler);
  }

  get stats(): ServerStats {
    return this.#core.stats;
  }

  /** Adds a tool. Arguments and results are typed by the schemas. */
  tool<
    const Input extends AnySchema = { readonly type: 'object' },
    const Output extends AnySchema | undefined = undefined,
  >(
    name: string,
    definition: Omit<ToolDefinition, 'input' | 'output'> & {
      readonly input?: Input | undefined;
      readonly output?: Output | undefined;
    },
    handler: ToolHandler<Input, Output, State, Kept>,
  ): ToolRegistration<Input, Output, State, Kept> {
    return this.#addTool(name, definition as ToolDefinition, handler as AnyToolHandler);
  }

  #addTool(
    name: string,
    definition: ToolDefinition,
    handler: AnyToolHandler,
  ): ReturnType<typeof registerEntry> {
    const entry = new ToolEntry(name, linkedToApp(name, definition, this.#apps), handler);
    if (this.#started) entry.assertServable();
    assertTaskRuns(entry);
    if (entry.taskSupport !== 'never') this.#enableTasks();
    return registerEntry(this.#catalogue.tools, name, entry);
  }

  /** Adds a resource at a URI, or a family of them behind an RFC 6570 template such as `file:///{+path}`. */
  resource<const Uri extends string>(
    uri: Uri,
    definition: ResourceDefinition,
    handler: ResourceHandler<VariablesOf<Uri>, State, Kept>,
  ): ResourceRegistration<VariablesOf<Uri>, State, Kept> {
    const registry = isUriTemplate(uri) ? this.#catalogue.templates : this.#catalogue.resources;
    const entry = new ResourceEntry(uri, definition, handler as ResourceHandler<TemplateVariables>);
    return registerEntry(registry, uri, entry);
  }

  prompt<const Input extends AnySchema = { readonly type: 'object' }>(
    name: string,
    definition: Omit<PromptDefinition, 'input'> & { readonly input?: Input | undefined },
    handler: PromptHandler<Input, State, Kept>,
  ): PromptRegistration<Input, State, Kept> {
    const entry = new PromptEntry(name, definition as PromptDefinition, handler as PromptHandler<AnySchema>);
    if (this.#started) entry.assertServable();
    return registerEntry(this.#catalogue.prompts, name, entry);
  }

  /** Serves a method of your own (an extension), in every revision. */
  method(name: string, handler: MethodHandler<State, Kept>): Registration {
    const { dispatcher } = this.#core;
    assertHandler('method', name, handler);
    if (dispatcher.hasRoute(name)) throw new Error(`The method "${name}" is already served`);
    const route: Route = { custom: true, handle: handler as MethodHandler };
    dispatcher.route(name, route);
    return { remove: () => dispatcher.removeRoute(name, route) };
  }

  /** Serves an extension. What it declares, and the types of its handlers, follow from its definition. */
  extension<Shape extends ExtensionShape>(
    extension: Extension<Shape>,
    implementation: ExtensionImplementation<Shape>,
  ): ServedExtension<Shape> {
    const { dispatcher, hub } = this.#core;
    const declared = (): void => {
      this.#introduction = undefined;
    };
    this.#extensions ??= new ServerExtensions({ dispatcher, hub, declared });
    return this.#extensions.add(extension, implementation);
  }

  /**
   * Adds an app: a page that hosts with the MCP Apps extension show beside the results of the tools that name it. Other
   * clients get the results of these tools as ever.
   *
   * @example
   * server.app('chart', { html: '<!doctype html>...', csp: { connectDomains: ['https://api.example.com'] } });
   * server.tool('sales', { app: 'chart', output: Sales }, () => readSales());
   */
  app(name: string, definition: AppDefinition): Registration {
    const { definition: resource, read } = appResource(name, definition);
    const registration = this.resource(appUri(name), resource, ({ uri }, ctx) => read(uri, ctx));
    if (this.#apps === undefined) this.extension(apps, { methods: {} });
    this.#apps ??= new Set();
    const known = this.#apps;
    known.add(name);
    return {
      ...registration,
      remove: () => {
        known.delete(name);
        return registration.remove();
      },
    };
  }

  /**
   * Serves a folder of skills to clients of the Skills extension: every directory with a SKILL.md is one. Changes in
   * the folder are served at once. Rejects if there is no such folder, or a skill in it cannot be served.
   *
   * @example await server.skills('./skills');
   */
  async skills(folder: string, options: SkillsOptions = {}): Promise<ServedSkills> {
    const { SkillsService, openSkillsFolder } = await import('./node-skills-folder.js');
    const source = await openSkillsFolder(folder);
    const service = new SkillsService(this, source, options);
    const forget = this.#core.closing.onBegin(() => source.close());
    try {
      await service.refresh();
    } catch (error) {
      forget();
      service.close();
      throw error;
    }
    const report = options.onProblem ?? ((error: Error) => this.#core.onError(error, 'skills'));
    if (options.watch !== false) source.watch(() => void service.refresh().catch(report), report);
    return service;
  }

  /** Hears client notifications that have no effect on the server itself, e.g. `notifications/roots/list_changed`. */
  onNotification(method: string, handler: NotificationHandler): Registration {
    const handlers = this.#notificationHandlers.get(method) ?? new Set();
    handlers.add(handler);
    this.#notificationHandlers.set(method, handlers);
    return { remove: () => handlers.delete(handler) };
  }

  /** Wraps calls in both directions; the first one added is outermost. */
  use<Method extends CallMethod>(method: Method, middleware: TypedMiddleware<Method, State>): this;
  use(filter: MethodPattern, middleware: AnyMiddleware<State>): this;
  /** `{ method: 'acme/sum' }` is for methods of your own. */
  use(filter: CallFilter, middleware: Middleware): this;
  use(...layers: readonly (AnyMiddleware<State> | Layer)[]): this;
  use(...given: readonly unknown[]): this {
    for (const entry of middlewareEntries(given)) this.#core.use(entry);
    return this;
  }

  /** Notifies subscribers that a resource has changed. */
  resourceUpdated(uri: string): void {
    this.#core.hub.announce({ type: 'resource', uri });
  }

  /** Notifies clients that a list has changed. Adding and removing an entry does this automatically. */
  listChanged(kind: ListKind): void {
    this.#core.hub.listChanged(kind);
  }

  /** Logs to every handshake client whose level admits it. Inside a call, use `ctx.log`. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    assertLogLevel(level);
    if (this.capabilities.logging === undefined) return;
    const params = logger === undefined ? { level, data } : { level, logger, data };
    this.#core.hub.announce({ type: 'log', level, params });
  }

  /** What is declared to clients, from what is registered and what the options add. */
  get capabilities(): ServerCapabilities {
    return this.#introduce().capabilities;
  }

  /** Serves a client on a transport until either side closes it. */
  connect(transport: Transport, identity?: ConnectionIdentity): Promise<void> {
    return this.#core.connect(transport, identity);
  }

  /** The client's end of a new in-memory connection to this server: `connect(server)`. */
  transport(): Transport {
    return this.#core.transport();
  }

  /**
   * Serves one client on stdin and stdout. Resolves when it has gone. Timers or sockets of your own do not keep
   * the process: a server whose client was killed must not stay behind; `exit: false` leaves that to you.
   */
  stdio(options: StdioServeOptions = {}): Promise<void> {
    return this.#core.stdio(options);
  }

  /** Listens for HTTP on Node; other runtimes use `fetch`. */
  http(options: HttpServeOptions = {}): Promise<HttpHandle> {
    return this.#core.http(options);
  }

  /** Ends listen streams properly, lets running HTTP calls finish within the limit, then closes every connection. */
  close(options?: CloseOptions): Promise<void> {
    return this.#core.close(options);
  }

  /** Describes everything before the first client is there, while the author still reads errors. */
  #start(): void {
    if (this.#checked) return;
    this.#started = true;
    const { tools, prompts } = this.#catalogue;
    assertAllServable([...tools.entries(), ...prompts.entries()]);
    this.#checked = true;
  }

  /** Servers without task tools know nothing of tasks. */
  #enableTasks(): void {
    if (this.#tasks !== undefined) return;
    const { dispatcher, hub, admission, closing, onError } = this.#core;
    const serve: TaskSupportHost['serve'] = (extension, implementation) =>
      this.extension(extension, implementation);
    const host = { dispatcher, hub, admission, closing, onError, serve };
    this.#tasks = new TaskSupport(host, this.#options.tasks);
  }

  #introduce(): Introduction {
    this.#introduction ??= {
      info: this.#info,
      instructions: this.#options.instructions,
      capabilities: deriveCapabilities(this.#catalogue, this.#options, this.#extensions?.declared()),
    };
    return this.#introduction;
  }

  #notified(method: string, params: JsonObject, caller: Caller): void {
    for (const handler of this.#notificationHandlers.get(method) ?? []) {
      try {
        const handled = handler(params, caller);
        if (handled instanceof Promise) handled.catch((error) => this.#core.onError(error, method));
      } catch (error) {
        this.#core.onError(error, method);
      }
    }
  }

  #changed(kind: ListKind): void {
    this.#introduction = undefined;
    this.#core.hub.listChanged(kind);
  }

  /** What a client of the handshake era hears: some extensions are of the other era, and tasks its own. */
  #capabilitiesFor(session: Session): ServerCapabilities {
    const { capabilities } = this.#introduce();
    if (this.#extensions === undefined) return capabilities;
    const withheld = this.#extensions.withheld(session.revision);
    const { extensions, ...rest } = capabilities;
    const shown = Object.entries(extensions ?? {}).filter(([id]) => !withheld.includes(id));
    return {
      ...rest,
      ...(shown.length === 0 ? {} : { extensions: Object.fromEntries(shown) }),
      ...(this.#tasks === undefined ? {} : { tasks: this.#tasks.capabilitiesFor(session) }),
    };
  }
}
