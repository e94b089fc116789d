/** Resource subscriptions: one upstream for all clients that want the same, ended with the last of them. */

import type { Subscription } from '../client/features/resources.js';
import { ProtocolError } from '../protocol/errors.js';
import { type Budget, weigh } from '../store/budget.js';
import type { Instance } from './instance.js';

interface Shared {
  readonly instance: Instance;
  readonly uri: string;
  readonly opened: Promise<Subscription>;
  count: number;
  /** The server knows of it; until then it is on its way, over whichever connection there is by then. */
  known: boolean;
}

export interface SubscriptionUpdate {
  /** The address at the server. */
  readonly own: string;
  /** The address that clients know. */
  readonly uri: string;
  /** What was subscribed to, as clients know it. */
  readonly subscribed: string;
}

/** How a server behind the chain and its clients call the same resource. */
export interface ResourceAddresses {
  own(instance: Instance, uri: string): string;
  published(instance: Instance, own: string): string;
}

export type Updated = (instance: Instance, update: SubscriptionUpdate) => void;

export interface SubscriptionBounds {
  /** Resources that one session may hold. */
  readonly perSession: number;
  /** What each subscription is charged to. */
  readonly state: Budget;
}

/** There are too many subscriptions already. */
export class NoRoom extends ProtocolError {}

/** What a subscription takes besides its URI: here, in the client, and in the server behind. */
const SUBSCRIPTION_BYTES = 1024;

export class SharedSubscriptions {
  readonly #bounds: SubscriptionBounds;
  readonly #addresses: ResourceAddresses;
  readonly #updated: Updated;
  readonly #byInstance = new Map<Instance, Map<string, Shared>>();
  /** What each client holds, by session. */
  readonly #held = new Map<unknown, Map<string, () => Promise<void>>>();

  constructor(bounds: SubscriptionBounds, addresses: ResourceAddresses, updated: Updated) {
    this.#bounds = bounds;
    this.#addresses = addresses;
    this.#updated = updated;
  }

  /** Subscriptions that are open upstream. */
  get size(): number {
    return [...this.#byInstance.values()].reduce((sum, shared) => sum + shared.size, 0);
  }

  /** Whether there are subscriptions on this connection. */
  concern(instance: Instance): boolean {
    return (this.#byInstance.get(instance)?.size ?? 0) > 0;
  }

  /** Returns what gives the subscription up again. */
  async acquire(instance: Instance, uri: string, account: string | undefined): Promise<() => Promise<void>> {
    const charge = this.#bounds.state.charge(account, SUBSCRIPTION_BYTES + weigh(uri));
    if (charge === undefined)
      throw new NoRoom('internal_error', 'There is no room for more subscriptions; try again later');
    const uris = this.#byInstance.get(instance) ?? new Map<string, Shared>();
    this.#byInstance.set(instance, uris);
    const shared = uris.get(uri) ?? this.#open(instance, uri);
    uris.set(uri, shared);
    shared.count += 1;
    let released = false;
    const release = async (): Promise<void> => {
      if (released) return;
      released = true;
      charge.release();
      await this.#release(shared);
    };
    try {
      await shared.opened;
      return release;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** For a session that subscribes and unsubscribes by URI. */
  async hold(session: unknown, instance: Instance, uri: string, account: string | undefined): Promise<void> {
    const already = this.#held.get(session);
    if (already?.has(uri) === true) return;
    if ((already?.size ?? 0) >= this.#bounds.perSession)
      throw new NoRoom('internal_error', 'The session has too many subscriptions; give some up first');
    const release = await this.acquire(instance, uri, account);
    const held = this.#held.get(session) ?? new Map<string, () => Promise<void>>();
    this.#held.set(session, held);
    const before = held.get(uri);
    held.set(uri, release);
    await before?.();
  }

  /** What a session holds here. */
  heldBy(session: unknown): string[] {
    return [...(this.#held.get(session)?.keys() ?? [])];
  }

  async drop(session: unknown, uri: string): Promise<void> {
    const held = this.#held.get(session);
    const release = held?.get(uri);
    held?.delete(uri);
    await release?.();
  }

  async ended(session: unknown): Promise<void> {
    const held = this.#held.get(session);
    this.#held.delete(session);
    await Promise.all([...(held?.values() ?? [])].map((release) => release()));
  }

  /** A lost connection was opened again: the server knows nothing of the old one's subscriptions. */
  reconnected(instance: Instance): void {
    const uris = this.#byInstance.get(instance);
    for (const [uri, shared] of uris ?? []) {
      if (!shared.known) continue;
      const renewed = this.#open(instance, uri);
      renewed.count = shared.count;
      renewed.opened.catch(() => undefined);
      uris?.set(uri, renewed);
    }
  }

  #open(instance: Instance, uri: string): Shared {
    const subscribe = async (): Promise<Subscription> => {
      const { client } = await instance.open();
      const address = this.#addresses.own(instance, uri);
      return client.resources.subscribe(address, ({ uri: own }) => {
        const published = address === uri ? own : this.#addresses.published(instance, own);
        this.#updated(instance, { own, uri: published, subscribed: uri });
      });
    };
    const shared: Shared = { instance, uri, opened: subscribe(), count: 0, known: false };
    const settled = (): void => {
      shared.known = true;
    };
    shared.opened.then(settled, settled);
    return shared;
  }

  async #release({ instance, uri }: Shared): Promise<void> {
    const uris = this.#byInstance.get(instance);
    const shared = uris?.get(uri);
    if (uris === undefined || shared === undefined) return;
    shared.count -= 1;
    if (shared.count > 0) return;
    uris.delete(uri);
    if (uris.size === 0) this.#byInstance.delete(instance);
    const subscription = await shared.opened.catch(() => undefined);
    // A connection that is gone has taken the subscription along.
    await subscription?.close().catch(() => undefined);
  }
}
