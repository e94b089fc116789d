/**
 * What every server is made of, whatever stands behind it: the dispatcher, the fan-out of changes, the connections,
 * and the ways to serve. The author's API (server.ts) and the chain put their own backend behind it.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller, CallState, FilteredMiddleware } from '../middleware/compose.js';
import { createTelemetry, type Telemetry } from '../middleware/observe.js';
import { findTracer } from '../middleware/tracer.js';
import { neverAborted } from '../protocol/cancellation.js';
import type { CloseOptions } from '../protocol/close-options.js';
import { milliseconds } from '../protocol/duration.js';
import { given } from '../protocol/given.js';
import { lazily } from '../protocol/lazily.js';
import type { MirroredParameter } from '../protocol/mirrored-headers.js';
import type { CacheHints } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import { type Revision, selectRevisions } from '../protocol/revisions/index.js';
import { type ResultStamp, writeResult } from '../protocol/revisions/results.js';
import type { Store } from '../store/store.js';
import type { NodeHandler } from '../transports/http/server/node.js';
import { createMemoryPair } from '../transports/memory.js';
import type { Transport } from '../transports/transport.js';
import { Admission } from './admission.js';
import type { BucketOptions } from './buckets/bucket.js';
import type { BucketService } from './buckets/bucket-service.js';
import { Closing } from './closing.js';
import type { Connection, ConnectionIdentity } from './connection.js';
import { Dispatcher } from './dispatcher.js';
import { guardedReport } from './error-report.js';
import type { Introduction, ServerHost, ServerStats } from './host.js';
import type { HttpHandle, HttpServeOptions, HttpService } from './http/service.js';
import { ChangeHub } from './hub.js';
import type { OpenSealer, StateSealer } from './input-state.js';
import { type LimitNumbers, limitNumbers } from './limits.js';
import type { StdioServeOptions } from './node-stdio.js';
import {
  DEFAULT_LIST_CACHE,
  DEFAULT_READ_CACHE,
  DEFAULT_STATE_TTL_MS,
  type ServingOptions,
  STATE_KEYS_VARIABLE,
} from './options.js';
import type { Route } from './route.js';
import type { Session } from './session.js';
import { createStats } from './stats.js';

/** A client in memory is part of this process. */
const LOCAL: ConnectionIdentity = { principal: undefined, isLocal: true };

const loadConnection = lazily(() => import('./connection.js'));
const loadSealer = lazily(() => import('./input-state.js'));

/** How long after the first client, or the beginning of listening, things are made ready for later. */
const PREPARE_MS = 100;

/** A server keeps values for its handlers; a chain has none. */
export interface KeepingOptions extends ServingOptions {
  readonly session?: BucketOptions | undefined;
  readonly user?: BucketOptions | undefined;
}

/** What a server serves. */
export interface Backend {
  /** Who serves, and with what; asked again for each client, because both may change. */
  introduction(): Introduction;
  /** What is declared to a client of the handshake era, where that is not what the introduction says. */
  capabilitiesFor?(session: Session): ServerCapabilities;
  /** A notification of a handshake client that no lifecycle consumed. */
  notified(method: string, params: JsonObject, caller: Caller, session: Session): void;
  mirroredParameters(tool: string): readonly MirroredParameter[] | undefined;
  requiredScopes(tool: string): readonly string[] | undefined;
  /** The server begins to serve; throws when something cannot be served. */
  starting?(): void;
  /** Called while there is nothing else to do: what calls will need can be made ready. */
  prepare?(): void;
  /** A client has said hello, and the introduction is about to be made; it waits for this. */
  opened?(session: Session): Promise<void> | undefined;
  /** A session is over: itself where it lived with its connection, its id where it did not. */
  ended?(session: Session | string): void;
}

export class ServerCore {
  readonly stats: ServerStats = createStats((kind) => {
    // What we could not deliver is not a violation of the peer.
    if (kind === 'lost') return;
    const message = 'The client sent something that is not a JSON-RPC message';
    this.#telemetry?.observe({ type: 'violation', side: 'server', kind, message });
  });
  readonly hub: ChangeHub = new ChangeHub();
  readonly dispatcher: Dispatcher;
  readonly revisions: readonly Revision[];
  readonly closing: Closing = new Closing();
  readonly limits: LimitNumbers;
  readonly admission: Admission;
  readonly openSealer: OpenSealer;
  readonly onError: ServerHost['onError'];
  readonly #backend: Backend;
  readonly #options: KeepingOptions;
  readonly #host: ServerHost;
  readonly #connections = new Set<Connection>();
  readonly #services = new Set<HttpService>();
  #stamp: ResultStamp | undefined;
  #telemetry: Telemetry | undefined;
  #traced = false;
  #prepares = false;
  /** What calls keep between them, made on first use. */
  #buckets: Promise<BucketService> | undefined;
  /** What `fetch` and `node` serve, made on first use. */
  #mount: HttpService | undefined;
  #mounting: Promise<HttpService> | undefined;
  #nodeHandler: NodeHandler | undefined;

