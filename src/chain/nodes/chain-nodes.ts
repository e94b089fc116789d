/**
 * A chain on several nodes: what has to happen where a connection or a parked call is, and what has to be
 * reported where a session listens. On a single node everything is here, and nothing of this does anything.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { methodNotFound, ProtocolError } from '../../protocol/errors.js';
import { type Answer, resultOf } from '../../protocol/revisions/result-text.js';
import type { CallContext } from '../../server/context.js';
import type { ServerCore } from '../../server/core.js';
import type { Route } from '../../server/dispatcher.js';
import { Session } from '../../server/session.js';
import type { ParkedCalls, ParkingPlaces } from '../parked.js';
import type { SharedSubscriptions } from '../subscriptions.js';
import { runElsewhere } from './front.js';
import { NodeAbsent, sessionOf, snapshotOf } from './letters.js';
import { ListeningSessions } from './listening.js';
import { takesJobs } from './owner.js';
import { Post } from './post.js';
import { SessionCalls, silentContext } from './session-calls.js';

export interface ChainNodesHost {
  readonly core: Pick<ServerCore, 'hub' | 'dispatcher' | 'onError'>;
  parked(): ParkedCalls;
  subscriptions(): SharedSubscriptions;
  /** Whether some server runs once for each session. */
  isolatesSessions(): boolean;
  notified(method: string, params: JsonObject, session: Session): void;
  disowned(session: string): void;
}

interface Links {
  readonly post: Post;
  readonly calls: SessionCalls;
  readonly listening: ListeningSessions;
}

const SUBSCRIBE = 'resources/subscribe';

export class ChainNodes implements ParkingPlaces {
  readonly #host: ChainNodesHost;
  #routes: Readonly<Record<string, Route>> = {};
  #foreign: ((method: string) => Route) | undefined;
  #links: Links | undefined;
  #closed = false;

  constructor(host: ChainNodesHost) {
    this.#host = host;
    host.core.hub.watchSessions((session) => this.#listens(session));
  }

  /** The routes, each served where the connections of the session are. */
  addressed(
    routes: Readonly<Record<string, Route>>,
    foreign: (method: string) => Route,
  ): Readonly<Record<string, Route>> {
    this.#routes = routes;
    this.#foreign = foreign;
    return Object.fromEntries(
      Object.entries(routes).map(([method, route]) => [
        method,
        method === 'ping' ? route : this.#address(route),
      ]),
    );
  }

  foreign(method: string): Route {
    return this.#address(this.#routeOf(method));
  }

  /** A session begins; its servers are met on the node that it belongs to from now on. */
  opened(session: Session, meet: () => Promise<void> | undefined): Promise<void> | undefined {
    const calls = this.#callsOf(session);
    if (calls === undefined) return meet();
    return calls.own(session).then(
      (isHere) => (isHere ? meet() : undefined),
      (error: unknown) => this.#host.core.onError(error, 'initialize'),
    );
  }

  notified(method: string, params: JsonObject, session: Session): void {
    const { core, notified } = this.#host;
    const calls = this.#callsOf(session);
    if (calls === undefined) notified(method, params, session);
    else calls.notify(method, params, session).catch((error: unknown) => core.onError(error, method));
  }

  /**
   * A resource has changed, says the server of that session, or one that all share. False: notify the
   * listeners of this node.
   */
  updated(session: string | undefined, uri: string, subscribed: string): boolean {
    const { core, isolatesSessions } = this.#host;
    if (core.hub.relayStore === undefined || !isolatesSessions()) return false;
    core.hub.announce({
      type: 'resource',
      uri,
      ...(subscribed === uri ? {} : { subscribed }),
      ...(session === undefined ? {} : { session }),
    });
    return true;
  }

  ended(session: string): void {
    this.#links?.calls.release(session).catch((error: unknown) => this.#host.core.onError(error, 'session'));
  }

  async address(): Promise<string | undefined> {
    const links = this.#link();
    if (links === undefined) return undefined;
    try {
      await links.post.ready();
    } catch (error) {
      // The call can be served all the same; only its client has to come back here.
      this.#host.core.onError(error, 'parked');
    }
    return links.post.address;
  }

  async attend(address: string, parked: string, ctx: CallContext): Promise<JsonObject> {
    const links = this.#link();
    const { principal } = ctx.peer;
    try {
      if (links === undefined) throw new NodeAbsent(false);
      return await runElsewhere(links.post, address, { kind: 'attend', parked, principal }, ctx);
    } catch (error) {
      if (!(error instanceof NodeAbsent)) throw error;
      throw new ProtocolError(
        'invalid_params',
        'The node on which this call waited for its answer has stopped; start the call again without state',
      );
    }
  }

  async close(): Promise<void> {
    const links = this.#links;
    this.#links = undefined;
    this.#closed = true;
    try {
      await links?.calls.close();
      await links?.post.close();
    } catch (error) {
      this.#host.core.onError(error, 'close');
    }
  }

  #listens(session: Session): void {
    const { sessionId } = session;
    const links = sessionId === undefined ? undefined : this.#link();
    if (links === undefined || sessionId === undefined) return;
    if (!this.#host.isolatesSessions()) {
      links.listening.changed(session);
      return;
    }
    const listener = this.#host.core.hub.sessions().find((other) => other.session.sessionId === sessionId);
    links.calls.listening(sessionId, listener?.session);
  }

