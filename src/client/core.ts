/**
 * What outlives a connection: settings, handlers, the changes somebody wants to hear of, remembered results and
 * schemas, the log level. The areas of a client work on this, so that a new connection can take the place of a lost
 * one beneath them.
 */

import type { JsonObject, Notification } from '../jsonrpc/message.js';
import { McpError } from '../protocol/errors.js';
import { LOG_LEVELS, type LogLevel, type LogMessageParams } from '../protocol/model/logging.js';
import type { ResourceUpdatedParams } from '../protocol/model/notifications.js';
import type { SubscriptionFilter } from '../protocol/model/subscriptions.js';
import type { Revision } from '../protocol/revisions/index.js';
import { TransportError } from '../transports/errors.js';
import { ArgumentHeaders } from './argument-headers.js';
import { type AskContext, Responder } from './asks.js';
import { ResponseCache } from './cache.js';
import { type ServerFeature, undeclared } from './capabilities.js';
import type { Connection, ConnectionOwner } from './connection.js';
import type { ConnectionClosedError } from './errors.js';
import { type ClientEvent, type ClientEventHandler, type ClientFault, Events } from './events.js';
import type { Outgoing } from './exchange.js';
import { Interests } from './interests.js';
import { renewSession } from './open.js';
import type { CallOptions, ConnectOptions, Settings } from './options.js';
import { OutputSchemas } from './output-schemas.js';

export class Core implements ConnectionOwner {
  readonly settings: Settings;
  readonly responder: Responder;
  readonly cache: ResponseCache;
  readonly interests: Interests = new Interests();
  readonly schemas: OutputSchemas;
  readonly argumentHeaders: ArgumentHeaders;
  readonly #events = new Events();
  readonly #answer: ConnectionOwner['answer'] | undefined;
  #logLevel: LogLevel | undefined;
  #connection: Connection | undefined;
  #renewal: Promise<void> | undefined;

  /** `answer` takes the place of the handlers in the options. */
  constructor(settings: Settings, options: ConnectOptions, answer?: ConnectionOwner['answer']) {
    this.settings = settings;
    this.#answer = answer;
    this.responder = new Responder(settings.handlers, settings.capabilities);
    this.cache = new ResponseCache(settings.maxCacheEntries, settings.clock);
    const note = (message: string): void => this.fault({ kind: 'deviation', message });
    this.schemas = new OutputSchemas(note);
    this.argumentHeaders = new ArgumentHeaders(note);
    this.#logLevel = options.logLevel;
    if (options.onLog !== undefined) this.#events.on('log', options.onLog);
    if (options.onNotification !== undefined) this.#events.on('notification', options.onNotification);
    if (options.onFault !== undefined) this.#events.on('fault', options.onFault);
  }

