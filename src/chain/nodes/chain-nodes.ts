/**
 * A chain on several nodes: what has to happen where a connection or a parked call is, and what has to be
 * reported where a session listens. Attached when the chain is given a shared store; a chain without one passes
 * through none of this.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { methodNotFound, ProtocolError } from '../../protocol/errors.js';
import { type Answer, resultOf } from '../../protocol/revisions/result-text.js';
import type { CallContext } from '../../server/context.js';
import type { ServerCore } from '../../server/core.js';
import type { Route } from '../../server/route.js';
import { Session } from '../../server/session.js';
import type { Store } from '../../store/store.js';
import type { ParkedCalls, ParkingPlaces } from '../parked.js';
import type { SharedSubscriptions } from '../subscriptions.js';
import { ListeningSessions } from './listening.js';
import { NodeAbsent, sessionOf, snapshotOf } from './node-message.js';
import { NodeMessenger } from './node-messenger.js';
import { runOnNode } from './requester.js';
import { SessionCalls, silentContext } from './session-calls.js';
import { acceptsWork } from './worker.js';

export interface ChainNodesHost {
  readonly core: Pick<ServerCore, 'hub' | 'dispatcher' | 'onError'>;
  readonly parked: ParkedCalls;
  readonly subscriptions: SharedSubscriptions;
  /** Whether some server runs once for each session. */
  isolatesSessions(): boolean;
  notified(method: string, params: JsonObject, session: Session): void;
  disowned(session: string): void;
}

/** The routes of a chain as one node serves them. */
export interface ChainRoutes {
  readonly own: Readonly<Record<string, Route>>;
  readonly foreign: (method: string) => Route;
}

const SUBSCRIBE = 'resources/subscribe';

export class ChainNodes implements ParkingPlaces {
  readonly #host: ChainNodesHost;
  readonly #routes: ChainRoutes;
  readonly #messenger: NodeMessenger;
  readonly #calls: SessionCalls;
  readonly #listening: ListeningSessions;
  #closed = false;

  constructor(store: Store, host: ChainNodesHost, routes: ChainRoutes) {
    this.#host = host;
    this.#routes = routes;
    this.#messenger = new NodeMessenger(store, (request, to) => this.#acceptWork(request, to), this.#onError);
    this.#calls = this.#createCalls();
    this.#listening = this.#createListening();
    host.core.hub.watchSessions((session) => this.#listens(session));
  }

  /** The routes, each served where the connections of the session are. */
  addressed(): Readonly<Record<string, Route>> {
    return Object.fromEntries(
      Object.entries(this.#routes.own).map(([method, route]) => [
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
    if (!isolatesSessions()) return false;
    core.hub.announce({
      type: 'resource',
      uri,
      ...(subscribed === uri ? {} : { subscribed }),
      ...(session === undefined ? {} : { session }),
    });
    return true;
  }

  ended(session: string): void {
    this.#calls.release(session).catch((error: unknown) => this.#host.core.onError(error, 'session'));
  }

  async address(): Promise<string | undefined> {
    if (this.#closed) return undefined;
    try {
      await this.#messenger.ready();
    } catch (error) {
      // The call can be served all the same; only its client has to come back here.
      this.#host.core.onError(error, 'parked');
    }
    return this.#messenger.address;
  }

  async resume(address: string, parked: string, ctx: CallContext): Promise<JsonObject> {
    const { principal } = ctx.peer;
    try {
      if (this.#closed) throw new NodeAbsent(false);
      return await runOnNode(this.#messenger, address, { kind: 'resume', parked, principal }, ctx);
    } catch (error) {
      if (!(error instanceof NodeAbsent)) throw error;
      throw new ProtocolError(
        'invalid_params',
        'The node on which this call waited for its answer has stopped; start the call again without state',
      );
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    try {
      await this.#calls.close();
      await this.#messenger.close();
    } catch (error) {
      this.#host.core.onError(error, 'close');
    }
  }

  #listens(session: Session): void {
    const { sessionId } = session;
    if (this.#closed || sessionId === undefined) return;
    if (!this.#host.isolatesSessions()) {
      this.#listening.changed(session);
      return;
    }
    const listener = this.#host.core.hub.sessions().find((other) => other.session.sessionId === sessionId);
    this.#calls.listening(sessionId, listener?.session);
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
    if (typeof params.uri === 'string' && !this.#closed) await this.#listening.subscribed(ctx, params.uri);
    return result;
  }

  #routeOf(method: string): Route {
    const { own, foreign } = this.#routes;
    const route = Object.hasOwn(own, method) ? own[method] : undefined;
    return route ?? foreign(method);
  }

  /** Set for a session whose servers are its own. */
  #callsOf({ sessionId }: { readonly sessionId: string | undefined }): SessionCalls | undefined {
    const isOwn = sessionId !== undefined && !this.#closed && this.#host.isolatesSessions();
    return isOwn ? this.#calls : undefined;
  }

  readonly #onError = (error: unknown): void => this.#host.core.onError(error, 'nodes');

  readonly #acceptWork = acceptsWork({
    contextHost: {
      outbound: (call, deliver) => deliver(call),
      // Middleware runs where the client is.
      hasOutbound: () => false,
      createState: () => ({}),
      logs: true,
      openBucket: (kind, call, handle) => this.#host.core.dispatcher.openBucket(kind, call, handle),
    },
    owns: async (session) => !this.#closed && (await this.#calls.own(session)),
    call: async (params, ctx) => {
      const route = this.#routeOf(ctx.method);
      if (route.available?.() === false) throw methodNotFound(ctx.method);
      return resultOf(await route.handle(params, ctx));
    },
    notified: (method, params, session) => this.#host.notified(method, params, session),
    resume: (parked, waiting) => this.#host.parked.resume(parked, waiting),
    onError: (error, method) => this.#host.core.onError(error, method),
  });

  #createCalls(): SessionCalls {
    const { core, disowned, notified } = this.#host;
    const { hub, dispatcher: contextHost, onError } = core;
    return new SessionCalls(this.#messenger, {
      contextHost,
      routeOf: (method) => this.#routeOf(method),
      notified,
      disowned,
      announce: (announcement) => hub.announce(announcement),
      onError,
    });
  }

  #createListening(): ListeningSessions {
    const { core, subscriptions } = this.#host;
    const { hub, dispatcher: contextHost, onError } = core;
    return new ListeningSessions({
      hub,
      subscriptions,
      subscribe: async (session, uri) => {
        // A copy: what is subscribed to again is no change of the session.
        const copy = sessionOf(snapshotOf(session, session.sessionId ?? ''));
        const params = { uri };
        const ctx = silentContext(SUBSCRIBE, params, copy, contextHost);
        return this.#routeOf(SUBSCRIBE).handle(params, ctx);
      },
      onError,
    });
  }
}
