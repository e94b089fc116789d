/**
 * How many buckets there are, and which one gives way to another. Buckets are listed in the store itself, in several
 * lists so that nodes seldom write the same one; all those of an account are in one of them.
 */

import { isRecord } from '../../jsonrpc/message.js';
import type { Locks, Values } from '../../store/store.js';
import type { BucketSettings } from './bucket.js';

export interface ShelfHost {
  readonly values: Values;
  readonly turns: Locks;
  readonly settings: BucketSettings;
  readonly now: () => number;
}

interface Listed {
  readonly key: string;
  readonly account: string;
  readonly at: number;
  /** A later call has come back to it. Buckets to which none did give way first. */
  readonly again: boolean;
}

const MAX_ATTEMPTS = 64;
/** In lifetimes of a bucket: that it was used is written down after a quarter of one. */
const LISTED = 1.25;

export class BucketShelves {
  readonly #host: ShelfHost;
  readonly #name: string;
  readonly #count: number;
  readonly #room: number;

  constructor(name: string, host: ShelfHost) {
    this.#host = host;
    this.#name = name;
    const { max, maxPerPeer } = host.settings;
    this.#count = Math.max(1, Math.floor(max / maxPerPeer));
    this.#room = Math.max(1, Math.floor(max / this.#count));
  }

  /** A bucket is there now; where there are too many, others are deleted. */
  add(key: string, account: string | undefined): Promise<void> {
    return this.#list(key, account, false);
  }

  /** A later call has come back to it. */
  touch(key: string, account: string | undefined): Promise<void> {
    return this.#list(key, account, true);
  }

  async #list(key: string, account: string | undefined, again: boolean): Promise<void> {
    const given = await this.#change(key, account, (listed) => {
      const others = listed.filter((entry) => entry.key !== key);
      const owner = account ?? '';
      const evicted: Listed[] = [];
      const kept = this.#evict(others, evicted, owner);
      return { listed: [...kept, { key, account: owner, at: this.#host.now(), again }], evicted };
    });
    for (const evicted of given) await this.#host.values.delete(evicted.key);
  }

  async remove(key: string, account: string | undefined): Promise<void> {
    await this.#change(key, account, (listed) => {
      const kept = listed.filter((entry) => entry.key !== key);
      return kept.length === listed.length ? undefined : { listed: kept, evicted: [] };
    });
  }

  /** First for the account's own limit, then for that of all: there the account with the most gives one up. */
  #evict(listed: readonly Listed[], evicted: Listed[], account: string): readonly Listed[] {
    let kept = listed;
    const drop = (candidates: readonly Listed[]): void => {
      const victim = candidates.find(({ again }) => !again) ?? candidates[0];
      if (victim === undefined) return;
      evicted.push(victim);
      kept = kept.filter((entry) => entry !== victim);
    };
    const of = (owner: string): Listed[] => kept.filter((entry) => entry.account === owner);
    // Where no account is known, only the limit of all applies.
    while (account !== '' && of(account).length >= this.#host.settings.maxPerPeer) drop(of(account));
    while (kept.length >= this.#room) drop(of(largestAccount(kept)));
    return kept;
  }

  async #change(
    key: string,
    account: string | undefined,
    change: (
      listed: readonly Listed[],
    ) => { readonly listed: readonly Listed[]; readonly evicted: readonly Listed[] } | undefined,
  ): Promise<readonly Listed[]> {
    const { values, turns, settings, now } = this.#host;
    const shelf = `${this.#name}:${spread(account ?? key) % this.#count}`;
    return turns.run(shelf, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const before = await values.get(shelf);
        const listed = parseListed(before).filter(({ at }) => at + LISTED * settings.ttl > now());
        const changed = change(listed);
        if (changed === undefined) return [];
        const text = JSON.stringify({ mark: crypto.randomUUID(), listed: changed.listed });
        if ((await values.claim(shelf, text, LISTED * settings.ttl, before)) === text) return changed.evicted;
      }
      // Too many nodes at once. The bucket expires by itself, and the next one makes room.
      return [];
    });
  }
}

function largestAccount(listed: readonly Listed[]): string {
  const counts = new Map<string, number>();
  for (const { account } of listed) counts.set(account, (counts.get(account) ?? 0) + 1);
  let largest = '';
  let most = 0;
  for (const [account, count] of counts) {
    if (count <= most) continue;
    largest = account;
    most = count;
  }
  return largest;
}

function parseListed(text: string | undefined): readonly Listed[] {
  if (text === undefined) return [];
  const shelf: unknown = JSON.parse(text);
  return isRecord(shelf) && Array.isArray(shelf.listed) ? shelf.listed : [];
}

/** FNV-1a: the same on every node. */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}
