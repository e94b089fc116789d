/**
 * Sessions that listen here while their servers run on another node. A client that only listens makes no call that
 * would find out that the other node is gone; so one looks, now and then.
 */

import type { Session } from '../../server/session.js';
import type { NodeMessenger } from './node-messenger.js';

/** How often within a lease. */
const LOOKS = 2;

export interface LeaseWatchHost {
  /** Who has the session's servers, as far as is known here; asks the store only where nothing is. */
  ownerOf(session: string): Promise<string>;
  /** Takes the session over, if no other node has. */
  own(session: Session): Promise<unknown>;
  onError(error: unknown): void;
}

export class LeaseWatch {
  readonly #messenger: NodeMessenger;
  readonly #host: LeaseWatchHost;
  readonly #sessions = new Map<string, Session>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(messenger: NodeMessenger, host: LeaseWatchHost) {
    this.#messenger = messenger;
    this.#host = host;
  }

  /** The session listens here and wants to hear of resources, or no longer does. */
  changed(id: string, session: Session | undefined): void {
    if (session === undefined || session.subscriptions.size === 0) this.#sessions.delete(id);
    else this.#sessions.set(id, session);
    if (this.#sessions.size === 0) this.stop();
    else if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#look(), this.#messenger.store.nodes.leaseMs / LOOKS);
      if (typeof this.#timer === 'object') this.#timer.unref();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One look at each node, however many sessions it has. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const present = new Map<string, boolean>();
      for (const [id, session] of [...this.#sessions]) {
        const owner = await this.#host.ownerOf(id);
        if (owner === this.#messenger.address) continue;
        const isThere = present.get(owner) ?? (await this.#messenger.isThere(owner));
        present.set(owner, isThere);
        if (!isThere && this.#sessions.has(id)) await this.#host.own(session);
      }
    } catch (error) {
      this.#host.onError(error);
    } finally {
      this.#looking = false;
    }
  }
}