  get connection(): Connection {
    if (this.#connection !== undefined) return this.#connection;
    throw new McpError('connection_closed', 'There is no connection; connect() first');
  }

  /** Whether headers repeat parts of each request, so that intermediaries can route by them. */
  get mirrorsArguments(): boolean {
    const { link, era } = this.connection;
    return link.endpoint !== undefined && era.session.revision.http.mirroredHeaders;
  }

  get logLevel(): LogLevel | undefined {
    return this.#logLevel;
  }

  /** Puts a connection to use, and brings it up to what is wanted. */
  async attach(connection: Connection): Promise<void> {
    this.#connection = connection;
    const { session } = connection.era;
    if (
      this.#logLevel !== undefined &&
      undeclared(session.revision, session.capabilities, 'logging') === undefined
    ) {
      try {
        await connection.era.setLogLevel(this.#logLevel, {});
      } catch (error) {
        this.fault({ kind: 'deviation', message: 'The server would not take the log level', cause: error });
      }
    }
    await connection.era.feed.sync();
  }

  /** A call of a feature that the server must have declared. */
  call<T>(feature: ServerFeature, call: Outgoing<T>): Promise<T> {
    const { revision, capabilities } = this.connection.era.session;
    const refusal = undeclared(revision, capabilities, feature);
    return refusal === undefined ? this.request(call) : Promise.reject(refusal);
  }

  /** Any request. When the server has forgotten the session, a new one is opened and the request sent again, once. */
  request<T>(call: Outgoing<T>): Promise<T> {
    const { connection } = this;
    const answer = connection.request(call);
    if (connection.link.endpoint === undefined) return answer;
    return answer.catch(async (error: unknown) => {
      if (!(error instanceof TransportError) || error.code !== 'session_lost') throw error;
      await this.#renewSession(connection);
      return this.connection.request(call);
    });
  }

  /** A call whose result may be remembered, where the revision and the server allow it. */
  async fetch<T>(feature: ServerFeature, call: Outgoing<T>): Promise<T> {
    const { method, params, options } = call;
    const mode = options.cache ?? 'default';
    const { revision } = this.connection.era.session;
    if (mode === 'no-store' || !revision.cacheable.has(method)) return this.call(feature, call);
    const remembered = mode === 'default' ? this.cache.read(method, params) : undefined;
    if (remembered !== undefined) return call.read(remembered, 0);
    const { epoch } = this.cache;
    return this.call(feature, {
      ...call,
      read: (result, rounds) => {
        // What took the user's input was meant for this call alone.
        if (rounds === 0) this.cache.write(method, params, result, epoch);
        return call.read(result, rounds);
      },
    });
  }

  on<E extends ClientEvent>(event: E, handler: ClientEventHandler<E>): () => void {
    const off = this.#events.on(event, handler);
    if (!(event in LIST_EVENTS)) return off;
    // Where changes have to be subscribed to, interest in them is what subscribes.
    void this.#connection?.era.feed.sync();
    return () => {
      off();
      void this.#connection?.era.feed.sync();
    };
  }

  async setLogLevel(level: LogLevel, options: CallOptions): Promise<void> {
    if (!LOG_LEVELS.includes(level)) {
      throw new McpError(
        'invalid_argument',
        `${JSON.stringify(level)} is no log level; use one of: ${LOG_LEVELS.join(', ')}`,
      );
    }
    await this.connection.era.setLogLevel(level, options);
    this.#logLevel = level;
  }

  // What a connection asks and tells.

  answer(revision: Revision, method: string, params: JsonObject, context: AskContext): Promise<JsonObject> {
    return this.#answer === undefined
      ? this.responder.answer(revision, method, params, context)
      : this.#answer(revision, method, params, context);
  }

  wanted(): SubscriptionFilter {
    const filter: SubscriptionFilter = {};
    if (this.#events.has('toolsChanged')) filter.toolsListChanged = true;
    if (this.#events.has('promptsChanged')) filter.promptsListChanged = true;
    if (this.#events.has('resourcesChanged')) filter.resourcesListChanged = true;
    const uris = this.interests.uris();
    if (uris.length > 0) filter.resourceSubscriptions = uris;
    return filter;
  }

  notification({ method, params = {} }: Notification, call?: Outgoing<unknown>): void {
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
    this.#events.fault(fault);
  }

  guard(what: string, run: () => unknown): void {
    this.#events.guard(what, run);
  }

  closed(error: ConnectionClosedError): void {
    this.#events.emit('close', error.reason);
  }

  /** Once for all the requests that found the session gone. */
  async #renewSession(lost: Connection): Promise<void> {
    if (this.#connection !== lost) return;
    this.#renewal ??= renewSession(lost, this)
      .then(async (connection) => {
        await this.attach(connection);
        // Whatever changed between the two sessions, nobody told us.
        this.missed(this.wanted());
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    await this.#renewal;
  }

  #toolsChanged(): void {
    this.cache.dropMethod('tools/list');
    this.schemas.forget();
    this.argumentHeaders.forget();
    this.#events.emit('toolsChanged');
  }

  #promptsChanged(): void {
    this.cache.dropMethod('prompts/list');
    this.#events.emit('promptsChanged');
  }

  #resourcesChanged(): void {
    this.cache.dropMethod('resources/list');
    this.cache.dropMethod('resources/templates/list');
    this.#events.emit('resourcesChanged');
  }

  #updated(update: ResourceUpdatedParams): void {
    this.cache.dropUri(update.uri);
    for (const { uri, handler } of this.interests.concernedBy(update.uri)) {
      this.guard(`the subscriber of ${uri}`, () => handler(update));
    }
    this.#events.emit('resourceUpdated', update);
  }
}

const LIST_EVENTS: { readonly [E in ClientEvent]?: true } = {
  toolsChanged: true,
  resourcesChanged: true,
  promptsChanged: true,
};

function isUpdate(params: JsonObject): params is ResourceUpdatedParams {
  return typeof params.uri === 'string';
}

function isLogMessage(params: JsonObject): params is LogMessageParams {
  return typeof params.level === 'string' && 'data' in params;
}
