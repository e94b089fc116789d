/**
 * What outlives a connection: settings, handlers, the changes with listeners, cached results and schemas, the
 * log level. The areas of a client work on this, so that a new connection can take the place of a lost one
 * beneath them.
 */

import { isRecord, type JsonObject, type Notification } from '../jsonrpc/message.js';
import type { Telemetry } from '../middleware/observe.js';
import { subjectOf } from '../middleware/subject.js';
import { milliseconds } from '../protocol/duration.js';
import { McpError } from '../protocol/errors.js';
import type { ListKind } from '../protocol/list-kind.js';
import { LOG_LEVELS, type LogLevel, type LogMessageParams } from '../protocol/model/logging.js';
import type { ResourceUpdatedParams } from '../protocol/model/notifications.js';
import type { SubscriptionFilter } from '../protocol/model/subscriptions.js';
import { findOptionProblem } from '../protocol/option-names.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { TransportError } from '../transports/errors.js';
import type { CloseReason } from '../transports/transport.js';
import { type ServerFeature, undeclared } from './connection/capabilities.js';
import type { ClientConnection, ConnectionOwner } from './connection/connection.js';
import { Driver, type DriverHost, type StateChange } from './connection/driver.js';
import { ClientExchange } from './connection/exchange.js';
import type { LinkStats, Stray } from './connection/link.js';
import type { OutgoingCall } from './connection/outgoing-call.js';
import { SessionHandles } from './connection/session-handles.js';
import { CancelledError, type ConnectionClosedError } from './errors.js';
import { type ClientEvent, type ClientEventHandler, type ClientFault, Events } from './events.js';
import { ArgumentHeaders } from './features/argument-headers.js';
import { ResponseCache } from './features/cache.js';
import { ExtensionFilters } from './features/extension-filters.js';
import { OutputSchemas } from './features/output-schemas.js';
import { ResourceSubscriptions, type UpdateHandler } from './features/resource-subscriptions.js';
import type { Subscriber } from './features/subscriber.js';
import { type AskContext, Responder } from './input/asks.js';
import { CALL_OPTIONS } from './option-names.js';
import type { CallOptions, ConnectOptions, Settings } from './options.js';
import { CallRetries, type CallRetriesHost } from './recovery/call-retries.js';
import { ChangeCoalescer } from './recovery/change-coalescer.js';
import { reestablish } from './recovery/reestablish.js';
import { RepeatableTools } from './recovery/replay.js';
import { isReopenable, type Target } from './target.js';

export class Core implements DriverHost, CallRetriesHost {
  readonly settings: Settings;
  readonly responder: Responder;
  readonly cache: ResponseCache;
  readonly subscriptions: ResourceSubscriptions = new ResourceSubscriptions();
  /** What tools say of tasks, by name, where clients choose. */
  readonly taskTools: Map<string, string> = new Map();
  readonly extensionFilters: ExtensionFilters = new ExtensionFilters();
  readonly schemas: OutputSchemas;
  readonly argumentHeaders: ArgumentHeaders;
  readonly handles: SessionHandles = new SessionHandles();
  readonly repeatableTools: RepeatableTools = new RepeatableTools();
  readonly driver: Driver;
  readonly stats: LinkStats = { late: 0, duplicate: 0, unknown: 0, malformed: 0 };
  lastId = 0;
  readonly #events = new Events();
  readonly #retries = new CallRetries(this);
  readonly #answer: ConnectionOwner['answer'] | undefined;
  readonly #coalescers: Readonly<Record<ListKind, ChangeCoalescer>>;
  #logLevel: LogLevel | undefined;
  #connection: ClientConnection | undefined;

