/**
 * A client of a Redis Cluster: a connection to each member that has slots, made when it is needed. What fails because
 * a slot has moved or its member is gone is rejected; `RedisConnection` sends it again, by then to another member.
 */

import { openClient, type RedisClient } from './redis-client.js';
import type { RedisSettings } from './redis-options.js';
import { routeOf, slotOf } from './redis-slots.js';
import type { RedisTopology } from './redis-topology.js';

type Listener = (text: string) => void;

interface Subscription {
  readonly listeners: Set<Listener>;
  readonly deliver: Listener;
  /** The member that it was made with. */
  url: string | undefined;
}

export class RedisCluster implements RedisClient {
  readonly #topology: RedisTopology;
  readonly #settings: RedisSettings;
  readonly #purpose: string;
  readonly #members = new Map<string, Promise<RedisClient>>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #ready: (() => void)[] = [];
  #moving: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(topology: RedisTopology, settings: RedisSettings, purpose: string) {
    this.#topology = topology;
    this.#settings = settings;
    this.#purpose = purpose;
    topology.onChange(() => this.#follow());
  }

  async send(args: string[], milliseconds: number): Promise<unknown> {
    const client = await this.#owner(routeOf(args));
    try {
      return await client.send(args, milliseconds);
    } catch (error) {
      const asked = error instanceof Error ? /^ASK \d+ (\S+)$/.exec(error.message)?.[1] : undefined;
      this.#topology.refresh();
      if (asked === undefined) throw error;
      return this.#ask(asked, args, milliseconds);
    }
  }

  async subscribe(channel: string, listener: Listener): Promise<void> {
    const known = this.#subscriptions.get(channel);
    if (known?.url !== undefined) {
      known.listeners.add(listener);
      return;
    }
    const subscription = known ?? createSubscription();
    this.#subscriptions.set(channel, subscription);
    subscription.listeners.add(listener);
    try {
      await this.#place(channel, subscription);
    } catch (error) {
      // The caller retries with the same listener.
      this.#topology.refresh();
      throw error;
    }
  }

  async unsubscribe(channel: string, listener: Listener): Promise<void> {
    const subscription = this.#subscriptions.get(channel);
    if (subscription === undefined || !subscription.listeners.delete(listener)) return;
    if (subscription.listeners.size > 0) return;
    this.#subscriptions.delete(channel);
    if (subscription.url === undefined) return;
    const client = await this.#members.get(subscription.url);
    await client?.unsubscribe(channel, subscription.deliver);
  }

  onReady(listener: () => void): void {
    this.#ready.push(listener);
  }

  destroy(): void {
    this.#closed = true;
    this.#topology.close();
    for (const url of [...this.#members.keys()]) this.#drop(url);
  }

  async #owner(key: string): Promise<RedisClient> {
    const url = this.#topology.ownerOf(slotOf(key));
    if (url === undefined) {
      this.#topology.refresh();
      throw new Error('No member of the Redis Cluster serves this key at the moment');
    }
    return this.#member(url);
  }

  #member(url: string): Promise<RedisClient> {
    const known = this.#members.get(url);
    if (known !== undefined) return known;
    const opening = openClient(url, this.#settings, {
      purpose: this.#purpose,
      persistent: true,
      queues: false,
    });
    this.#members.set(url, opening);
    opening.then(
      (client) => {
        client.onReady(() => this.#resumed());
        client.onLost(() => this.#topology.refresh());
      },
      () => {
        this.#members.delete(url);
        this.#topology.refresh();
      },
    );
    return opening;
  }

  /** A slot that is moving at this moment: once, at the member that gets it. */
  async #ask(address: string, args: string[], milliseconds: number): Promise<unknown> {
    const at = address.lastIndexOf(':');
    const [host, port] = [address.slice(0, at), address.slice(at + 1)];
    const url = [...this.#topology.members].find((member) => {
      const { hostname, port: known } = new URL(member);
      return hostname === host && known === port;
    });
    if (url === undefined)
      throw new Error(`The Redis Cluster names a member that it does not list: ${address}`);
    const client = await this.#member(url);
    const [, reply] = await Promise.all([
      client.send(['ASKING'], milliseconds),
      client.send(args, milliseconds),
    ]);
    return reply;
  }

  async #place(channel: string, subscription: Subscription): Promise<void> {
    const url = this.#topology.ownerOf(slotOf(channel));
    const client = await this.#owner(channel);
    await client.subscribe(channel, subscription.deliver);
    subscription.url = url;
  }

  /** Slots have moved: subscriptions go along, and members without slots are let go. */
  #follow(): void {
    this.#moving = this.#moving.then(() => this.#move()).catch(this.#settings.onError);
  }

  async #move(): Promise<void> {
    if (this.#closed) return;
    const { members } = this.#topology;
    for (const url of [...this.#members.keys()]) if (!members.has(url)) this.#drop(url);
    const moved = [...this.#subscriptions].filter(
      ([channel, { url }]) => url !== undefined && url !== this.#topology.ownerOf(slotOf(channel)),
    );
    if (moved.length === 0) return;
    await Promise.all(
      moved.map(async ([channel, subscription]) => {
        const { url } = subscription;
        subscription.url = undefined;
        const before = url === undefined ? undefined : this.#members.get(url);
        await before
          ?.then((client) => client.unsubscribe(channel, subscription.deliver))
          .catch(() => undefined);
        await this.#persist(() => this.#place(channel, subscription));
      }),
    );
    this.#resumed();
  }

  async #persist(attempt: () => Promise<void>): Promise<void> {
    while (!this.#closed) {
      try {
        return await attempt();
      } catch (error) {
        this.#settings.onError(error);
        this.#topology.refresh();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #drop(url: string): void {
    const opening = this.#members.get(url);
    this.#members.delete(url);
    opening?.then((client) => client.destroy()).catch(() => undefined);
  }

  #resumed(): void {
    if (!this.#closed) for (const listener of [...this.#ready]) listener();
  }
}

const RETRY_MS = 100;

function createSubscription(): Subscription {
  const listeners = new Set<Listener>();
  const deliver = (text: string): void => {
    for (const listener of [...listeners]) listener(text);
  };
  return { listeners, deliver, url: undefined };
}
