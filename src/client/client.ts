/** A connected client: the server's areas, and what concerns the connection as a whole. */

import type { Extension, ExtensionShape } from '../extensions/extension.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { CloseOptions } from '../protocol/close-options.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { given } from '../protocol/given.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { CompleteParams, CompleteResult, CompletionReference } from '../protocol/model/completion.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { ClientNotifications, ClientRequests } from '../protocol/model/methods.js';
import type { Root } from '../protocol/model/roots.js';
import { readable } from '../protocol/revisions/vocabulary.js';
import type { LinkStats } from './connection/link.js';
import type { StateName } from './connection/machine.js';
import type { Core } from './core.js';
import { notSupported } from './errors.js';
import type { ClientEvent, ClientEventHandler } from './events.js';
import { ClientExtension } from './features/extensions.js';
import { Prompts } from './features/prompts.js';
import { Resources } from './features/resources.js';
import { readCompletion } from './features/results.js';
import { Skills } from './features/skills.js';
import { Tasks } from './features/tasks.js';
import { Tools } from './features/tools.js';
import type { CallOptions } from './options.js';

export interface CompleteOptions extends CallOptions {
  /** Arguments that are already settled. */
  readonly context?: { readonly arguments?: { [name: string]: string } | undefined } | undefined;
}

export interface ReadyOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. Default: no limit. */
  readonly timeout?: Duration | undefined;
}

export interface ClientStats extends Readonly<LinkStats> {
  /** Requests without an answer yet. */
  readonly waiting: number;
}

/** A connected client; `connect` makes it. */
export class Client {
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly completion: Completion;
  readonly logging: Logging;
  readonly roots: Roots;
  readonly tasks: Tasks;
  readonly #core: Core;
  #skills: Skills | undefined;

  constructor(core: Core) {
    this.#core = core;
    this.tools = new Tools(core);
    this.resources = new Resources(core);
    this.prompts = new Prompts(core);
    this.completion = new Completion(core);
    this.logging = new Logging(core);
    this.roots = new Roots(core);
    this.tasks = new Tasks(core);
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
    const { stats, connection } = this.#core;
    return { ...stats, waiting: connection.link.waiting };
  }

  /** Where the connection is in its life: calls go out in `ready`. */
  get state(): StateName {
    return this.#core.driver.state;
  }

  /** Why the connection was lost, or the last attempt failed; nothing while it is ready. */
  get error(): unknown {
    return this.#core.driver.error;
  }

  /** Resolves when calls can go out, however long that takes; rejects when the client is closed. */
  whenReady({ signal, timeout }: ReadyOptions = {}): Promise<void> {
    const patience = {
      method: 'whenReady',
      timeout: milliseconds(timeout ?? Number.POSITIVE_INFINITY),
      signal,
    };
    return this.#core.driver.ready(patience);
  }

  /** Tries to connect now rather than at the end of a backoff. */
  reconnect(): void {
    this.#core.driver.hurry();
  }

  /** Runs the handler at every such event, until the function returned is called. */
  on<E extends ClientEvent>(event: E, handler: ClientEventHandler<E>): () => void {
    return this.#core.on(event, handler);
  }

  /** The skills of the server, where it has the Skills extension. */
  get skills(): Skills {
    this.#skills ??= new Skills(this);
    return this.#skills;
  }

  /** An extension, with the types of its definition. */
  extension<Shape extends ExtensionShape>(extension: Extension<Shape>): ClientExtension<Shape> {
    return new ClientExtension(this.#core, extension);
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
    if (!this.#core.isReady) await this.#core.ready(method, {});
    this.#core.connection.notify(method, params);
  }

  /** A round trip to the server; rejects when there is none. */
  async ping(options: CallOptions = {}): Promise<void> {
    if (!this.#core.isReady) await this.#core.ready('ping', options);
    return this.#core.connection.era.ping(options);
  }

  /** Ends the connection in the orderly way. Calls under way are rejected, at once or after `drain`. */
  close({ drain = 0 }: CloseOptions = {}): Promise<void> {
    return this.#core.driver.close(milliseconds(drain));
  }
}

/** Suggestions for an argument of a prompt or of a resource template. */
export class Completion {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    { context, ...options }: CompleteOptions = {},
  ): Promise<CompleteResult> {
    if (!this.#core.isReady) await this.#core.ready('completion/complete', options);
    const { revision } = this.#core.connection.era.session;
    const params: CompleteParams = {
      ref: ref.type === 'ref/prompt' ? readable(revision, 'promptReference', ref) : ref,
      argument,
      ...(context === undefined ? {} : { context: given(context) }),
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

  /** Replaces them, and notifies the server where the revision has a notification for it. */
  async set(roots: readonly Root[]): Promise<void> {
    const { responder } = this.#core;
    if (!responder.hasRoots) {
      throw notSupported('This client declared no roots', 'pass roots (an empty list will do) to connect()');
    }
    responder.setRoots(roots);
    const changed = 'notifications/roots/list_changed';
    // A connection still to come is asked for its roots, if it wants them.
    if (!this.#core.isReady) return;
    const { connection } = this.#core;
    if (connection.era.session.revision.clientNotifications.has(changed)) connection.notify(changed, {});
  }
}