  /** `answer` takes the place of the handlers in the options. */
  constructor(
    target: Target,
    settings: Settings,
    options: ConnectOptions,
    answer?: ConnectionOwner['answer'],
  ) {
    this.settings = settings;
    const { policy } = settings;
    this.driver = new Driver(target, this, {
      ...policy,
      recover: policy.recover && isReopenable(target),
    });
    this.#answer = answer;
    this.responder = new Responder(settings.handlers, settings.capabilities);
    this.cache = new ResponseCache(settings.maxCacheEntries, settings.maxCacheBytes, settings.clock);
    const { clock } = settings;
    this.#coalescers = {
      tools: new ChangeCoalescer(() => this.#events.emit('toolsChanged'), clock),
      prompts: new ChangeCoalescer(() => this.#events.emit('promptsChanged'), clock),
      resources: new ChangeCoalescer(() => this.#events.emit('resourcesChanged'), clock),
    };
    const note = (message: string): void => this.fault({ kind: 'deviation', message });
    this.schemas = new OutputSchemas(note);
    this.argumentHeaders = new ArgumentHeaders(note);
    this.#logLevel = options.logLevel;
    if (options.onLog !== undefined) this.#events.on('log', options.onLog);
    if (options.onNotification !== undefined) this.#events.on('notification', options.onNotification);
    if (options.onFault !== undefined) this.#events.on('fault', options.onFault);
  }

  get connection(): ClientConnection {
    if (this.#connection !== undefined) return this.#connection;
    throw this.driver.refusal('This');
  }

  get isReady(): boolean {
    return this.driver.isReady;
  }

  /** Resolves when calls can go out; where they shall not wait for that, rejects at once. */
  ready(method: string, { whenNotReady, timeout, signal }: CallOptions): Promise<void> {
    if (this.driver.isReady) return Promise.resolve();
    if (signal?.aborted === true) return Promise.reject(new CancelledError(method, signal.reason, false));
    const { settings } = this;
    if ((whenNotReady ?? settings.whenNotReady) === 'fail') {
      return Promise.reject(this.driver.refusal(method));
    }
    return this.driver.ready({ method, timeout: milliseconds(timeout ?? settings.timeout), signal });
  }

  /** Whether headers repeat parts of each request, so that intermediaries can route by them. */
  get mirrorsArguments(): boolean {
    const { link, era } = this.connection;
    return link.endpoint !== undefined && era.session.revision.http.mirroredHeaders;
  }

  /** Whether clients choose which calls become tasks, and the server takes them. */
  get takesTasks(): boolean {
    const { revision, capabilities } = this.connection.era.session;
    return revision.tasks === 'core' && capabilities?.tasks?.requests?.tools?.call !== undefined;
  }

  get logLevel(): LogLevel | undefined {
    return this.#logLevel;
  }

  /** Puts a connection to use, and brings it up to what is wanted. */
  async attach(connection: ClientConnection): Promise<void> {
    // Changes since the last connection were not reported to us, and a listener of "ready" may call
    // immediately.
    this.#forget();
    this.#connection = connection;
    await reestablish(connection, this);
  }

  #forget(): void {
    this.cache.clear();
    this.schemas.forget();
    this.argumentHeaders.forget();
    this.repeatableTools.forget();
    this.taskTools.clear();
  }

  /** A call of a feature that the server must have declared. */
  call<T>(feature: ServerFeature, call: OutgoingCall<T>): Promise<T> {
    if (!this.driver.isReady) {
      return this.ready(call.method, call.options).then(() => this.call(feature, call));
    }
    const { revision, capabilities } = this.connection.era.session;
    const refusal = undeclared(revision, capabilities, feature);
    return refusal === undefined ? this.request(call) : Promise.reject(refusal);
  }

  /** Any request. What becomes of one that fails on its way is decided by CallRetries. */
  request<T>(call: OutgoingCall<T>): Promise<T> {
    return this.settings.telemetry === undefined
      ? this.send(call)
      : this.#traced(call, this.settings.telemetry);
  }

  send<T>(call: OutgoingCall<T>): Promise<T> {
    const problem = findOptionProblem(call.method, call.options, CALL_OPTIONS);
    if (problem !== undefined) return Promise.reject(problem);
    if (this.driver.isReady) return ClientExchange.run(this.connection, call, this.#retries);
    return this.ready(call.method, call.options).then(() => this.send(call));
  }

  async #traced<T>(call: OutgoingCall<T>, telemetry: Telemetry): Promise<T> {
    const { method, params, options } = call;
    const revision = this.#connection?.era.session.revision.version;
    const sent = options.meta === undefined ? params : { ...params, _meta: options.meta };
    const trace = telemetry.begin({
      side: 'client',
      method,
      subject: subjectOf(call),
      params: sent,
      revision,
    });
    const meta = trace.meta === undefined ? options.meta : { ...trace.meta, ...options.meta };
    let failure: string | undefined;
    try {
      const result = await this.send({ ...call, options: { ...options, meta } });
      if (isRecord(result) && result.isError === true) failure = 'tool_error';
      return result;
    } catch (error) {
      failure = error instanceof McpError ? error.code : 'failed';
      throw error;
    } finally {
      trace.end(failure);
    }
  }

  /** A call whose result may be remembered, where the revision and the server allow it. */
  async fetch<T>(feature: ServerFeature, call: OutgoingCall<T>): Promise<T> {
    const { method, params, options } = call;
    const mode = options.cache ?? 'default';
    if (!this.driver.isReady) await this.ready(method, options);
    const { revision } = this.connection.era.session;
    if (mode === 'no-store' || !revision.cacheable.has(method)) return this.call(feature, call);
    const remembered = mode === 'default' ? this.cache.read(method, params) : undefined;
    if (remembered !== undefined) return call.read(remembered.result, 0, remembered.size);
    const { epoch } = this.cache;
    return this.call(feature, {
      ...call,
      read: (result, rounds, size) => {
        // What took the user's input was meant for this call alone.
        if (rounds === 0) this.cache.write(method, params, result, epoch);
        return call.read(result, rounds, size);
      },
    });
  }

  on<E extends ClientEvent>(event: E, handler: ClientEventHandler<E>): () => void {
    const off = this.#events.on(event, handler);
    if (!(event in LIST_EVENTS)) return off;
    // Where changes have to be subscribed to, interest in them is what subscribes.
    this.#syncFeed();
    return () => {
      off();
      this.#syncFeed();
    };
  }

  /** A connection still to come asks for what is wanted by then. */
  #syncFeed(): void {
    if (this.driver.isReady) void this.#connection?.era.feed.sync();
  }

  async setLogLevel(level: LogLevel, options: CallOptions): Promise<void> {
    if (!LOG_LEVELS.includes(level)) {
      throw new McpError(
        'invalid_argument',
        `${JSON.stringify(level)} is not a log level; use one of: ${LOG_LEVELS.join(', ')}`,
      );
    }
    if (!this.driver.isReady) await this.ready('logging/setLevel', options);
    await this.connection.era.setLogLevel(level, options);
    this.#logLevel = level;
  }

  // What a connection requests and reports.

  answer(revision: Revision, method: string, params: JsonObject, context: AskContext): Promise<JsonObject> {
    return this.#answer === undefined
      ? this.responder.answer(revision, method, params, context)
      : this.#answer(revision, method, params, context);
  }

  wanted(): SubscriptionFilter {
    const filter: SubscriptionFilter = this.extensionFilters.fields();
    if (this.#events.has('toolsChanged')) filter.toolsListChanged = true;
    if (this.#events.has('promptsChanged')) filter.promptsListChanged = true;
    if (this.#events.has('resourcesChanged')) filter.resourcesListChanged = true;
    const uris = this.subscriptions.uris();
    if (uris.length > 0) filter.resourceSubscriptions = uris;
    return filter;
  }

  notification({ method, params = {} }: Notification, call?: OutgoingCall<unknown>): void {
    const owner = call?.owner;
    this.#events.emit('notification', owner === undefined ? { method, params } : { method, params, owner });
    switch (method) {
      case 'notifications/tools/list_changed':
        this.#toolsChanged();
        return;
      case 'notifications/prompts/list_changed':
        this.#promptsChanged();
        return;
      case 'notifications/resources/list_changed':
        this.#resourcesChanged();
        return;
      case 'notifications/resources/updated':
        if (isUpdate(params)) this.#updated(params);
        return;
      case 'notifications/message':
        if (isLogMessage(params)) this.#events.emit('log', params);
    }
  }

  missed(filter: SubscriptionFilter): void {
    if (filter.toolsListChanged === true) this.#toolsChanged();
    if (filter.promptsListChanged === true) this.#promptsChanged();
    if (filter.resourcesListChanged === true) this.#resourcesChanged();
    for (const uri of filter.resourceSubscriptions ?? []) this.#updated({ uri });
  }

  fault(fault: ClientFault): void {
    const { kind, message } = fault;
    const { telemetry } = this.settings;
    if (telemetry !== undefined && VIOLATIONS[kind] === true) {
      telemetry.observe({ type: 'violation', side: 'client', kind, message });
    }
    this.#events.fault(fault);
  }

  strayed(kind: Stray): void {
    this.stats[kind] += 1;
    this.settings.telemetry?.observe({ type: 'unknown_response', side: 'client', kind });
  }

  retried(method: string, error: unknown): void {
    this.settings.telemetry?.observe({ type: 'retry', side: 'client', method, error });
  }

  /** The handler of a subscription to this URI. */
  subscriber(uri: string, handler: UpdateHandler): Subscriber<[ResourceUpdatedParams]> {
    return this.#events.subscriber(`the subscriber of ${uri}`, handler, false);
  }

  guard(what: string, run: () => unknown): void {
    this.#events.guard(what, run);
  }

  interrupted(connection: ClientConnection, error: TransportError | undefined): void {
    if (error === undefined) this.missed(this.wanted());
    else this.driver.forgotten(connection, error);
  }

  closed(connection: ClientConnection, error: ConnectionClosedError): void {
    this.driver.closed(connection, error);
  }

  // What the driver reports.

  changed(change: StateChange): void {
    const { state, previous, error } = change;
    this.settings.telemetry?.observe({ type: 'state', side: 'client', state, previous, error });
    this.#events.emit('state', change);
  }

  /** After the first time: changes between the two connections were not reported to us. */
  resumed(first: boolean): void {
    if (!first) this.missed(this.wanted());
  }

  finished(reason: CloseReason): void {
    this.responder.close();
    for (const coalescer of Object.values(this.#coalescers)) coalescer.end();
    this.#events.emit('close', reason);
  }

  #toolsChanged(): void {
    this.cache.dropMethod('tools/list');
    this.schemas.forget();
    this.argumentHeaders.forget();
    this.repeatableTools.forget();
    this.taskTools.clear();
    this.#coalescers.tools.changed();
  }

  #promptsChanged(): void {
    this.cache.dropMethod('prompts/list');
    this.#coalescers.prompts.changed();
  }

  #resourcesChanged(): void {
    this.cache.dropMethod('resources/list');
    this.cache.dropMethod('resources/templates/list');
    this.#coalescers.resources.changed();
  }

  #updated(update: ResourceUpdatedParams): void {
    this.cache.dropUri(update.uri);
    for (const { subscriber } of this.subscriptions.concernedBy(update.uri)) subscriber.deliver([update]);
    this.#events.emit('resourceUpdated', update);
  }
}

const LIST_EVENTS: { readonly [E in ClientEvent]?: true } = {
  toolsChanged: true,
  resourcesChanged: true,
  promptsChanged: true,
};

/** Faults that are the server's. */
const VIOLATIONS: { readonly [Kind in ClientFault['kind']]?: true } = {
  noise: true,
  oversize: true,
  malformed: true,
  unexpected_answer: true,
  unexpected_message: true,
  deviation: true,
};

function isUpdate(params: JsonObject): params is ResourceUpdatedParams {
  return typeof params.uri === 'string';
}

function isLogMessage(params: JsonObject): params is LogMessageParams {
  return typeof params.level === 'string' && 'data' in params;
}
