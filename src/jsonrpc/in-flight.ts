/**
 * What is under way, by request id: a map for entries that come and go with every call.
 *
 * V8's Map does badly at this. It outgrows its table every few calls, and each table it leaves behind points to the
 * next. Once a collection has moved one of them to the old generation, all later tables hang on it, and with them
 * whatever was in them at the time: nearly every call then survives, is copied twice, and waits for a full collection.
 * A client with 64 calls in flight spent a third of its time on that. Here an id has a slot, or one of those behind it.
 */

import type { RequestId } from './message.js';

const FIRST_SLOTS = 8;

export class InFlight<V extends object> {
  /** At least half of the slots are free, so that a search soon comes to one. */
  #ids: (number | undefined)[] = [];
  #values: (V | undefined)[] = [];
  #used = 0;
  /** Ids that are strings: rare, and not worth more. */
  #named: Map<string, V> | undefined;

  get size(): number {
    return this.#used + (this.#named?.size ?? 0);
  }

  get(id: RequestId): V | undefined {
    if (typeof id === 'string') return this.#named?.get(id);
    const slot = this.#find(id);
    return slot === -1 ? undefined : this.#values[slot];
  }

  has(id: RequestId): boolean {
    return this.get(id) !== undefined;
  }

  set(id: RequestId, value: V): void {
    if (typeof id === 'string') {
      this.#named ??= new Map();
      this.#named.set(id, value);
      return;
    }
    const known = this.#find(id);
    if (known === -1) this.#add(id, value);
    else this.#values[known] = value;
  }

  /** Takes the entry out. */
  take(id: RequestId): V | undefined {
    if (typeof id === 'string') {
      const named = this.#named?.get(id);
      this.#named?.delete(id);
      return named;
    }
    const slot = this.#find(id);
    if (slot === -1) return undefined;
    const value = this.#values[slot];
    this.#used -= 1;
    this.#close(slot);
    return value;
  }

  /** In no particular order. */
  values(): V[] {
    return [...this.#values.filter((value) => value !== undefined), ...(this.#named?.values() ?? [])];
  }

  /** Those with numbers, lowest first. */
  inOrder(): V[] {
    const numbers = this.#ids.filter((id) => id !== undefined).sort((one, other) => one - other);
    return numbers.map((id) => this.get(id)).filter((value) => value !== undefined);
  }

  clear(): void {
    this.#ids = [];
    this.#values = [];
    this.#used = 0;
    this.#named = undefined;
  }

  #find(id: number): number {
    const ids = this.#ids;
    const mask = ids.length - 1;
    if (mask < 0) return -1;
    for (let slot = homeOf(id, mask); ; slot = (slot + 1) & mask) {
      const found = ids[slot];
      if (found === id) return slot;
      if (found === undefined) return -1;
    }
  }

  #add(id: number, value: V): void {
    if (this.#used * 2 >= this.#ids.length) this.#grow();
    const mask = this.#ids.length - 1;
    let slot = homeOf(id, mask);
    while (this.#ids[slot] !== undefined) slot = (slot + 1) & mask;
    this.#ids[slot] = id;
    this.#values[slot] = value;
    this.#used += 1;
  }

  /** Frees a slot. Whatever was put behind it because it was taken moves up, or it would not be found any more. */
  #close(freed: number): void {
    const ids = this.#ids;
    const mask = ids.length - 1;
    let free = freed;
    for (let slot = (free + 1) & mask; ; slot = (slot + 1) & mask) {
      const id = ids[slot];
      if (id === undefined) break;
      // It may stay if its home lies behind the free slot, counted around the end.
      if (((slot - homeOf(id, mask)) & mask) < ((slot - free) & mask)) continue;
      ids[free] = id;
      this.#values[free] = this.#values[slot];
      free = slot;
    }
    ids[free] = undefined;
    this.#values[free] = undefined;
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    const slots = Math.max(ids.length * 2, FIRST_SLOTS);
    this.#ids = new Array<number | undefined>(slots).fill(undefined);
    this.#values = new Array<V | undefined>(slots).fill(undefined);
    this.#used = 0;
    for (const [slot, id] of ids.entries()) {
      const value = values[slot];
      if (id !== undefined && value !== undefined) this.#add(id, value);
    }
  }
}

/** Ids that count up are neighbours; those of several counters are spread by their higher digits. */
function homeOf(id: number, mask: number): number {
  return (id ^ (id >>> 11) ^ (id >>> 22)) & mask;
}
