/**
 * Requests of sessions for which servers run of their own: such a server runs on one node, and requests that come to
 * another one are worked on there. When that node is gone, this one starts the servers again.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { ProtocolError } from '../../protocol/errors.js';
import type { Answer } from '../../protocol/revisions/result-text.js';
import type { Channel } from '../../server/channel.js';
import { CallContext } from '../../server/context.js';
import type { ContextHost } from '../../server/context-host.js';
import type { Announcement } from '../../server/hub.js';
import type { Route } from '../../server/route.js';
import type { Session } from '../../server/session.js';
import { LeaseWatch } from './lease-watch.js';
import { NodeAbsent, sessionOf, snapshotOf } from './node-message.js';
import type { NodeMessenger } from './node-messenger.js';
import { runOnNode } from './requester.js';
import { SessionLeases } from './session-leases.js';

export interface SessionCallsHost {
  readonly contextHost: ContextHost;
  /** The route as it is served here. */
  routeOf(method: string): Route;
  notified(method: string, params: JsonObject, session: Session): void;
  announce(announcement: Announcement): void;
  /** Lets go of the connections of a session that is another node's by now. */
  disowned(session: string): void;
  onError(error: unknown, method: string): void;
}

/** Owners may change while one looks for them. */
const MAX_ATTEMPTS = 4;

const STOPPED =
  'The node that has the connection to the server has stopped; whether the call took effect is unknown. Call again';

export class SessionCalls {
  readonly #messenger: NodeMessenger;
  readonly #leases: SessionLeases;
  readonly #host: SessionCallsHost;
  readonly #watch: LeaseWatch;

  constructor(messenger: NodeMessenger, host: SessionCallsHost) {
    this.#messenger = messenger;
    this.#leases = new SessionLeases(messenger);
    this.#host = host;
    this.#watch = new LeaseWatch(messenger, {
      ownerOf: (session) => this.#leases.lastKnown(session),
      own: (session) => this.own(session),
      onError: (error) => host.onError(error, 'nodes'),
    });
  }

  /** A session listens here, wants something else, or (undefined) listens no more. */
  listening(id: string, session: Session | undefined): void {
    this.#watch.changed(id, session);
  }

  /** Claims the session for this node, if it has no owner; true when this node owns it. */
  async own(session: Session): Promise<boolean> {
    const { address, isNew } = await this.#leases.find(idOf(session));
    if (address !== this.#messenger.address) return false;
    if (isNew) await this.#restore(session);
    return true;
  }

  async handle(route: Route, params: JsonObject, session: Session, ctx: CallContext): Promise<Answer> {
    const id = idOf(session);
    let absent: string | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { address, isNew } = await this.#leases.find(id, absent);
      if (address === this.#messenger.address) {
        if (isNew) await this.#restore(session);
        return route.handle(params, ctx);
      }
      this.#host.disowned(id);
      try {
        const { method } = ctx;
        const request = { kind: 'call' as const, method, params, session: snapshotOf(session, id) };
        return await runOnNode(this.#messenger, address, request, ctx);
      } catch (error) {
        if (!(error instanceof NodeAbsent)) throw error;
        if (error.begun) throw new ProtocolError('internal_error', STOPPED);
        absent = address;
      }
    }
    throw new ProtocolError('internal_error', 'No node has the connections of this session; call again');
  }

  async notify(method: string, params: JsonObject, session: Session): Promise<void> {
    const id = idOf(session);
    const { address } = await this.#leases.find(id);
    if (address === this.#messenger.address) return this.#host.notified(method, params, session);
    const request = { kind: 'notification' as const, method, params, session: snapshotOf(session, id) };
    await runOnNode(
      this.#messenger,
      address,
      request,
      silentContext(method, params, session, this.#host.contextHost),
    );
  }

  release(session: string): Promise<void> {
    return this.#leases.release(session);
  }

  close(): Promise<void> {
    this.#watch.stop();
    return this.#leases.releaseAll();
  }

  /**
   * A session that had its servers elsewhere: they are started again, with the subscriptions and settings of
   * the session.
   */
  async #restore(session: Session): Promise<void> {
    const { contextHost, routeOf, announce, onError } = this.#host;
    const id = idOf(session);
    // A copy: what is subscribed to again is no change of the session.
    const copy = sessionOf(snapshotOf(session, id));
    for (const uri of session.subscriptions) {
      const params = { uri };
      try {
        const ctx = silentContext('resources/subscribe', params, copy, contextHost);
        await routeOf('resources/subscribe').handle(params, ctx);
      } catch (error) {
        onError(error, 'resources/subscribe');
      }
      // It may have changed while there was no subscription.
      announce({ type: 'resource', uri, session: id });
    }
  }
}

function idOf({ sessionId }: Session): string {
  if (sessionId === undefined) throw new TypeError('A session without an id belongs to its connection');
  return sessionId;
}

/** For what is done in the name of a session, and not for a request of it. */
export function silentContext(
  method: string,
  params: JsonObject,
  session: Session,
  host: ContextHost,
): CallContext {
  return new CallContext(crypto.randomUUID(), method, params, session, SILENT, host);
}

const SILENT: Channel = {
  begin: () => undefined,
  end: () => undefined,
  notify: () => undefined,
  release: () => undefined,
  request: (method) =>
    Promise.reject(new ProtocolError('invalid_request', `${method} must belong to a request`)),
};
