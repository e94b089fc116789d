/**
 * Results that the server allows to be used again (caching hints). Kept as text, so that nobody's changes to a result
 * reach the next reader. Private results are safe here, because a cache belongs to one client.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { isWithin } from './uri.js';

interface Entry {
  readonly method: string;
  /** The URI of a read; lists have none. */
  readonly uri: string | undefined;
  readonly text: string;
  readonly expires: number;
}

export class ResponseCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #clock: () => number;
  /** Grows with every invalidation: an answer asked for before it may be out of date already. */
  #epoch = 0;

  constructor(maxEntries: number, clock: () => number) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** A copy of what was stored, while it is fresh. */
  read(method: string, params: JsonObject): JsonObject | undefined {
    const key = keyOf(method, params);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#clock() >= entry.expires) return undefined;
    // Back in as the youngest: the oldest leaves when room is needed.
    this.#entries.set(key, entry);
    const value: unknown = JSON.parse(entry.text);
    return isRecord(value) ? value : undefined;
  }

  /** Stores what may be stored; `epoch` is the one of the time when the request was sent. */
  write(method: string, params: JsonObject, result: JsonObject, epoch: number): void {
    const { ttlMs } = result;
    if (this.#maxEntries <= 0 || epoch !== this.#epoch) return;
    if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return;
    const uri = typeof params.uri === 'string' ? params.uri : undefined;
    const key = keyOf(method, params);
    this.#entries.delete(key);
    this.#entries.set(key, { method, uri, text: JSON.stringify(result), expires: this.#clock() + ttlMs });
    if (this.#entries.size <= this.#maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
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
    for (const [key, entry] of this.#entries) if (concerned(entry)) this.#entries.delete(key);
    return this.#entries.size < before;
  }
}

function keyOf(method: string, params: JsonObject): string {
  return JSON.stringify([method, params.uri, params.cursor]);
}
