/**
 * Results that the server allows to be used again (caching hints). Kept as text, so that a caller's changes
 * to a result reach the next reader. Private results are safe here, because a cache belongs to one client.
 * Bounded in number and in size: the oldest leave when room is needed.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { isWithin } from './uri.js';

interface Entry {
  readonly method: string;
  /** The URI of a read; lists have none. */
  readonly uri: string | undefined;
  readonly text: string;
  readonly expires: number;
}

/** A result out of the cache, and how long its text is. */
export interface Remembered {
  readonly result: JsonObject;
  readonly size: number;
}

export class ResponseCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #clock: () => number;
  /** Grows with every invalidation: an answer asked for before it may be out of date already. */
  #epoch = 0;

  constructor(maxEntries: number, maxBytes: number, clock: () => number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** A copy of what was stored, while it is fresh. */
  read(method: string, params: JsonObject): Remembered | undefined {
    const key = keyOf(method, params);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key, entry);
    if (this.#clock() >= entry.expires) return undefined;
    // Back in as the youngest.
    this.#add(key, entry);
    const result: unknown = JSON.parse(entry.text);
    return isRecord(result) ? { result, size: entry.text.length } : undefined;
  }

  /** Stores what may be stored; `epoch` is the one of the time when the request was sent. */
  write(method: string, params: JsonObject, result: JsonObject, epoch: number): void {
    const { ttlMs } = result;
    if (this.#maxEntries <= 0 || epoch !== this.#epoch) return;
    if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return;
    const uri = typeof params.uri === 'string' ? params.uri : undefined;
    const key = keyOf(method, params);
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(key, before);
    this.#add(key, { method, uri, text: JSON.stringify(result), expires: this.#clock() + ttlMs });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest, entry);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += key.length + entry.text.length;
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= key.length + entry.text.length;
  }

  /** Forgets all pages of a list; false when there were none. */
  dropMethod(method: string): boolean {
    return this.#drop((entry) => entry.method === method);
  }

  /** Forgets what was read from this URI, and from those above it, which may contain it. */
  dropUri(uri: string): void {
    this.#drop((entry) => entry.uri !== undefined && isWithin(uri, entry.uri));
  }

  clear(): void {
    this.#drop(() => true);
  }

  #drop(concerned: (entry: Entry) => boolean): boolean {
    const before = this.#entries.size;
    this.#epoch += 1;
    for (const [key, entry] of this.#entries) if (concerned(entry)) this.#remove(key, entry);
    return this.#entries.size < before;
  }
}

function keyOf(method: string, params: JsonObject): string {
  return JSON.stringify([method, params.uri, params.cursor]);
}
