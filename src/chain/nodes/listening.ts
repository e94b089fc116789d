/**
 * Subscriptions to shared servers, where a chain has several nodes: they are held by the node that the
 * session listens on, and move with its stream. A session that moves is notified of its resources again.
 */

import type { CallContext } from '../../server/context.js';
import { type ChangeHub, type SessionListener, tell } from '../../server/hub.js';
import type { Session } from '../../server/session.js';
import type { SharedSubscriptions } from '../subscriptions.js';

export interface ListeningHost {
  readonly hub: ChangeHub;
  readonly subscriptions: SharedSubscriptions;
  /** Subscribes upstream in the name of the session. */
  subscribe(session: Session, uri: string): Promise<unknown>;
  onError(error: unknown, method: string): void;
}

export class ListeningSessions {
  readonly #host: ListeningHost;
  /** One after the other for each session: what is wanted may change while it is being subscribed to. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(host: ListeningHost) {
    this.#host = host;
  }

  /** A session listens here, wants something else, or listens no more. */
  changed(session: Session): void {
    const { sessionId } = session;
    if (sessionId === undefined) return;
    const turn = (this.#turns.get(sessionId) ?? Promise.resolve())
      .then(() => this.#settle(sessionId))
      .catch((error: unknown) => this.#host.onError(error, 'resources/subscribe'))
      .then(() => {
        if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
      });
    this.#turns.set(sessionId, turn);
  }

  /** A session has subscribed here; where it listens elsewhere, that node holds the subscription. */
  async subscribed({ peer }: CallContext, uri: string): Promise<void> {
    const { sessionId } = peer;
    if (sessionId !== undefined && this.#listener(sessionId) === undefined)
      await this.#host.subscriptions.drop(sessionId, uri);
  }

  async #settle(sessionId: string): Promise<void> {
    const { subscriptions, subscribe, onError } = this.#host;
    const listener = this.#listener(sessionId);
    const wanted = listener?.session.subscriptions ?? new Set<string>();
    const held = subscriptions.heldBy(sessionId);
    await Promise.all(
      held.filter((uri) => !wanted.has(uri)).map((uri) => subscriptions.drop(sessionId, uri)),
    );
    if (listener === undefined) return;
    for (const uri of [...wanted].filter((each) => !held.includes(each))) {
      try {
        await subscribe(listener.session, uri);
        // It may have changed while the subscription was on its way here.
        tell(listener, { type: 'resource', uri });
      } catch (error) {
        onError(error, 'resources/subscribe');
      }
    }
  }

  #listener(sessionId: string): SessionListener | undefined {
    return this.#host.hub.sessions().find(({ session }) => session.sessionId === sessionId);
  }
}