  #address(route: Route): Route {
    return {
      ...route,
      handle: (params, ctx) => {
        const { peer } = ctx;
        const calls = this.#callsOf(peer);
        if (calls !== undefined && peer instanceof Session) return calls.handle(route, params, peer, ctx);
        if (ctx.method === SUBSCRIBE) return this.#subscribe(route, params, ctx);
        return route.handle(params, ctx);
      },
    };
  }

  async #subscribe(route: Route, params: JsonObject, ctx: CallContext): Promise<Answer> {
    const result = await route.handle(params, ctx);
    const links = this.#link();
    if (typeof params.uri === 'string') await links?.listening.subscribed(ctx, params.uri);
    return result;
  }

  #routeOf(method: string): Route {
    const route = Object.hasOwn(this.#routes, method) ? this.#routes[method] : this.#foreign?.(method);
    if (route === undefined) throw methodNotFound(method);
    return route;
  }

  /** Set for a session whose servers are its own. */
  #callsOf({ sessionId }: { readonly sessionId: string | undefined }): SessionCalls | undefined {
    return sessionId === undefined || !this.#host.isolatesSessions() ? undefined : this.#link()?.calls;
  }

  #link(): Links | undefined {
    const { hub } = this.#host.core;
    if (this.#links === undefined && hub.relayStore !== undefined && !this.#closed)
      this.#links = this.#connect(
        new Post(hub.relayStore, (job, to) => this.#takeJob(job, to), this.#onError),
      );
    return this.#links;
  }

  readonly #onError = (error: unknown): void => this.#host.core.onError(error, 'nodes');

  readonly #takeJob = takesJobs({
    contextHost: {
      outbound: (call, deliver) => deliver(call),
      // Middleware runs where the client is.
      hasOutbound: () => false,
      logs: true,
    },
    owns: async (session) => (await this.#links?.calls.own(session)) ?? false,
    call: async (params, ctx) => {
      const route = this.#routeOf(ctx.method);
      if (route.available?.() === false) throw methodNotFound(ctx.method);
      return resultOf(await route.handle(params, ctx));
    },
    notified: (method, params, session) => this.#host.notified(method, params, session),
    attend: (parked, attendant) => this.#host.parked().attend(parked, attendant),
    onError: (error, method) => this.#host.core.onError(error, method),
  });

  #connect(post: Post): Links {
    const { core, disowned, notified, subscriptions } = this.#host;
    const { hub, dispatcher: contextHost, onError } = core;
    const routeOf = (method: string): Route => this.#routeOf(method);
    const calls = new SessionCalls(post, {
      contextHost,
      routeOf,
      notified,
      disowned,
      announce: (announcement) => hub.announce(announcement),
      onError,
    });
    const listening = new ListeningSessions({
      hub,
      subscriptions: subscriptions(),
      subscribe: async (session, uri) => {
        // A copy: what is subscribed to again is no change of the session.
        const copy = sessionOf(snapshotOf(session, session.sessionId ?? ''));
        const params = { uri };
        return routeOf(SUBSCRIBE).handle(params, silentContext(SUBSCRIBE, params, copy, contextHost));
      },
      onError,
    });
    return { post, calls, listening };
  }
}