  constructor(options: KeepingOptions, backend: Backend) {
    this.#options = options;
    this.#backend = backend;
    this.limits = limitNumbers(options.limits);
    this.admission = new Admission(this.limits);
    this.openSealer = sealerOpener(options);
    this.revisions = selectRevisions(options.revisions);
    this.onError = guardedReport(options.onError);
    this.dispatcher = new Dispatcher({
      stamp: () => this.#currentStamp(),
      openSealer: this.openSealer,
      exposeErrors: options.exposeErrors ?? false,
      announced: () => this.hub.announced(),
      logs: () => backend.introduction().capabilities.logging !== undefined,
      onError: this.onError,
      // The author's own type, which only the author's handlers and middleware look into.
      createState: (options.state ?? (() => ({}))) as () => CallState,
      openBucket: (kind, call, handle) =>
        this.#openBuckets().then((buckets) => buckets.open(kind, call, handle)),
      telemetry: () => this.#telemetry,
    });
    this.#telemetry = createTelemetry(options.observe, undefined);
    this.#host = this.#createHost();
  }

  route(routes: Readonly<Record<string, Route>>): void {
    for (const [method, route] of Object.entries(routes)) this.dispatcher.route(method, route);
  }

  use(entry: FilteredMiddleware): void {
    this.dispatcher.use(entry);
  }

  /** The answer to `server/discover`. */
  discover(cache: CacheHints | undefined): JsonObject {
    const { instructions, capabilities } = this.#backend.introduction();
    return {
      // Newest first: a client takes the first one it knows.
      supportedVersions: this.revisions.map(({ version }) => version).reverse(),
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      ...DEFAULT_LIST_CACHE,
      ...cache,
    };
  }

