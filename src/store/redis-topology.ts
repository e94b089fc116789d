/**
 * Which member of a Redis Cluster has which slots. It is asked again whenever something does not work, and from time
 * to time: after a failover, a replica has the slots of its master.
 */

import { memberUrl } from './redis-address.js';
import { openClient, type RedisClient } from './redis-client.js';
import type { RedisSettings } from './redis-options.js';

/** Not more often, however many operations fail. */
const PAUSE_MS = 200;
const LOOK_MS = 30_000;
const ASK_MS = 2_000;

interface Range {
  readonly from: number;
  readonly to: number;
  readonly url: string;
}

export class RedisTopology {
  readonly #seeds: readonly string[];
  readonly #settings: RedisSettings;
  readonly #changed = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #ranges: readonly Range[] = [];
  #asked: Promise<void> | undefined;
  #closed = false;

  private constructor(seeds: readonly string[], settings: RedisSettings) {
    this.#seeds = seeds;
    this.#settings = settings;
    this.#timer = setInterval(() => this.refresh(), LOOK_MS).unref();
  }

  static async open(seeds: readonly string[], settings: RedisSettings): Promise<RedisTopology> {
    const topology = new RedisTopology(seeds, settings);
    try {
      await topology.#ask();
    } catch (error) {
      topology.close();
      throw error;
    }
    return topology;
  }

  /** The address of the member that has the slot; undefined while no member does. */
  ownerOf(slot: number): string | undefined {
    return this.#ranges.find(({ from, to }) => slot >= from && slot <= to)?.url;
  }

  get members(): ReadonlySet<string> {
    return new Set(this.#ranges.map(({ url }) => url));
  }

  onChange(changed: () => void): void {
    this.#changed.add(changed);
  }

  /** Something did not work, perhaps because a slot has moved. */
  refresh(): void {
    if (this.#asked !== undefined || this.#closed) return;
    this.#asked = this.#ask()
      .catch(this.#settings.onError)
      .then(() => new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref()))
      .then(() => {
        this.#asked = undefined;
      });
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#changed.clear();
  }

  /** The first member that answers is believed. All are asked at once: those that are dead answer late. */
  async #ask(): Promise<void> {
    const asked = [...new Set([...this.members, ...this.#seeds])];
    const ranges = await Promise.any(asked.map((url) => this.#askOne(url))).catch((error: unknown) => {
      throw error instanceof AggregateError ? error.errors[0] : error;
    });
    const before = JSON.stringify(this.#ranges);
    this.#ranges = ranges;
    if (before !== JSON.stringify(ranges)) for (const changed of [...this.#changed]) changed();
  }

  async #askOne(url: string): Promise<readonly Range[]> {
    const settings = { ...this.#settings, timeout: Math.min(this.#settings.timeout, ASK_MS) };
    const client: RedisClient = await openClient(url, settings, { purpose: 'topology', persistent: false });
    try {
      const ranges = parseRanges(await client.send(['CLUSTER', 'SLOTS'], ASK_MS), url);
      // A member that was cut off or has just started may not know of any.
      if (ranges.length === 0) throw new Error('The member of the cluster knows no slots');
      return ranges;
    } finally {
      client.destroy();
    }
  }
}

function parseRanges(reply: unknown, asked: string): Range[] {
  if (!Array.isArray(reply)) return [];
  return reply.flatMap((range): Range[] => {
    if (!Array.isArray(range) || !Array.isArray(range[2])) return [];
    const [from, to, [host, port]] = range;
    // A member that does not know its own name is the one that was asked.
    const name = typeof host === 'string' && host !== '' && host !== '?' ? host : new URL(asked).hostname;
    return [{ from: Number(from), to: Number(to), url: memberUrl(asked, name, Number(port)) }];
  });
}
