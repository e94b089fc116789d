/** A connected client: the server's areas, and what concerns the connection as a whole. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { CompleteParams, CompleteResult, CompletionReference } from '../protocol/model/completion.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { ClientNotifications, ClientRequests } from '../protocol/model/methods.js';
import type { Root } from '../protocol/model/roots.js';
import { readable } from '../protocol/revisions/vocabulary.js';
import type { Core } from './core.js';
import { notSupported } from './errors.js';
import type { ClientEvent, ClientEventHandler } from './events.js';
import type { LinkStats } from './link.js';
import type { CallOptions } from './options.js';
import { Prompts } from './prompts.js';
import { Resources } from './resources.js';
import { readCompletion } from './results.js';
import { Tools } from './tools.js';

export interface CompleteOptions extends CallOptions {
  /** Arguments that are already settled. */
  readonly context?: { readonly arguments?: { [name: string]: string } } | undefined;
}

export interface ClientStats extends Readonly<LinkStats> {
  /** Requests without an answer yet. */
  readonly waiting: number;
}

export class Client {
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly completion: Completion;
  readonly logging: Logging;
  readonly roots: Roots;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.tools = new Tools(core);
    this.resources = new Resources(core);
    this.prompts = new Prompts(core);
    this.completion = new Completion(core);
    this.logging = new Logging(core);
    this.roots = new Roots(core);
  }

  /** The protocol revision in use. */
  get revision(): string {
    return this.#core.connection.era.session.revision.version;
  }

  /** Who the server says it is: for display and logs. */
  get server(): Implementation | undefined {
    return this.#core.connection.era.session.server;
  }

  /** What the server declared; empty when it would not say. */
  get capabilities(): ServerCapabilities {
    return this.#core.connection.era.session.capabilities ?? {};
  }

  /** How to use the server, for the model. */
  get instructions(): string | undefined {
    return this.#core.connection.era.session.instructions;
  }

  get stats(): ClientStats {
    const { link } = this.#core.connection;
    return { ...link.stats, waiting: link.waiting };
  }

  /** Runs the handler at every such event, until the function returned is called. */
  on<E extends ClientEvent>(event: E, handler: ClientEventHandler<E>): () => void {
    return this.#core.on(event, handler);
  }

  /** Any request, also of extensions; the result comes back as the server sent it. */
  request<M extends keyof ClientRequests>(
    method: M,
    params?: ClientRequests[M]['params'],
    options?: CallOptions,
  ): Promise<ClientRequests[M]['result']>;
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    return this.#core.request({ method, params, options, raw: true, read: (result) => result });
  }

  /** Any notification, also of extensions. */
  notify<M extends keyof ClientNotifications>(method: M, params?: ClientNotifications[M]): Promise<void>;
  notify(method: string, params?: JsonObject): Promise<void>;
  async notify(method: string, params: JsonObject = {}): Promise<void> {
    this.#core.connection.notify(method, params);
  }

  /** A round trip to the server; rejects when there is none. */
  ping(options: CallOptions = {}): Promise<void> {
    return this.#core.connection.era.ping(options);
  }

  /** Ends the connection in the orderly way; calls under way are rejected. */
  close(): Promise<void> {
    return this.#core.connection.close();
  }
}

/** Suggestions for an argument of a prompt or of a resource template. */
export class Completion {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    { context, ...options }: CompleteOptions = {},
  ): Promise<CompleteResult> {
    const { revision } = this.#core.connection.era.session;
    const params: CompleteParams = {
      ref: ref.type === 'ref/prompt' ? readable(revision, 'promptReference', ref) : ref,
      argument,
      ...(context === undefined ? {} : { context }),
    };
    return this.#core.call('completions', {
      method: 'completion/complete',
      params: readable(revision, 'completeParams', params),
      options,
      read: readCompletion,
    });
  }
}

export class Logging {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** The least severe log message wanted from now on. */
  setLevel(level: LogLevel, options: CallOptions = {}): Promise<void> {
    return this.#core.setLogLevel(level, options);
  }
}

/** The places where the server may work. */
export class Roots {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Replaces them, and tells the server where the revision has a word for it. */
  async set(roots: readonly Root[]): Promise<void> {
    const { connection, responder } = this.#core;
    if (!responder.hasRoots) {
      throw notSupported('This client declared no roots', 'pass roots (an empty list will do) to connect()');
    }
    responder.setRoots(roots);
    const changed = 'notifications/roots/list_changed';
    if (connection.era.session.revision.clientNotifications.has(changed)) connection.notify(changed, {});
  }
}