  /** An SDK is often set up after the server was made, and always before it serves. */
  #findTracer(): Promise<void> | undefined {
    const { telemetry, observe } = this.#options;
    if (telemetry === false || this.#traced) return undefined;
    return findTracer(telemetry)?.then((tracer) => {
      if (tracer === undefined || this.#traced) return;
      this.#traced = true;
      this.#telemetry = createTelemetry(observe, tracer);
    });
  }

  async connect(transport: Transport, identity?: ConnectionIdentity): Promise<void> {
    this.#backend.starting?.();
    const wasClosing = this.closing.hasBegun;
    // Served over HTTP alone, a server has no connections.
    const { Connection } = await loadConnection();
    await this.#findTracer();
    if (this.closing.hasBegun && !wasClosing) return transport.close();
    const closed = (): void => {
      this.#connections.delete(connection);
      // A client that only ended its input has had its answers, and waits for the end of ours.
      transport.close().catch((error: unknown) => this.onError(error, 'close'));
    };
    const connection = new Connection(this.#host, transport, closed, identity);
    this.#connections.add(connection);
    try {
      await transport.start(connection);
    } catch (error) {
      this.#connections.delete(connection);
      throw error;
    }
  }

  transport(): Transport {
    this.#backend.starting?.();
    const [ours, theirs] = createMemoryPair();
    this.connect(ours, LOCAL).catch(async (error: unknown) => {
      this.onError(error, 'connect');
      await ours.close();
    });
    return theirs;
  }

  async stdio(options: StdioServeOptions = {}): Promise<void> {
    const { serveStdio } = await import('./node-stdio.js');
    await serveStdio(options, {
      host: this.#host,
      connections: this.#connections,
      starting: () => this.#backend.starting?.(),
      traced: this.#findTracer(),
    });
  }

  async http(options: HttpServeOptions = {}): Promise<HttpHandle> {
    if (typeof options !== 'object')
      throw new TypeError(`http takes its options as an object: http({ port: ${String(options)} })`);
    this.#backend.starting?.();
    const service = await this.#createHttp({ ...this.#options.http, ...given(options) });
    const handle = await service.listen();
    this.#prepareSoon();
    return handle;
  }

  readonly fetch = (request: Request): Promise<Response> => {
    if (this.#mount !== undefined) return this.#mount.fetch(request);
    return this.#mounted().then((service) => service.fetch(request));
  };

  readonly node: NodeHandler = (request, response) => {
    if (this.#nodeHandler !== undefined) return this.#nodeHandler(request, response);
    this.#mounted()
      .then((service) => service.nodeHandler())
      .then(
        (handler) => {
          this.#nodeHandler = handler;
          handler(request, response);
        },
        (error: unknown) => this.onError(error, 'HTTP'),
      );
  };

  async close(options?: CloseOptions): Promise<void> {
    this.closing.begin();
    // Streams that end answer in microtasks; let those answers be written first.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await Promise.all([...this.#services].map((service) => service.close(options)));
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** The client that makes the first request must not pay for a mistake in one tool: it is reported, and not listed. */
  #mounted(): Promise<HttpService> {
    if (this.#mounting === undefined) {
      try {
        this.#backend.starting?.();
      } catch (error) {
        this.onError(error, 'HTTP');
      }
    }
    this.#mounting ??= this.#createHttp(this.#options.http ?? {}).then((service) => {
      this.#mount = service;
      return service;
    });
    return this.#mounting;
  }

  /** Loaded on first use: a server on stdio has no use for HTTP. */
  async #createHttp(options: HttpServeOptions): Promise<HttpService> {
    const { openHttpService } = await import('./http/service.js');
    await this.#findTracer();
    const service = await openHttpService(this.#host, options, (transport, identity) =>
      this.connect(transport, identity),
    );
    this.#services.add(service);
    return service;
  }

  #openBuckets(): Promise<BucketService> {
    const { session, user, http } = this.#options;
    const shared = (): Store | undefined => this.hub.relayStore ?? http?.store;
    this.#buckets ??= import('./buckets/bucket-service.js').then(
      ({ BucketService }) => new BucketService({ session, user, shared }),
    );
    return this.#buckets;
  }

  /** Texts are kept by stamp, so it stays the same object while the server's name does. */
  #currentStamp(): ResultStamp {
    const { info } = this.#backend.introduction();
    if (this.#stamp?.serverInfo !== info) this.#stamp = { serverInfo: info, cache: DEFAULT_READ_CACHE };
    return this.#stamp;
  }

  #createHost(): ServerHost {
    const { dispatcher, revisions, stats } = this;
    const backend = this.#backend;
    const handshakeRevisions = revisions.filter((revision) => revision.lifecycle === 'handshake');
    const statelessRevisions = revisions.filter((revision) => revision.lifecycle === 'stateless');
    const isHandshakeMethod = (method: string): boolean =>
      handshakeRevisions.some((revision) => revision.clientRequests.has(method)) ||
      dispatcher.isCustom(method);
    return {
      handshakeRevisions,
      statelessRevisions,
      newestRevision: revisions.at(-1) as Revision,
      dispatcher,
      hub: this.hub,
      limits: this.limits,
      admission: this.admission,
      stats,
      introduction: () => backend.introduction(),
      capabilitiesFor: (session) => backend.capabilitiesFor?.(session) ?? backend.introduction().capabilities,
      isHandshakeMethod,
      isStatelessMethod: (method) =>
        statelessRevisions.some((revision) => revision.clientRequests.has(method)) &&
        !isHandshakeMethod(method),
      writeResult: (revision, method, result) => writeResult(revision, method, result, this.#currentStamp()),
      notified: (method, params, caller, session) => this.#notified(method, params, caller, session),
      mirroredParameters: (tool) => backend.mirroredParameters(tool),
      requiredScopes: (tool) => backend.requiredScopes(tool),
      opened: (session) => {
        this.#prepareSoon();
        return backend.opened?.(session);
      },
      ended: (session) => {
        backend.ended?.(session);
        this.#buckets
          ?.then((buckets) => buckets.ended(session))
          .catch((error: unknown) => this.onError(error, 'session'));
      },
      onError: this.onError,
      countLost: () => {
        stats.lost += 1;
      },
    };
  }

  /** Not immediately: a client that has just connected needs its first answers now. */
  #prepareSoon(): void {
    if (this.#prepares || this.#backend.prepare === undefined) return;
    this.#prepares = true;
    const timer = setTimeout(() => this.#backend.prepare?.(), PREPARE_MS);
    if (typeof timer === 'object') timer.unref();
  }

  #notified(method: string, params: JsonObject, caller: Caller, session: Session): void {
    this.dispatcher.notification(method, params, { caller, signal: neverAborted() }, (current) =>
      this.#backend.notified(method, current, caller, session),
    );
  }
}

/** Loaded with the first question to a client without a session, or its answer: most servers ask nothing. */
function sealerOpener({ requestState }: ServingOptions): OpenSealer {
  const options = {
    keys: requestState?.keys ?? keysFromEnvironment(),
    ttlMs: milliseconds(requestState?.ttl ?? DEFAULT_STATE_TTL_MS),
    now: requestState?.now ?? Date.now,
  };
  let sealer: StateSealer | undefined;
  return async () => {
    const { StateSealer } = await loadSealer();
    sealer ??= new StateSealer(options);
    return sealer;
  };
}

function keysFromEnvironment(): readonly string[] {
  const value = typeof process === 'undefined' ? undefined : process.env[STATE_KEYS_VARIABLE];
  return value === undefined ? [] : value.split(',').filter((key) => key !== '');
}
