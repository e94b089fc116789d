/**
 * Front server, middlewares, servers behind: `createChain().use(log()).to({ files: { command: 'files-server' } })`.
 * A chain is a server: it is served like one, and can stand behind another chain.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Middleware } from '../middleware/compose.js';
import { entriesOf, type Layer } from '../middleware/layer.js';
import type { CloseOptions } from '../protocol/close-options.js';
import type { ListKind } from '../protocol/list-kind.js';
import type { Implementation } from '../protocol/model/base.js';
import { PLUMB_VERSION } from '../protocol/version.js';
import type { ConnectionIdentity } from '../server/connection.js';
import type { CallContext } from '../server/context.js';
import { ServerCore } from '../server/core.js';
import type { Introduction, ServerStats } from '../server/host.js';
import type { HttpHandle, HttpServeOptions } from '../server/http/service.js';
import type { StdioServeOptions } from '../server/node-stdio.js';
import type { Peer } from '../server/peer.js';
import { Session } from '../server/session.js';
import type { Store } from '../store/store.js';
import type { NodeHandler } from '../transports/http/server/node.js';
import type { Transport } from '../transports/transport.js';
import { ChainTasks, detachedFirst } from './chain-tasks.js';
import { ChainExtensions } from './extensions.js';
import { Arrivals, askOutside, type Concerns, fanIn } from './fan-in.js';
import type { Instance } from './instance.js';
import { introductionOf } from './introduction.js';
import { Lists } from './lists.js';
import { meetAlone, meetServers } from './meeting.js';
import { ChainNodes, type ChainRoutes } from './nodes/chain-nodes.js';
import { type ChainOptions, parkingSettings } from './options.js';
import { ParkedCalls } from './parked.js';
import { Revival } from './revival.js';
import { chainRoutes, foreignRoute } from './routes.js';
import type { ServerEvent } from './server-events.js';
import { ServerLog } from './server-log.js';
import { resourceAddresses } from './server-uris.js';
import { SharedSubscriptions } from './subscriptions.js';
import { type Destination, type Destinations, destinationsOf } from './targets.js';
import { taskResumption } from './task-resumption.js';
import { type Health, Upstream } from './upstream.js';
import { Upstreams } from './upstreams.js';

/** How long calls may go on that run on a server which was taken out of the chain. */
const DRAIN_MS = 30_000;
const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** What a chain is made of. */
export interface ChainParts {
  readonly destinations: Destination | Destinations;
  readonly layers: readonly (Layer | Middleware)[];
}

/** A server in front of other servers; `createChain().to(...)` makes it. */
export class Chain {
  #parts: ChainParts;
  readonly #core: ServerCore;
  readonly #options: ChainOptions;
  readonly #extensions: ChainExtensions;
  readonly #tasks: ChainTasks;
  readonly #upstreams: Upstreams;
  readonly #lists: Lists;
  readonly #parked: ParkedCalls;
  /** Where the chain shares a store with other nodes. */
  #nodes: ChainNodes | undefined;
  readonly #subscriptions: SharedSubscriptions;
  readonly #revival: Revival;
  readonly #arrivals = new Arrivals();
  /** Connections that were closed for want of use: their subscriptions are made again with the next call. */
  readonly #suspended = new WeakSet<Instance>();
  /** Taken out of the chain while calls ran on them. */
  readonly #leaving = new Set<Upstream>();
  readonly #info: Implementation;
  readonly #log = new ServerLog({ write: (line) => console.error(line) });
  #introduction: Introduction | undefined;
  /** Serves a web Request, for Deno, Bun, Workers and Hono. Bound: it can be passed on by itself. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Serves a Node request, for node:http, Express and Fastify. Bound: it can be passed on by itself. */
  readonly node: NodeHandler;

  constructor(
    options: ChainOptions,
    layers: readonly (Layer | Middleware)[],
    destinations: Destination | Destinations,
  ) {
    this.#options = options;
    this.#extensions = new ChainExtensions(options.extensions ?? []);
    this.#parts = { destinations, layers: [] };
    const { name = 'plumb-chain', version = PLUMB_VERSION, title } = options;
    this.#info = title === undefined ? { name, version } : { name, version, title };
    const onError = options.onError ?? ((error, method) => this.#log.error(error, method));
    this.#core = new ServerCore(
      { ...options, onError },
      {
        introduction: () => this.#introduce(),
        capabilitiesFor: (session) => this.#tasks.capabilitiesFor(session, this.#introduce().capabilities),
        notified: (method, params, _caller, session) => {
          if (this.#nodes === undefined) this.#notified(method, params, session);
          else this.#nodes.notified(method, params, session);
        },
        mirroredParameters: (tool) => this.#lists.mirroredParameters(tool),
        requiredScopes: () => undefined,
        opened: (session) => {
          this.#arrivals.add(session);
          const meet = (): Promise<void> | undefined => this.#meet(session);
          return this.#nodes === undefined ? meet() : this.#nodes.opened(session, meet);
        },
        ended: (session) => this.#ended(session),
      },
    );
    const hasTasks = (): boolean => this.#introduce().capabilities.tasks !== undefined;
    const resumption = taskResumption(() => this.#upstreams.members);
    this.#tasks = new ChainTasks(this.#core, hasTasks, resumption, options.tasks);
    this.fetch = this.#core.fetch;
    this.node = this.#core.node;
    this.#parked = new ParkedCalls(
      parkingSettings(options.parked),
      this.#core.admission.state,
      () => this.#nodes,
    );
    this.#revival = new Revival((instance) => this.#isListenedTo(instance));
    this.#upstreams = new Upstreams(this.#createUpstreams(destinations));
    this.#lists = new Lists(
      this.#upstreams,
      this.#core.onError,
      (kind) => this.#core.hub.listChanged(kind),
      options.lists,
    );
    const bounds = { perSession: this.#core.limits.subscriptions, state: this.#core.admission.state };
    const addresses = resourceAddresses((instance) => this.#upstreams.memberOf(instance));
    this.#subscriptions = new SharedSubscriptions(bounds, addresses, (instance, update) => {
      const { own, uri, subscribed } = update;
      if (this.#upstreams.memberOf(instance)?.naming.showsAddress(own) === false) return;
      if (this.#nodes?.updated(this.#sessionOf(instance), uri, subscribed) === true) return;
      const concerns = this.#concerns(instance);
      this.#core.hub.resourceUpdated(
        uri,
        subscribed,
        (session) => session === undefined || concerns(session),
      );
    });
    this.use(...layers);
    this.#route();
  }

  get stats(): ServerStats {
    return this.#core.stats;
  }

  /** How each server behind is doing. */
  get health(): Health[] {
    return this.#upstreams.health();
  }

  /** Another chain of the same kind becomes this one with `replace(parts.destinations, parts.layers)`. */
  get parts(): ChainParts {
    return this.#parts;
  }

  /** Adds middleware inside of what is there. */
  use(...layers: (Layer | Middleware)[]): this {
    this.#parts = { ...this.#parts, layers: [...this.#parts.layers, ...layers] };
    for (const layer of layers) for (const entry of entriesOf(layer)) this.#core.use(entry);
    return this;
  }

  /** Puts other servers behind while clients stay connected; those that did not change keep running. */
  async replace(
    destinations: Destination | Destinations,
    layers?: readonly (Layer | Middleware)[],
  ): Promise<void> {
    this.#parts = { destinations, layers: layers ?? this.#parts.layers };
    if (layers !== undefined) this.#core.dispatcher.reset(layers.flatMap(entriesOf));
    const before = this.#upstreams.members.map(({ upstream }) => upstream);
    const after = this.#createUpstreams(destinations, before);
    this.#upstreams.replace(after);
    this.#introduction = undefined;
    for (const kind of LIST_KINDS) this.#core.hub.listChanged(kind);
    const gone = before.filter((upstream) => !after.includes(upstream));
    await Promise.all(gone.map((upstream) => (upstream.isIdle ? upstream.close() : this.#leave(upstream))));
  }

  /** Calls that run on a removed server may finish; the caller of this method does not wait for them. */
  #leave(upstream: Upstream): void {
    this.#leaving.add(upstream);
    upstream
      .drain(DRAIN_MS)
      .catch((error: unknown) => this.#core.onError(error, 'drain'))
      .finally(() => this.#leaving.delete(upstream));
  }

  /** Serves a client on a transport until either side closes it. */
  connect(transport: Transport, identity?: ConnectionIdentity): Promise<void> {
    return this.#core.connect(transport, identity);
  }

  /** The client's end of a new in-memory connection to this chain. */
  transport(): Transport {
    return this.#core.transport();
  }

  /** Serves one client on stdin and stdout. Resolves when it has gone, and the servers behind with it. */
  async stdio(options: StdioServeOptions = {}): Promise<void> {
    await this.#core.stdio(options);
    await this.close();
  }

  /** Listens for HTTP on Node; other runtimes use `fetch`. */
  http(options: HttpServeOptions = {}): Promise<HttpHandle> {
    return this.#core.http(options);
  }

  /** Lets running HTTP calls finish within the limit, then closes every connection, and the servers behind. */
  async close(options?: CloseOptions): Promise<void> {
    await this.#core.close(options);
    await this.#nodes?.close();
    this.#parked.close();
    this.#revival.close();
    await Promise.all([...this.#leaving].map((upstream) => upstream.close()));
    await this.#upstreams.close();
  }

  #route(): void {
    const { dispatcher, hub, closing, limits, openSealer, onError } = this.#core;
    const host = {
      upstreams: this.#upstreams,
      extensions: this.#extensions,
      lists: this.#lists,
      parked: this.#parked,
      subscriptions: this.#subscriptions,
      hub,
      closing,
      limits,
      openSealer,
      onError,
      watches: (method: string) => dispatcher.hasOutbound(method),
      capabilities: () => this.#introduce().capabilities,
      honoured: (requested: JsonObject, ctx: CallContext) => this.#tasks.honoured(requested, ctx),
      meet: (ctx: CallContext) => this.#meet(ctx.peer) ?? Promise.resolve(),
      discover: () => this.#core.discover(undefined),
    };
    const routes = { own: chainRoutes(host), foreign: (method: string) => foreignRoute(host, method) };
    this.#core.route(detachedFirst(routes.own));
    dispatcher.routeOthers(routes.foreign);
    hub.whenShared((store) => this.#attach(store, routes));
  }

  /** From now on each session is served on the node that has its servers. */
  #attach(store: Store, routes: ChainRoutes): void {
    const host = {
      core: this.#core,
      parked: this.#parked,
      subscriptions: this.#subscriptions,
      isolatesSessions: () =>
        this.#upstreams.members.some(({ upstream }) => upstream.options.isolate === 'session'),
      notified: (method: string, params: JsonObject, session: Session) =>
        this.#notified(method, params, session),
      disowned: (session: string) => this.#release(session),
    };
    const nodes = new ChainNodes(store, host, routes);
    this.#nodes = nodes;
    this.#core.route(detachedFirst(nodes.addressed()));
    this.#core.dispatcher.routeOthers((method) => nodes.foreign(method));
  }

  #createUpstreams(destinations: Destination | Destinations, before: readonly Upstream[] = []): Upstream[] {
    const events = {
      connected: (instance: Instance) => {
        this.#introduction = undefined;
        const isBack = this.#revival.connected(instance);
        if (this.#suspended.delete(instance) || isBack) this.#subscriptions.reconnected(instance);
        if (!instance.wasAwaited() && !isBack) return;
        // No client was notified of what changed in between.
        for (const kind of LIST_KINDS) {
          if (this.#introduce().capabilities[kind] !== undefined) events.changed(instance, kind);
        }
      },
      lost: (instance: Instance) => this.#revival.lost(instance),
      suspended: (instance: Instance) => void this.#suspended.add(instance),
      unopened: (instance: Instance) => this.#revival.lost(instance),
      changed: (_instance: Instance, kind: ListKind) => {
        this.#upstreams.forget(kind);
        this.#core.hub.listChanged(kind);
      },
      asked: (instance: Instance, method: string, params: JsonObject, signal: AbortSignal) =>
        askOutside(this.#core, method, params, this.#concerns(instance), this.#arrivals, signal),
      notified: (instance: Instance, notification: { method: string; params: JsonObject }) =>
        fanIn(this.#core, notification, this.#concerns(instance), this.#sessionOf(instance)),
      failed: (error: unknown) => this.#core.onError(error, 'upstream'),
      happened: (event: ServerEvent) => this.#happened(event),
    };
    return destinationsOf(destinations).map(({ name, target, options }) => {
      const same = before.find((upstream) => upstream.isSame(name, target, options));
      // Its configuration was written again, perhaps because what it needs is there now.
      same?.retry();
      return same ?? new Upstream(name, target, options, events, this.#extensions.declared);
    });
  }

  /** Which clients the notifications of a connection concern: its owner, or all. */
  #concerns(instance: Instance): Concerns {
    for (const { upstream } of this.#upstreams.members) {
      const owner = upstream.ownerOf(instance);
      if (owner !== undefined)
        return (session) => session === owner || session.sessionId === owner || session.principal === owner;
    }
    return () => true;
  }

  #isListenedTo(instance: Instance): boolean {
    if (this.#subscriptions.concern(instance)) return true;
    const sessions = this.#core.hub.sessions();
    // Streams of stateless clients belong to no session, and so to whichever connection there is.
    return (
      sessions.length < this.#core.hub.size ||
      sessions.some(({ session }) => this.#concerns(instance)(session))
    );
  }

  /** The session that a connection is for, by its id. */
  #sessionOf(instance: Instance): string | undefined {
    for (const { upstream } of this.#upstreams.members) {
      const session = upstream.sessionOf(instance);
      if (session !== undefined) return session;
    }
    return undefined;
  }

  #introduce(): Introduction {
    const { instructions, replaceable = false } = this.#options;
    this.#introduction ??= introductionOf(
      this.#upstreams,
      this.#info,
      instructions,
      replaceable,
      this.#extensions,
    );
    return this.#introduction;
  }

  /**
   * Connects to the servers that this client will talk to. A server alone has to be there, because the chain
   * introduces itself with its words; of several, some may join later.
   */
  #meet(peer: Peer): Promise<void> | undefined {
    const { members } = this.#upstreams;
    const [alone, ...others] = members;
    if (alone !== undefined && others.length === 0) return meetAlone(alone.upstream, peer);
    const meetings = members.flatMap(({ upstream }) => upstream.meeting(peer) ?? []);
    if (meetings.length === 0) return undefined;
    return meetServers(
      meetings.map(({ instance }) => instance),
      meetings.length < members.length,
    );
  }

  #happened(event: ServerEvent): void {
    const { onServerEvent, onError } = this.#options;
    if (onServerEvent !== undefined) onServerEvent(event);
    else if (onError === undefined) this.#log.event(event);
    else if ('error' in event) this.#core.onError(event.error, 'upstream');
  }

  #ended(session: Session | string): void {
    const key = session instanceof Session ? (session.sessionId ?? session) : session;
    if (typeof key === 'string') this.#nodes?.ended(key);
    this.#release(key);
  }

  #release(key: unknown): void {
    for (const { upstream } of this.#upstreams.members) upstream.ended(key);
    this.#subscriptions.ended(key).catch((error: unknown) => this.#core.onError(error, 'unsubscribe'));
  }

  #notified(method: string, params: JsonObject, session: Session): void {
    // Says that a client is there, and the servers behind have heard that from us.
    if (method === 'notifications/initialized') return;
    for (const { upstream } of this.#upstreams.members) upstream.notify(method, params, session);
  }
}
